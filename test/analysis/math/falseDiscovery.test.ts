import t from 'tap';
import { pValueOf, criticityOf } from '../../../analysis/checking/checkLimits.js';
import { discoveredUpTo } from '../../../analysis/math/statistics.js';
import { trial } from '../../../analysis/tuning/trial.js';
import type { Day } from '../../../domain/day.js';
import { madeDays } from '../../helpers/data/madeDays.js';
import { slowTest } from '../../helpers/amount.js';
import fc from '../../helpers/property.js';

t.test('false discovery: the k smallest, the k-th at most k · rate / count', async t => {
  t.equal(discoveredUpTo([0.01, 0.04, 0.02, 0.2], 4, 0.1), 0.04, '0.02 and 0.04 are at most 0.05 and 0.075');
  t.equal(discoveredUpTo([0.06, 0.5, 0.9], 3, 0.1), null);
  t.equal(discoveredUpTo([0.05, 0.06], 2, 0.1), 0.06, 'the largest rank decides, not the first');
  t.equal(discoveredUpTo([0.01], 10, 0.1), 0.01, 'on the line');
  t.equal(discoveredUpTo([0.01], 11, 0.1), null, 'of 11 hypotheses');
  t.equal(discoveredUpTo([], 5, 0.1), null);
  t.equal(pValueOf(criticityOf(0.0016)).toFixed(12), (0.0016).toFixed(12));
});

t.test('false discovery: as the definition says, with 1 for the others', async () => {
  const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
  const rates = fc.double({ min: 0.001, max: 0.5, noNaN: true });
  fc.assert(
    fc.property(values, fc.nat(30), rates, (pValues, others, rate) => {
      const all = [...pValues, ...new Array<number>(others).fill(1)];
      const atMost = (p: number): number => all.filter(other => other <= p).length;
      const discovered = all.filter(p => p <= (atMost(p) * rate) / all.length);
      const expected = discovered.length > 0 ? Math.max(...discovered) : null;
      return discoveredUpTo(pValues, all.length, rate) === expected;
    }),
  );
});

const rate = 0.1;
const changes: readonly ((value: number, hour: number) => number)[] = [
  value => 0.6 * value,
  (value, hour) => (hour >= 9 && hour < 17 ? 0.5 * value : value),
  (value, hour) => (hour >= 9 ? 1.6 * value : value),
];

/** P-values of the alerts of a source whose ordinary days are exchangeable, and whether each day has a fault. */
const checkedDays = (seed: number, isFaulty: (index: number) => boolean) => {
  const days = madeDays({ count: 364 + 196, slices: 24, seed });
  const recent = days.slice(364).map((day, index): Day => {
    const change = changes[index % changes.length];
    return isFaulty(index) && change ? { ...day, activity: day.activity.map(change) } : day;
  });
  const setting = { modelCount: 3, coverage: null, calendar: null, seed: 1 };
  return trial(days.slice(0, 364), recent, setting).days.map(({ finding }, index) => ({
    isFaulty: isFaulty(index),
    p: finding?.limits ? pValueOf(finding.criticity) : null,
  }));
};

const discovered = (days: ReturnType<typeof checkedDays>) => {
  const upTo = discoveredUpTo(
    days.flatMap(({ p }) => p ?? []),
    days.length,
    rate,
  );
  return days.filter(({ p }) => p !== null && upTo !== null && p <= upTo);
};

slowTest('false discovery: of six sources of exchangeable days, some with faults', async t => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const ordinary = seeds.flatMap(seed => checkedDays(seed, () => false));
  t.ok(ordinary.filter(({ p }) => p !== null).length > 5, 'there are false alerts');
  t.strictSame(discovered(ordinary), [], 'and no discovery without a fault');
  const faulty = seeds.flatMap(seed => checkedDays(seed, index => index % 19 === seed));
  const found = discovered(faulty);
  const wrong = found.filter(({ isFaulty }) => !isFaulty).length;
  t.ok(wrong <= rate * found.length, `${wrong} of ${found.length}`);
  t.ok(2 * (found.length - wrong) > faulty.filter(({ isFaulty }) => isFaulty).length / 2, `${found.length}`);
});
