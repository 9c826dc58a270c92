import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { lookUp, nothingKeyed, put, type Keyed } from '../../domain/keyed.js';

/** Made like the ids of events, of which parts and dates may follow. */
const keys = fc
  .tuple(fc.uuid(), fc.constantFrom('', '/1', '/12', '/2024-01-01'))
  .map(([id, rest]) => id + rest);

t.test('returns the last value of each key, and nothing else', async t => {
  const holds = fc.property(fc.array(fc.tuple(keys, fc.nat())), keys, (puts, other) => {
    const expected = new Map<string, number>();
    let keyed: Keyed<number> = nothingKeyed;
    for (const [key, value] of puts) {
      const before = keyed;
      const there = lookUp(before, key);
      keyed = put(keyed, key, value);
      expected.set(key, value);
      // Whoever holds the map as it was sees it as it was.
      if (lookUp(before, key) !== there) return false;
    }
    return (
      [...expected].every(([key, value]) => lookUp(keyed, key) === value) &&
      (expected.has(other) || lookUp(keyed, other) === undefined)
    );
  });
  t.doesNotThrow(() => fc.assert(holds));
});

t.test('of 30,000 keys a put copies less than 100', async t => {
  let keyed: Keyed<true> = nothingKeyed;
  for (let count = 0; count < 30_000; count += 1)
    keyed = put(keyed, createHash('sha1').update(String(count)).digest('hex'), true);
  const [inFirst = []] = keyed;
  const [inSecond = []] = inFirst;
  const [bucket = new Map<string, true>()] = inSecond;
  t.ok([...bucket.keys()].every(key => key.startsWith('000')));
  const copied = keyed.length + inFirst.length + inSecond.length + bucket.size;
  t.ok(copied < 100, `${copied} entries`);
});
