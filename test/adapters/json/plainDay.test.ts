import fc from '../../helpers/property.js';
import t from 'tap';
import { readPlainDay } from '../../../adapters/json/arrayScanner.js';

const readText = (text: string) => readPlainDay(Buffer.from(text));
/** Result of JSON.parse; undefined for invalid JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
/** Equality of all bits: 0 is not −0. */
const same = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((value, index) => Object.is(value, other[index]))
    : one === other;

const numbers = fc.oneof(
  fc.integer({ min: -1000, max: 100_000 }).map(String),
  fc
    .double({ min: -1e6, max: 1e6, noNaN: true })
    .map(value => (Object.is(value, -0) ? '-0' : JSON.stringify(value))),
  fc.tuple(fc.integer(), fc.nat(99)).map(([whole, part]) => `${whole}.${String(part).padStart(2, '0')}`),
  fc.constantFrom(
    '0',
    '-0',
    '0.0',
    '-0.5',
    '9007199254740993',
    '123456789.123456789123456789',
    '1e3',
    '007',
    '1.',
  ),
);
const spaces = fc.constantFrom('', '', '', ' ', '\n  ', '\t', '\r\n');
const days = fc
  .tuple(fc.array(numbers, { minLength: 1, maxLength: 12 }), fc.array(spaces, { minLength: 3, maxLength: 3 }))
  .map(
    ([activity, [a = '', b = '', c = '']]) =>
      `{${a}"date"${b}:${c}"2024-02-29"${a},${b}"activity":${c}[${a}${activity.join(`${b},${c}`)}${a}]${b}}`,
  );
const odd = [
  '"',
  '}',
  ']',
  '[',
  '{',
  ',',
  ':',
  '.',
  '-',
  '+',
  '0',
  '7',
  'e1',
  ' ',
  '\n',
  '\0',
  'null',
  'é',
  '\u00a0',
];
const edited = fc
  .tuple(days, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...odd, '')), { maxLength: 2 }))
  .map(([day, edits]) =>
    edits.reduce((text, [place, count, put]) => {
      const at = place % text.length;
      return text.slice(0, at) + put + text.slice(at + count);
    }, day),
  );

t.test('plain day: days read from bytes equal the result of JSON.parse', async t => {
  let count = 0;
  let broken = 0;
  fc.assert(
    fc.property(edited, text => {
      const day = readText(text);
      const value = parsed(text) as Record<string, unknown> | undefined;
      if (value === undefined) broken += 1;
      if (day === undefined) return true;
      count += 1;
      return (
        value !== undefined &&
        Object.keys(value).join() === 'date,activity' &&
        same(value['date'], day.date) &&
        same(value['activity'], day.activity)
      );
    }),
    { seed: 13, numRuns: 30_000 },
  );
  t.ok(Math.min(count, broken) > 1000, `${count} are read, ${broken} are invalid JSON`);
});

t.test('plain day: usual output of clients is read', async t => {
  const activity = [0, 1.5, -2, 32.497123651904873, 1e-6, 12345.678];
  const day = { date: '2024-02-29', activity };
  for (const space of [undefined, 1, '\t']) t.same(readText(JSON.stringify(day, null, space)), day);
  t.same(
    readText('{"date": "2024-02-29", "activity": [0, 1.5]}'),
    { ...day, activity: [0, 1.5] },
    'format of Python',
  );
});

t.test('plain day: other texts are not read', async t => {
  for (const text of [
    '{"date":"2024-02-29","activity":[]}',
    '{"date":"2024-02-29","activity":[1,]}',
    '{"date":"2024-02-29","activity":[01]}',
    '{"date":"2024-02-29","activity":[1e3]}',
    '{"date":"2024-02-29","activity":[null]}',
    '{"date":"2024-02-29","activity":[[1]]}',
    '{"date":"2024-02-29","activity":[1],"x":1}',
    '{"date":"2024-02-29","activity":[1]',
    '{"date":"2024-02-29","activity":[1',
    '{"date":"2024-02-29","activity":[1}',
    '{"date":"\\u0032","activity":[1]}',
    '{"activity":[1],"date":"2024-02-29"}',
    '{"date":"2024-02-29","date":"2024-02-29","activity":[1]}',
    '{"date":20240229,"activity":[1]}',
    '{}',
    '{',
  ])
    t.equal(readText(text), undefined, text);
});
