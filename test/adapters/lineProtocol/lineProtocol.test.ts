import fc from '../../helpers/property.js';
import t from 'tap';
import { collectLines, linesLimits, type Precision } from '../../../adapters/lineProtocol/collectLines.js';
import { lineLengthMax } from '../../../adapters/lineProtocol/splitLines.js';
import { exactList } from '../../helpers/exactList.js';
import { amount } from '../../helpers/amount.js';

// Line protocol as writers send it: what is read, which lines are rejected, and why.

const nowMs = Date.parse('2024-03-06T12:00:00Z');

/** The points of a body that comes in chunks of a size: measurement, tags, field, time, value; and the rejected lines. */
const readBody = async (text: string, precision: Precision = 'ns', chunkBytes = 65_536) => {
  const bytes = Buffer.from(text);
  const chunks = async function* () {
    for (let from = 0; from < bytes.length; from += chunkBytes)
      yield await Promise.resolve(bytes.subarray(from, from + chunkBytes));
  };
  const { series, rejected } = await collectLines(chunks(), { precision, nowMs });
  const points = series.flatMap(({ measurement, tags, field, at, values }) =>
    at.map((one, index) => [measurement, Object.fromEntries(tags), field, one, values[index]]),
  );
  return { points, count: rejected.count(), rejected: rejected.first() };
};

t.test('all field types, stamps of all precisions, and lines without one', async t => {
  const { points, rejected } = await readBody(
    [
      'energy,room=hall value=12.5,count=12i,total=18446744073709551615u,on=true,name="a b" 1709720000123456789',
      'energy,room=hall value=-1.5e-3 1709720001000000000',
      'energy value=.5,other=3. ',
      'energy off=F,note="x"',
    ].join('\n'),
  );
  t.strictSame(rejected, []);
  t.strictSame(points, [
    ['energy', { room: 'hall' }, 'value', 1_709_720_000_123_456, 12.5],
    ['energy', { room: 'hall' }, 'value', 1_709_720_001_000_000, -0.0015],
    ['energy', { room: 'hall' }, 'count', 1_709_720_000_123_456, 12],
    ['energy', { room: 'hall' }, 'total', 1_709_720_000_123_456, 18_446_744_073_709_552_000],
    ['energy', {}, 'value', nowMs * 1000, 0.5],
    ['energy', {}, 'other', nowMs * 1000, 3],
  ]);
  const stamps: readonly (readonly [Precision, string, number])[] = [
    ['us', '1709720000123456', 1_709_720_000_123_456],
    ['ms', '1709720000123', 1_709_720_000_123_000],
    ['s', '1709720000', 1_709_720_000_000_000],
    ['m', '28495333', 1_709_719_980_000_000],
    ['h', '474922', 1_709_719_200_000_000],
  ];
  for (const [precision, stamp, at] of stamps)
    t.strictSame((await readBody(`m f=1 ${stamp}`, precision)).points, [['m', {}, 'f', at, 1]], precision);
});

t.test('escapes, quotes with line breaks, comments, blank lines and CRLF', async t => {
  const body = [
    '# a comment with a quote f="',
    '',
    '  ',
    String.raw`my\ room\,a,tag\ one=v\=1\,2,path=C:\temp fie\ ld=1,text="a \"b\" \\",last=2 1709720000000000000`,
    'm text="first',
    '# second, f=3',
    '",f=4 1709720000000000000',
    'broken',
    ' m f=5 1709720001000000000 ',
  ].join('\r\n');
  const expected = {
    points: [
      ['my room,a', { path: String.raw`C:\temp`, 'tag one': 'v=1,2' }, 'fie ld', 1_709_720_000_000_000, 1],
      ['my room,a', { path: String.raw`C:\temp`, 'tag one': 'v=1,2' }, 'last', 1_709_720_000_000_000, 2],
      ['m', {}, 'f', 1_709_720_000_000_000, 4],
      ['m', {}, 'f', 1_709_720_001_000_000, 5],
    ],
    count: 1,
    rejected: [{ line: 8, reason: "unable to parse 'broken': missing fields" }],
  };
  t.strictSame(await readBody(body), expected);
  for (const chunkBytes of [1, 2, 3, 7])
    t.strictSame(await readBody(body, 'ns', chunkBytes), expected, `${chunkBytes} bytes at once`);
});

