import fc from 'fast-check';
import t from 'tap';
import { lru } from '../../domain/lru.js';

t.test('it keeps what was used last, as a list in the order of use does', async t => {
  const operation = fc.record({ kind: fc.constantFrom('get', 'set', 'delete'), key: fc.nat(6) });
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(operation, { maxLength: 60 }),
        (max, operations) => {
          const cache = lru<number, number>(max);
          let used: [number, number][] = [];
          for (const [value, { kind, key }] of operations.entries()) {
            const known = used.find(entry => entry[0] === key);
            const others = used.filter(entry => entry[0] !== key);
            if (kind === 'set') {
              cache.set(key, value);
              used = [...others, [key, value] as [number, number]].slice(-max);
            } else if (kind === 'delete') {
              cache.delete(key);
              used = others;
            } else {
              if (cache.get(key) !== known?.[1]) return false;
              if (known) used = [...others, known];
            }
          }
          return true;
        },
      ),
    ),
  );
});
