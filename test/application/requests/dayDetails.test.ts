import t from 'tap';
import { dayDetails } from '../../../application/requests/dayDetails.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { dayOf, id } from '../../helpers/data/samples.js';
import { holding, imported, lived } from '../../helpers/data/sourceHistory.js';

const date = '2024-06-10';
const before = (days: number): string => dateOf(dayNumber(date) - days);

t.test('a day has those of the week before it, and of its weekday in the four weeks before', async t => {
  const { events, add } = lived();
  const days = Array.from({ length: 50 }, (_, n) => dayOf(before(45 - n)));
  add('days-1', imported(id(301), 'recent', days));
  const { db, models } = holding(events);
  const details = dayDetails(models, models.sources.setup(1)!, date);
  const datesOf = (list: readonly { readonly date: string }[]) => list.map(day => day.date);
  t.equal(details.day?.date, date);
  t.strictSame(datesOf(details.daysBefore), [7, 6, 5, 4, 3, 2, 1].map(before));
  t.strictSame(datesOf(details.weekdaysBefore), [28, 21, 14, 7].map(before));
  t.equal(dayDetails(models, models.sources.setup(1)!, '2024-07-10').day, null);
  t.match(dayDetails(models, models.sources.setup(1)!, '2023-01-02').day, { date: '2023-01-02' });
  db.close();
});
