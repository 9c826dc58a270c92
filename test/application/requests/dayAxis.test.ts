import t from 'tap';
import { axisOf } from '../../../application/requests/dayDetails.js';

t.test('the axis of a source has room around its models, and 0 unless they are far from it', async t => {
  const axis = (...profiles: readonly (readonly number[])[]) =>
    axisOf(profiles.map(activity => ({ activity })));
  t.equal(axis(), null);
  t.strictSame(axis([0, 100]), { low: 0, high: 115 });
  t.strictSame(axis([40, 60], [80, 100]), { low: 0, high: 115 });
  t.strictSame(axis([60, 100]), { low: 45, high: 115 });
  t.strictSame(axis([-100, 100]), { low: -130, high: 130 });
});
