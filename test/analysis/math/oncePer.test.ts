import t from 'tap';
import { lastPer, oncePer } from '../../../analysis/math/oncePer.js';

t.test('oncePer: computed once for each object, also when objects are equal', async t => {
  const asked: string[] = [];
  const lengths = oncePer((key: { readonly name: string }) => {
    asked.push(key.name);
    return { length: key.name.length };
  });
  const [first, equal] = [{ name: 'pool' }, { name: 'pool' }];
  t.strictSame(lengths(first), { length: 4 });
  t.equal(lengths(first), lengths(first));
  t.not(lengths(equal), lengths(first));
  t.strictSame(asked, ['pool', 'pool']);
});

t.test('lastPer: kept for the last second value, the same by a rule when there is one', async t => {
  const asked: string[] = [];
  const compute = (key: readonly number[], factor: { readonly by: number }, note = 'none') => {
    asked.push(`${factor.by} ${note}`);
    return key.map(value => value * factor.by);
  };
  const key = [1, 2];
  const kept = lastPer(compute);
  const twice = { by: 2 };
  t.strictSame(kept(key, twice, 'first'), [2, 4]);
  t.equal(kept(key, twice), kept(key, twice));
  t.strictSame(kept(key, { by: 3 }), [3, 6]);
  t.strictSame(kept(key, twice), [2, 4]);
  t.strictSame(asked.splice(0), ['2 first', '3 none', '2 none']);
  const alike = lastPer(compute, (a, b) => a.by === b.by);
  t.equal(alike(key, { by: 4 }), alike(key, { by: 4 }));
  t.strictSame(asked, ['4 none']);
});
