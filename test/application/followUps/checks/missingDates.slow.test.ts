import fc from '../../../helpers/property.js';
import t from 'tap';
import type { CauseEvent } from '../../../../domain/followUps.js';
import { dateOf, dayNumber } from '../../../../domain/dates.js';
import { checkedLog } from '../../../helpers/decisions/checkedLog.js';

// Dates that an import misses are gaps, whatever happens between the import and its check.

const first = dayNumber('2024-03-01');
const datesAt = (indices: readonly number[]): string[] => indices.map(index => dateOf(first + index));
const march = (...days: readonly number[]): string[] => datesAt(days.map(day => day - 1));

t.test('an import whose dates were partly replaced before its check keeps its missing dates', async t => {
  const log = checkedLog();
  const imported = log.importDates(march(1, 2, 3, 4, 6, 7, 8));
  const replaced = log.importDates(march(6, 7, 8));
  log.record(imported);
  log.record(replaced);
  t.strictSame(log.datesWith('gap'), march(5));
});

t.test('an import whose dates were all replaced before its check keeps its missing dates', async t => {
  const log = checkedLog();
  const imported = log.importDates(march(1, 2, 3, 5), { perPart: 2 });
  const replaced = [log.importDates(march(1, 2)), log.importDates(march(3)), log.importDates(march(5))];
  for (const cause of [...replaced, imported]) log.record(cause);
  t.strictSame(log.datesWith('gap'), march(4));
});

t.test(
  'dates that the remaining ones of an import would miss are no gaps when the import has them',
  async t => {
    const log = checkedLog();
    const imported = log.importDates(march(1, 2, 3, 4, 5, 6, 7, 8));
    log.importDates(march(4));
    t.strictSame(log.models().days.missingDates(id(imported)), []);
    log.record(imported);
    t.strictSame(log.datesWith('gap'), []);
  },
);

t.test('logs of engine 6 are checked by their own rule', async t => {
  const log = checkedLog('daybook-calendar/6');
  const imported = log.importDates(march(1, 2, 3, 4, 6, 7, 8));
  log.importDates(march(6, 7, 8));
  log.record(imported);
  t.strictSame(log.datesWith('gap'), []);
});

const id = ({ data }: CauseEvent): string => ('importId' in data ? data.importId : '');

t.test('property: imports and checks in any order raise the gaps of sequential processing', async t => {
  /** Dates of an import: a range with holes. */
  const datesOf = fc
    .tuple(fc.nat(40), fc.integer({ min: 1, max: 70 }), fc.array(fc.nat(69), { maxLength: 12 }))
    .map(([from, length, holes]) =>
      Array.from({ length }, (_, index) => from + index).filter(
        (_, index) => index === 0 || index === length - 1 || !holes.includes(index),
      ),
    )
    .map(datesAt);
  const plan = fc.record({
    imports: fc.array(fc.record({ dates: datesOf, perPart: fc.integer({ min: 1, max: 31 }) }), {
      minLength: 1,
      maxLength: 6,
    }),
    /** Before each import: how many of the waiting checks run, and which. */
    delays: fc.array(fc.record({ runs: fc.nat(2), which: fc.nat() }), { minLength: 7, maxLength: 7 }),
  });
  let gaps = 0;
  await fc.assert(
    fc.asyncProperty(plan, async ({ imports, delays }) => {
      const sequential = checkedLog();
      for (const { dates, perPart } of imports) sequential.record(sequential.importDates(dates, { perPart }));

      const interleaved = checkedLog();
      const waiting: CauseEvent[] = [];
      const runSome = ({ runs, which }: { readonly runs: number; readonly which: number }): void => {
        for (let run = 0; run < runs && waiting.length > 0; run += 1)
          interleaved.record(waiting.splice(which % waiting.length, 1)[0]!);
      };
      for (const [index, { dates, perPart }] of imports.entries()) {
        runSome(delays[index]!);
        waiting.push(interleaved.importDates(dates, { perPart }));
      }
      runSome({ runs: waiting.length, which: delays[6]!.which });
      const expected = sequential.datesWith('gap');
      gaps += expected.length;
      if (expected.join() !== interleaved.datesWith('gap').join())
        throw new Error(`got gaps on ${interleaved.datesWith('gap').join()}, expected ${expected.join()}`);
    }),
    { numRuns: 150 },
  );
  t.ok(gaps > 150, `${gaps} gaps`);
});