t.test('a line that breaks a rule is rejected with its number, and the others are read', async t => {
  const wrong: readonly (readonly [line: string, reason: RegExp])[] = [
    ['m', /missing fields$/],
    [',a=b f=1', /missing measurement$/],
    ['m,a f=1', /missing tag value$/],
    ['m,=b f=1', /missing tag key$/],
    ['m,a= f=1', /missing tag value$/],
    ['m,a=b=c f=1', /invalid tag format$/],
    ['m,a=b,a=c f=1', /duplicate tags$/],
    ['m f', /missing field value$/],
    ['m f=', /missing field value$/],
    ['m =1', /missing field key$/],
    ['m f=1,', /missing field key$/],
    ['m f=1x', /invalid field value$/],
    ['m f=NaN', /invalid field value$/],
    ['m f=1.5i', /invalid field value$/],
    ['m f=-1u', /invalid field value$/],
    ['m f=9223372036854775808i', /more than 64 bits$/],
    ['m f=18446744073709551616u', /more than 64 bits$/],
    ['m f=1e400', /too large$/],
    ['m f=1e200', /a magnitude of at most 1e\+100$/],
    ['m f="a', /unbalanced quotes$/],
    ['m f="a"b', /invalid field value$/],
    ['m f=1 now', /bad timestamp$/],
    ['m f=1 1709720000', /before 1971 with the precision ns: give the precision/],
    [`m f=1 ${'9'.repeat(19)}`, /time outside range with the precision ns$/],
  ];
  for (const [line, reason] of wrong) {
    const { points, rejected } = await readBody(`m f=1 1709720000000000000\n${line}`);
    t.match(rejected, exactList({ line: 2, reason }), line);
    t.equal(points.length, 1, 'the other line is read');
  }
  const many = await readBody('m\n'.repeat(30));
  t.equal(many.count, 30);
  t.equal(many.rejected.length, 20, 'the first reasons are kept');
});

t.test('lines, tags, fields, series and bytes are bounded', async t => {
  const tags = Array.from({ length: 65 }, (_, index) => `,t${index}=v`).join('');
  const fields = Array.from({ length: 1001 }, (_, index) => `f${index}=1`).join(',');
  const long = `m f="${'x'.repeat(lineLengthMax)}"`;
  const { points, rejected } = await readBody([`m${tags} f=1`, `m ${fields}`, long, 'm f=1'].join('\n'));
  t.equal(points.length, 1);
  t.match(
    rejected,
    exactList(
      { line: 1, reason: /64 tags/ },
      { line: 2, reason: /1000 fields/ },
      { line: 3, reason: /65536/ },
    ),
  );
  const open = await readBody(`m f="${'x\n'.repeat(lineLengthMax)}\nm f=2`);
  t.match(open.rejected[0], { line: 1 }, 'a text without its end is one line up to the limit');
  t.equal(open.points.length, 1, 'and the lines after it are read');
  const series = Array.from({ length: linesLimits.seriesMax + 2 }, (_, index) => `m,t=${index} f=1`);
  t.equal((await readBody(series.join('\n'))).count, 2);
  await t.rejects(readBody(`#${'x'.repeat(linesLimits.bytesMax)}`), { name: 'TooLarge' });
});

/** Escapes a name as writers do. */
const escaped = (name: string): string => name.replaceAll(/[, =]/g, String.raw`\$&`);

/** Names that line protocol can express: no line break, no backslash at the end, no space at the ends. */
const name = fc
  .string({ unit: fc.constantFrom(...'ab ,="\\é#', '語'), minLength: 1, maxLength: 8 })
  .filter(text => !text.endsWith('\\') && !text.startsWith('#') && text.trim() === text);

const anyPoint = fc.record({
  measurement: name,
  tags: fc.dictionary(name, name, { maxKeys: 4 }),
  field: name,
  value: fc.double({ noNaN: true, min: -1e100, max: 1e100 }).map(value => value + 0),
  text: fc.string({ unit: fc.constantFrom(...'ab ,="\\é\n'), maxLength: 8 }),
  at: fc.integer({ min: 1e15, max: 4e15 }),
});

t.test('any points are read as they were written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyPoint, { maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      async (points, chunkBytes) => {
        const lines = points.map(({ measurement, tags, field, value, text, at }) => {
          const key = [
            escaped(measurement),
            ...Object.entries(tags).map(([key, one]) => `${escaped(key)}=${escaped(one)}`),
          ].join(',');
          const quoted = text.replaceAll(/["\\]/g, String.raw`\$&`);
          return `${key} ${escaped(field)}=${value},a_text="${quoted}" ${at}000`;
        });
        const { series, rejected } = await collectLines(
          (async function* () {
            const bytes = Buffer.from(lines.join('\n'));
            for (let from = 0; from < bytes.length; from += chunkBytes)
              yield await Promise.resolve(bytes.subarray(from, from + chunkBytes));
          })(),
          { precision: 'ns', nowMs },
        );
        const found = series.flatMap(one =>
          one.at.map((at, index) => ({ ...one, at, value: one.values[index], line: one.lines[index] })),
        );
        found.sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
        const texts = (all: readonly object[]) => all.map(one => JSON.stringify(one));
        const sorted = (tags: Readonly<Record<string, string>>) =>
          Object.entries(tags).sort(([one], [other]) => (one < other ? -1 : 1));
        const want = texts(
          points.map(one => [one.measurement, sorted(one.tags), one.field, one.at, one.value]),
        );
        const got = texts(found.map(one => [one.measurement, one.tags, one.field, one.at, one.value]));
        if (rejected.count() > 0 || want.join() !== got.join())
          throw new Error(`${JSON.stringify(rejected.first())}\n${want.join()}\n${got.join()}`);
      },
    ),
    { numRuns: amount({ quick: 300, slow: 5000 }) },
  );
});
