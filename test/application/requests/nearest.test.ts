import t from 'tap';
import { distance, expectedNames, nearest } from '../../../domain/text.js';

t.test(
  'distance: insertions, deletions, replacements and exchanges, the same in both directions',
  async t => {
    for (const [a, b, wanted] of [
      ['', '', 0],
      ['', 'abc', 3],
      ['abc', 'abc', 0],
      ['kitten', 'sitting', 3],
      ['flaw', 'lawn', 2],
      ['ab', 'ba', 1],
      ['abcd', 'badc', 2],
      ['ca', 'abc', 3],
    ] as const)
      t.strictSame([distance(a, b), distance(b, a)], [wanted, wanted], `${a} and ${b}`);
  },
);

t.test('nearest: the most similar name', async t => {
  const names = ['AlertRaised', 'AlertResolved', 'DaysImported'];
  for (const [text, name] of [
    ['AlertRaise', 'AlertRaised'],
    ['alertresolved', 'AlertResolved'],
    ['DayImported', 'DaysImported'],
    ['AlertReised', 'AlertRaised'],
    ['', undefined],
    ['SourceCreated', undefined],
    ['x'.repeat(10_000), undefined],
  ] as const)
    t.equal(nearest(text, names), name, text.slice(0, 20));
  t.equal(nearest('a', []), undefined);
  const streams = (count: number) => Array.from({ length: count }, (_, n) => `alerts-${1000 + n}`);
  t.equal(nearest('alert-1007', streams(300)), 'alerts-1007');
  t.equal(nearest('alert-1007', streams(301)), undefined, 'too many to compare');
  const long = streams(301).map(name => `${name}-of-another-length`);
  t.equal(
    nearest('alert-1007', [...long, ...streams(9)]),
    'alerts-1007',
    'names of another length do not count',
  );
  t.strictSame(
    ['frm', 'ma', 'frr', 'oldset'].map(text => nearest(text, ['from', 'map', 'oldest'])),
    ['from', undefined, undefined, 'oldest'],
    'a short name with one difference, a text that is too short, two differences in three, an exchange',
  );
});

t.test('nearest: text of the expected names', async t => {
  t.equal(expectedNames('AlertRaise', ['AlertRaised'], 'a type'), 'expected a type, perhaps AlertRaised');
  t.equal(expectedNames('?', ['a1', 'b2'], 'a type'), 'expected a type: a1, b2');
  t.equal(expectedNames('x', [], 'a source'), 'expected a source: there is none');
  const many = Array.from({ length: 23 }, (_, n) => `name-${n}`);
  t.match(expectedNames('?', many, 'a name'), /: name-0, .*, name-19, and 3 more$/);
});
