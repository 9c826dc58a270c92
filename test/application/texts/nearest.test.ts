import t from 'tap';
import { expectedNames, nearest } from '../../../application/texts/nearest.js';

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
});

t.test('nearest: text of the expected names', async t => {
  t.equal(expectedNames('AlertRaise', ['AlertRaised'], 'a type'), 'expected a type, perhaps AlertRaised');
  t.equal(expectedNames('?', ['a1', 'b2'], 'a type'), 'expected a type: a1, b2');
  t.equal(expectedNames('x', [], 'a source'), 'expected a source: there is none');
  const many = Array.from({ length: 23 }, (_, n) => `name-${n}`);
  t.match(expectedNames('?', many, 'a name'), /: name-0, .*, name-19, and 3 more$/);
});
