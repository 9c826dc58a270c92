import fc from '../../helpers/property.js';
import t from 'tap';
import { jsonChunks, keepJson } from '../../../adapters/http/answers/jsonAnswer.js';

const seed = 20_261_122;
t.comment(`seed ${seed}`);

/** All chunks of a value. */
const chunksOf = async (value: unknown): Promise<string[]> => {
  const chunks: string[] = [];
  for await (const chunk of jsonChunks(value)) chunks.push(chunk);
  return chunks;
};

/** A list whose elements are made when they are taken. */
async function* taken<Element>(list: readonly Element[]): AsyncGenerator<Element> {
  yield* list;
}

t.test('the chunks of any answer are its JSON, byte for byte', async t => {
  const field = fc.oneof(
    fc.jsonValue(),
    fc.constant(undefined),
    fc.double(),
    fc.date({ noInvalidDate: true }),
  );
  const answer = fc.oneof(
    field,
    fc.dictionary(fc.string(), fc.oneof(field, fc.array(field), fc.dictionary(fc.string(), field))),
  );
  await fc.assert(
    fc.asyncProperty(answer, async value => {
      t.equal((await chunksOf(value)).join(''), JSON.stringify(value) ?? 'null');
    }),
    { seed, numRuns: 300 },
  );
});

t.test('an object whose JSON is kept has the same JSON each time, and changes as others do', async t => {
  const source = keepJson({ name: 'Hall', names: { fr: 'Salle' }, counts: [1, 2] });
  const french = async (value: unknown) => {
    const chunks: string[] = [];
    const change = (one: unknown) => (one === source ? { name: 'Salle' } : one);
    for await (const chunk of jsonChunks(value, change)) chunks.push(chunk);
    return chunks.join('');
  };
  for (const round of ['first', 'second']) {
    const list = taken([source, { name: 'Gate' }]);
    const text = (await chunksOf({ sources: list })).join('');
    t.equal(text, JSON.stringify({ sources: [source, { name: 'Gate' }] }), round);
    t.equal(await french([source]), '[{"name":"Salle"}]');
  }
});

t.test('a list that is made when it is written is the same JSON as the list', async t => {
  const lists = fc.dictionary(fc.string(), fc.array(fc.jsonValue()));
  await fc.assert(
    fc.asyncProperty(lists, async value => {
      const made = Object.fromEntries(Object.entries(value).map(([name, list]) => [name, taken(list)]));
      t.equal((await chunksOf(made)).join(''), JSON.stringify({ ...value }));
    }),
    { seed, numRuns: 100 },
  );
});

t.test('chunks of large lists end between elements', async t => {
  const days = Array.from({ length: 400 }, (_, n) => ({
    date: `day ${n}`,
    activity: Array<number>(144).fill(n / 7),
  }));
  const value = { sourceId: 1, days };
  const pieces = await chunksOf(value);
  t.strictSame((await chunksOf({ sourceId: 1, days: taken(days) })).join(''), pieces.join(''));
  t.equal(pieces.join(''), JSON.stringify(value));
  t.ok(pieces.length > 5, `${pieces.length} pieces`);
  t.ok(
    pieces.slice(0, -1).every(piece => piece.endsWith('}') && piece.length < 100_000),
    'each ends with an element',
  );
});
