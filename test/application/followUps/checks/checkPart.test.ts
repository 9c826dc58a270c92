import t from 'tap';
import {
  daysPerCheck,
  nextPart,
  withOutcomes,
  type DayOutcome,
} from '../../../../application/followUps/checks/checkPart.js';
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
