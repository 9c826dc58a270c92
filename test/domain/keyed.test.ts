import { createHash } from 'node:crypto';
import fc from '../helpers/property.js';
import t from 'tap';
import { lookUp, emptyKeyed, put, withKey, type Keyed } from '../../domain/keyed.js';

/** Keys in the format of event ids: a UUID, optionally followed by a part number or a date. */
const keys = fc
  .tuple(fc.uuid(), fc.constantFrom('', '/1', '/12', '/2024-01-01'))
  .map(([id, rest]) => id + rest);

t.test('keyed map: a lookup returns the last value of its key', async t => {
  const lookups = fc.property(fc.array(fc.tuple(keys, fc.nat())), keys, (puts, other) => {
    const expected = new Map<string, number>();
    let keyed: Keyed<number> = emptyKeyed;
    for (const [key, value] of puts) {
      const before = keyed;
      const found = lookUp(before, key);
      keyed = put(keyed, key, value);
      expected.set(key, value);
      // A put does not change earlier versions of the map.
      if (lookUp(before, key) !== found) return false;
    }
    return (
      [...expected].every(([key, value]) => lookUp(keyed, key) === value) &&
      (expected.has(other) || lookUp(keyed, other) === undefined)
    );
  });
  t.doesNotThrow(() => fc.assert(lookups));
});

t.test('keyed map: a put into 30,000 keys copies fewer than 100 entries', async t => {
  let keyed: Keyed<true> = emptyKeyed;
  for (let count = 0; count < 30_000; count += 1)
    keyed = put(keyed, createHash('sha1').update(String(count)).digest('hex'), true);
  const [inFirst = []] = keyed;
  const [inSecond = []] = inFirst;
  const [bucket = new Map<string, true>()] = inSecond;
  t.ok([...bucket.keys()].every(key => key.startsWith('000')));
  const copied = keyed.length + inFirst.length + inSecond.length + bucket.size;
  t.ok(copied < 100, `${copied} entries`);
});

t.test('recent keys: the last 256, in their order', async t => {
  const all = Array.from({ length: 600 }, (_, n) => `key ${n}`);
  t.strictSame(all.reduce<readonly string[]>(withKey, []), all.slice(-256));
  t.strictSame(['a', 'b'].reduce<readonly string[]>(withKey, []), ['a', 'b']);
});
