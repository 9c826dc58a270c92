import t from 'tap';
import {
  daysPerCheck,
  nextPart,
  withOutcomes,
  type DayOutcome,
} from '../../../../application/followUps/checks/checkPart.js';
import { isLong } from '../../../../application/followUps/followUps.js';
import { dateOf } from '../../../../domain/dates.js';
import { exactList } from '../../../helpers/exactList.js';

const dates = Array.from({ length: 2 * daysPerCheck + 20 }, (_, day) => dateOf(day));
const checked = (date: string): DayOutcome => ({ date, importId: 'i', outcome: 'normal' });

t.test(
  'a check of many dates is cut into parts, each with the outcomes of the 28 days before it',
  async t => {
    let earlier: ReadonlyMap<string, DayOutcome> = new Map();
    const parts = [0, 1, 2].map(index => {
      const part = nextPart(index + 1, dates.slice(index * daysPerCheck), earlier);
      earlier = withOutcomes(earlier, part.dates.map(checked));
      return part;
    });
    t.strictSame(
      parts.map(({ part, last, dates, earlier }) => [part, last, dates.length, earlier.size]),
      [
        [1, false, 50, 0],
        [2, false, 50, 28],
        [3, true, 20, 28],
      ],
    );
    t.strictSame(
      parts.flatMap(({ dates }) => dates),
      dates,
      'all dates, in order',
    );
    t.strictSame([...earlier.keys()], dates.slice(-28), 'the last outcomes');
    const one = withOutcomes(earlier, [checked('2031-01-01')]);
    t.strictSame([...one.keys()], [...dates.slice(-27), '2031-01-01'], 'outcomes of several parts');
  },
);

t.test('a check without dates, or with one full part, is complete with its first part', async t => {
  t.match(nextPart(1, [], new Map()), { last: true, dates: exactList() });
  t.match(nextPart(1, dates.slice(0, daysPerCheck), new Map()), { last: true });
});

t.test('checks of more than three days wait for a turn of the event loop', async t => {
  const cause = (type: string, data: object = {}) =>
    ({ type, data }) as unknown as Parameters<typeof isLong>[0];
  const imported = (count: number, parts = 1) =>
    cause('DaysImported', { parts, days: dates.slice(0, count) });
  const ofCovariate = (count: number) => cause('CovariateDaysImported', { dates: dates.slice(0, count) });
  for (const short of [imported(3), ofCovariate(3), cause('DayPlanned'), cause('PointsImported')])
    t.notOk(isLong(short), short.type);
  for (const long of [
    imported(4),
    imported(1, 2),
    ofCovariate(4),
    cause('ModelsReset'),
    cause('ChangeAccepted'),
  ])
    t.ok(isLong(long), long.type);
});
