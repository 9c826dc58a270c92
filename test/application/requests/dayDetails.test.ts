import t from 'tap';
import { dayDetails } from '../../../application/requests/dayDetails.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { dayOf, draft, id } from '../../helpers/data/samples.js';
import { handWritten } from '../../helpers/data/tables.js';
import { created, holding, imported, lived, reset } from '../../helpers/data/sourceHistory.js';

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

t.test('days before on a bound that a person put on the profile keep what is expected finite', async t => {
  const { events, add } = handWritten();
  const week = Array.from({ length: 7 }, (_, n) => dateOf(dayNumber('2023-01-02') + n));
  add(
    'days-1',
    imported(
      id(201),
      'reference',
      week.map(day => dayOf(day)),
    ),
  );
  add('source-1', created(1));
  const learned = reset(1, 1);
  if (learned.type !== 'ModelsReset') throw new Error('no models');
  // Closed in the first slice, where the upper bound is the profile.
  const limits = { unit: 10, offset: 0.1, windowHours: 4, window: 1, day: 1 };
  const closed = { ...draft('Week'), activity: [0, 10, 10, 10], topTolerance: [0, 11, 11, 11] };
  const models = [{ ...closed, bottomTolerance: [0, 9, 9, 9], id: 1, days: 7, limits }];
  const assignments = week.map(day => ({ date: day, modelId: 1 }));
  add('source-1', { ...learned, data: { ...learned.data, models, assignments } });
  const recent = Array.from({ length: 14 }, (_, n) => ({
    ...dayOf(before(14 - n)),
    activity: [0.3, 10, 10, 10],
  }));
  add('days-1', imported(id(202), 'recent', recent));
  const read = holding(events);
  const details = dayDetails(read.models, read.models.sources.setup(1)!, date);
  const numbers = [
    ...(details.expectedByDaysBefore ?? []),
    ...details.limits.flatMap(({ lower, upper }) => [...(lower ?? []), ...(upper ?? [])]),
  ];
  t.ok(numbers.length > 4 && numbers.every(Number.isFinite), JSON.stringify(details.limits));
  read.db.close();
});
