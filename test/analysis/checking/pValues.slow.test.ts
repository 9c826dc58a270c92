import t from 'tap';
import { pValueOf } from '../../../analysis/checking/checkLimits.js';
import { trial } from '../../../analysis/tuning/trial.js';
import { madeDays } from '../../helpers/data/madeDays.js';

t.test('p-values: one of a hundred exchangeable days has at most 0.01', async t => {
  const sources = 12;
  const recent = 365;
  const values = Array.from({ length: sources }, (_, seed) => {
    const days = madeDays({ count: 365 + recent, slices: 12, seed });
    const setting = { modelCount: 3, coverage: null, calendar: null, seed: 1 };
    return trial(days.slice(0, 365), days.slice(365), setting).days.flatMap(({ finding }) =>
      finding?.limits ? pValueOf(finding.criticity) : [],
    );
  }).flat();
  const share = values.filter(p => p <= 0.01).length / (sources * recent);
  t.comment(`${(100 * share).toFixed(2)} % of ${sources * recent} days`);
  // Two standard errors of 4,380 days at 1 % are 0.3 %; conformal p-values have 0.66 % here.
  t.ok(share > 0.007 && share < 0.013, `${share}`);
});
