import fc from '../../../helpers/property.js';
import t from 'tap';
import type { CauseEvent } from '../../../../domain/followUps.js';
import { dateOf, dayNumber } from '../../../../domain/dates.js';
import { Rejection } from '../../../../domain/rejection.js';
import { holding } from '../../../helpers/data/sourceHistory.js';
import { dayOf } from '../../../helpers/data/samples.js';
import { exactList } from '../../../helpers/exactList.js';
import { checkedLog } from '../../../helpers/decisions/checkedLog.js';
import { amount } from '../../../helpers/amount.js';

// The recent days of a source are the last imports that stand; days taken back raise nothing by themselves.

const first = dayNumber('2024-03-01');
const datesAt = (indices: readonly number[]): string[] => indices.map(index => dateOf(first + index));
const march = (...days: readonly number[]): string[] => datesAt(days.map(day => day - 1));

t.test('the unprocessed alerts of a day that is taken back are invalidated, for that reason', async t => {
  const log = checkedLog();
  const far = (date: string) => dayOf(date, 1000);
  log.record(log.importDates(march(4, 5), { dayOn: far }));
  t.strictSame(log.datesWith('activity'), march(4, 5));
  log.record(log.takeBack('2024-03-04')!);
  t.strictSame(log.datesWith('activity'), march(5));
  t.match(log.events.at(-1), {
    type: 'AlertInvalidated',
    data: { date: '2024-03-04', reason: 'DayTakenBack' },
  });
  t.match(log.events.at(-2), {
    type: 'DaysChecked',
    data: {
      days: exactList({
        date: '2024-03-04',
        missing: true,
        outcome: 'notCompared',
        standing: exactList(),
      }),
    },
  });
  t.strictSame(log.datesWith('gap'), [], 'the date raises nothing');
  t.equal(log.takeBack('2024-03-04'), undefined, 'a repeat changes nothing');
  t.throws(() => log.takeBack('2024-03-06'), { code: 'dayNotFound' });
});

t.test('imports before a day was taken back do not report it as missing, later ones do', async t => {
  const log = checkedLog();
  const around = log.importDates(march(1, 2, 4, 5));
  log.importDates(march(3));
  log.takeBack('2024-03-03');
  log.takeBack('2024-03-02');
  log.record(around);
  t.strictSame(log.datesWith('gap'), [], 'a late check of an earlier import');
  log.record(log.importDates(march(1, 4, 5, 6, 7, 8, 9)));
  t.strictSame(log.datesWith('gap'), march(2, 3));
});

t.test('property: the recent days are the last imports that stand, after any restarts', async t => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ from: fc.nat(20), length: fc.integer({ min: 1, max: 12 }) }) },
    { weight: 3, arbitrary: fc.record({ back: fc.nat(24) }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
    { weight: 2, arbitrary: fc.record({ check: fc.nat() }) },
  );
  let taken = 0;
  const numRuns = amount({ quick: 35, slow: 100 });
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 25 }), steps => {
      const log = checkedLog();
      const present = new Map<string, number>();
      const ever = new Set<string>();
      const waiting: CauseEvent[] = [];
      let level = 10;
      for (const one of steps) {
        if (one === 'restart') log.restart();
        else if ('check' in one) {
          const [cause] = waiting.splice(one.check % Math.max(1, waiting.length), 1);
          if (cause) log.record(cause);
        } else if ('back' in one) {
          const [date = ''] = datesAt([one.back]);
          let cause: CauseEvent | undefined;
          try {
            cause = log.takeBack(date);
          } catch (error) {
            if (!(error instanceof Rejection) || ever.has(date)) throw error;
          }
          if ((cause !== undefined) !== present.delete(date))
            throw new Error(`${date} was taken back wrongly`);
          if (cause) waiting.push(cause);
          taken += cause ? 1 : 0;
        } else {
          const dates = datesAt(Array.from({ length: one.length }, (_, index) => one.from + index));
          const value = (level += 1);
          waiting.push(log.importDates(dates, { perPart: 5, dayOn: date => dayOf(date, value) }));
          for (const date of dates) (present.set(date, value), ever.add(date));
        }
        const shown = log.models().days.between(1, 'recent', '0001-01-01', '9998-12-31');
        const days = shown.map(({ date, activity }) => [date, activity[0]]);
        if (JSON.stringify(days) !== JSON.stringify([...present].sort()))
          throw new Error(`got ${JSON.stringify(days)}, expected ${JSON.stringify([...present].sort())}`);
      }
      for (const cause of waiting) log.record(cause);
      const rebuilt = holding(log.events);
      const known = rebuilt.models.days.recentDates(1);
      if (known.join() !== [...present.keys()].sort().join()) throw new Error('a rebuild has other days');
      for (const date of log.datesWith('activity'))
        if (!present.has(date)) throw new Error(`${date} has no data and an alert of activity`);
      for (const date of log.datesWith('gap'))
        if (present.has(date)) throw new Error(`${date} has data and a gap`);
    }),
    { numRuns },
  );
  t.ok(taken > numRuns / 5, `${taken} days were taken back`);
});
