import { createHash } from 'node:crypto';
import fc from '../helpers/property.js';
import t from 'tap';
import {
  lookUp,
  emptyKeyed,
  onDate,
  put,
  putAllOn,
  putOn,
  withKey,
  type ByDate,
  type Keyed,
} from '../../domain/keyed.js';

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

/** Records of a map by date, down to those of months. */
const recordsOf = (map: object, depth = 3): object[] =>
  depth === 0 ? [map] : [map, ...Object.values(map).flatMap(below => recordsOf(below as object, depth - 1))];

t.test('map by date: a change in 9,999 years copies some hundred entries', async t => {
  const dates = Array.from({ length: 9999 }, (_, year) => `${String(year + 1).padStart(4, '0')}-02-01`);
  const all = putAllOn<number>(
    {},
    dates.map((date, year) => [date, year]),
  );
  const changed = putOn(all, '2024-02-01', -1);
  t.equal(onDate(all, '2024-02-01'), 2023, 'the map before is as it was');
  t.equal(onDate(changed, '2024-02-01'), -1);
  const before = new Set(recordsOf(all));
  const copied = recordsOf(changed).filter(record => !before.has(record));
  t.equal(copied.length, 4);
  const entries = copied.reduce((sum, record) => sum + Object.keys(record).length, 0);
  t.ok(entries < 300, `${entries} entries`);
});

t.test('map by date: many dates at once copy a year once, and are as one after the other', async t => {
  const dates = Array.from({ length: 366 }, (_, day) =>
    new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10),
  );
  const one = putOn<number>({}, '2024-03-01', 1);
  const values = dates.map((date, at) => [date, at] as const);
  const oneByOne = values.reduce<ByDate<number>>((map, [date, at]) => putOn(map, date, at), one);
  const together = putAllOn(one, values);
  t.strictSame(together, oneByOne);
  t.equal(onDate(one, '2024-03-01'), 1, 'the map before is as it was');
  t.equal(recordsOf(together).length, 3 + 12);
});

t.test('recent keys: the last 256, in their order', async t => {
  const all = Array.from({ length: 600 }, (_, n) => `key ${n}`);
  t.strictSame(all.reduce<readonly string[]>(withKey, []), all.slice(-256));
  t.strictSame(['a', 'b'].reduce<readonly string[]>(withKey, []), ['a', 'b']);
});
