// References of which a third is seen.
import t from 'tap';
import { typicalDays } from '../../analysis/learning/typicalDays.js';
import { trial } from '../../analysis/tuning/trial.js';
import { isLearnable, usable } from '../../domain/day.js';
import { isFlagged } from '../../bench/quality/definitions.js';
import { pooled } from '../../bench/quality/score.js';
import type { Series } from '../../bench/quality/series.js';
import { inStretches, thinned } from '../../bench/quality/measure.js';
import { thinnedTable } from '../../bench/quality/falseAlertTables.js';
import { madeDays } from '../helpers/data/madeDays.js';
import { unmeasured } from '../helpers/unmeasured.js';

const setting = { modelCount: 2, coverage: null, calendar: null, seed: 1 } as const;
const slices = 12;
const year = 365;

t.test('a third of the slices is seen, in stretches or in whole days, and the same each time', async t => {
  const reference = madeDays({ count: 3 * year, slices, seed: 1 });
  const seen = inStretches(reference, 1);
  t.equal(JSON.stringify(inStretches(reference, 1)), JSON.stringify(seen));
  t.not(inStretches(reference, 2).length, seen.length, 'other stretches with another seed');
  const count = seen.reduce((sum, day) => sum + usable(day).filter(isUsable => isUsable).length, 0);
  const share = count / (reference.length * slices);
  t.ok(share > 0.28 && share < 0.39, `${share}`);
  t.ok(seen.some(({ gaps }) => gaps.length > 0) && seen.every(day => usable(day).includes(true)));
  const byDate = new Map(reference.map(day => [day.date, day]));
  t.ok(
    seen.every(day => {
      const { activity } = byDate.get(day.date)!;
      return usable(day).every((isSeen, slice) => day.activity[slice] === (isSeen ? activity[slice] : 0));
    }),
  );
  const [days, stretches] = thinned({ reference } as unknown as Series, 1);
  t.ok(days && days.reference.length > 0.28 * 3 * year && days.reference.length < 0.39 * 3 * year);
  t.ok(
    days?.reference.every(day => byDate.get(day.date) === day),
    'days as they are',
  );
  t.equal(JSON.stringify(stretches?.reference), JSON.stringify(seen));
});

t.test('the stated number of false alerts is within a factor of 2 of the real one', async t => {
  let stated = 0;
  let real = 0;
  for (let seed = 1; seed <= 6; seed += 1) {
    const days = madeDays({ count: 3 * year, slices, seed });
    const reference = inStretches(days.slice(0, year), seed);
    const learnable = reference.filter(isLearnable).length;
    t.ok(learnable > 50 && learnable < 0.5 * year, `${learnable} days`);
    const { learned, days: checked } = trial(reference, days.slice(year), setting);
    t.equal(learned.bounds.calibrationDays + learned.leftOut.length, reference.length, 'each day counts');
    stated += 2 * (learned.bounds.falseAlertsPerYear ?? 0);
    real += checked.filter(isFlagged).length;
  }
  t.ok(real <= 2 * stated && real >= stated / 2, `${real} alerts, ${stated} stated`);
});

t.test('days of which each has a third are refused, with what is expected', async t => {
  const days = madeDays({ count: 60, slices, seed: 1 }).map(day => ({
    ...day,
    gaps: [[0, 8]] as const,
  }));
  t.throws(() => typicalDays(days, setting), { message: /expected at least one day with three quarters/ });
});

t.test('the table has the series with enough ordinary days', async t => {
  const score = (count: number, of: number) => ({
    ...pooled([]),
    ordinary: { count, of },
    stated: { coverage: 0.95, falseAlertsPerYear: 5, range: [1, 10] as const, changes: null },
  });
  const series = (name: string, whole: number, part: number, of = year) => ({
    ...unmeasured,
    name,
    scores: { own: score(whole, of) },
    thinned: [score(part, of), score(part + 1, of)],
  });
  const all = [series('a', 5, 10), series('b', 4, 11), series('short', 40, 40, 50)];
  t.equal(
    thinnedTable(all, 'own'),
    [
      'reference              series  false  events  stated alerts  real  real/stated  median  within 2  in range',
      'whole                       3  6.3 %     0/0             10     9         0.90    0.90       2/2       2/2',
      'a third of the days         3  7.8 %     0/0             10    21         2.10    2.10       1/2       1/2',
      'a third, in stretches       3  8.2 %     0/0             10    23         2.30    2.30       0/2       0/2',
      '',
    ].join('\n'),
  );
});
