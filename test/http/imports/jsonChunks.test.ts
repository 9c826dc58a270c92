import fc from 'fast-check';
import t from 'tap';
import { jsonChunks } from '../../../adapters/http/answers/jsonChunks.js';

const seed = 20_261_122;
t.comment(`seed ${seed}`);

t.test('the chunks of any answer are its JSON, byte for byte', t => {
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
  fc.assert(
    fc.property(answer, value => {
      t.equal([...jsonChunks(value)].join(''), JSON.stringify(value) ?? 'null');
    }),
    { seed, numRuns: 300 },
  );
  t.end();
});

t.test('chunks of large lists end between elements', t => {
  const days = Array.from({ length: 400 }, (_, n) => ({
    date: `day ${n}`,
    activity: Array<number>(144).fill(n / 7),
  }));
  const value = { sourceId: 1, days };
  const pieces = [...jsonChunks(value)];
  t.equal(pieces.join(''), JSON.stringify(value));
  t.ok(pieces.length > 5, `${pieces.length} pieces`);
  t.ok(
    pieces.slice(0, -1).every(piece => piece.endsWith('}') && piece.length < 100_000),
    'each ends with an element',
  );
  t.end();
});
