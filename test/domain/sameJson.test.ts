import t from 'tap';
import { isSameJson } from '../../domain/sameJson.js';
import fc from '../helpers/property.js';

t.test('two values are the same in any order of their fields, at each depth', async t => {
  t.ok(isSameJson({ a: 1, b: { c: [2], d: null } }, { b: { d: null, c: [2] }, a: 1 }));
  for (const other of [{ a: 1 }, { a: 1, b: 2, c: 3 }, { a: 1, b: null }, { a: 2, b: 1 }, [1, 2], null, 1])
    t.notOk(isSameJson({ a: 1, b: 2 }, other), JSON.stringify(other));
  t.notOk(isSameJson([1, 2], [2, 1]), 'lists have an order');
  t.notOk(isSameJson({ a: null }, { a: {} }));
});

t.test('a copy is the same, and one with another value is not', async t => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), given => {
      const copy = Object.fromEntries(Object.entries(given).reverse());
      t.ok(isSameJson(given, copy));
      const [key = ''] = Object.keys(given);
      t.notOk(isSameJson(given, { ...copy, [key]: [given[key]] }));
    }),
  );
});
