import t from 'tap';
import { alertRange } from '../../../analysis/learning/limits/calibrate.js';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { madeDays } from '../../helpers/data/madeDays.js';

t.test('range of false alerts: 5 and 95 % of counts whose rate varies between sources', async t => {
  // A mean of 4: stop = 1/2, so P(0) = 1/16, P(1) = 4/32 and P(n + 1) = P(n) (n + 4) / (n + 1) / 2.
  t.strictSame(alertRange(4, 340, false), { low: 0, high: 9 });
  t.strictSame(alertRange(0, 340, false), { low: 0, high: 0 });
  t.strictSame(alertRange(6.7, 340, false), { low: 1, high: 15 });
  t.equal(alertRange(6.7, 99, false), null, 'few held-out days');
  t.equal(alertRange(6.7, 340, true), null, 'a guarded source');
});

t.test('range of false alerts: nine of ten sources of a simulation are in it', async t => {
  const random = seededRandom(7);
  const exponential = (): number => -Math.log(1 - random());
  for (const mean of [3, 6.7, 20]) {
    const { low, high } = alertRange(mean, 340, false) ?? { low: 0, high: 0 };
    const sources = 4000;
    let within = 0;
    for (let source = 0; source < sources; source += 1) {
      // Gamma of shape 4 as a sum of exponentials, then the events of a Poisson process in a year.
      const rate = (mean / 4) * (exponential() + exponential() + exponential() + exponential());
      let count = 0;
      for (let at = exponential(); at < rate; at += exponential()) count += 1;
      if (count >= low && count <= high) within += 1;
    }
    t.ok(within >= 0.89 * sources && within <= 0.97 * sources, `${within} of ${sources} at ${mean}`);
  }
});

t.test('range of false alerts: stated with default limits, from engine 9 on', async t => {
  const days = madeDays({ count: 140, slices: 8, seed: 2 });
  const boundsOf = (coverage: number | null, engine = 'daybook-calendar/9') =>
    typicalDays(days, { modelCount: 2, coverage, calendar: null, seed: 1, engine }).bounds;
  const { falseAlertsPerYear, falseAlertsRange } = boundsOf(null);
  // The stated number is rounded to a tenth.
  t.strictSame(falseAlertsRange, alertRange(falseAlertsPerYear ?? 0, 140, false));
  t.notOk('falseAlertsRange' in boundsOf(0.95), 'a target coverage was not measured');
  t.notOk('falseAlertsRange' in boundsOf(null, 'daybook-calendar/8'));
});
