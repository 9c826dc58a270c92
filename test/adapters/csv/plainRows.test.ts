import { deepStrictEqual } from 'node:assert';
import { CsvError, parse } from 'csv-parse/sync';
import fc from '../../helpers/property.js';
import t from 'tap';
import { parseTimestamp, parseValue } from '../../../adapters/csv/fields.js';
import { plainRowReader } from '../../../adapters/csv/plainRows.js';
import { defaultForm } from '../../../adapters/csv/csvForm.js';
import { checkReadings, plainFormOf } from '../../../adapters/csv/readings.js';
import { csvLimits, readRows, type CsvLimits, type RowTaker } from '../../../adapters/csv/rows.js';
import type { InputFault } from '../../../application/requests/imports/faults.js';
import { warningList } from '../../../application/requests/imports/importWarnings.js';
import type { DayKind } from '../../../domain/days.js';

const plain = plainFormOf(defaultForm, 'utc') ?? { separator: 0, decimal: 0, timeMark: 0, utcLetter: 0 };

/** All results of reading a body. */
const outcomeOf = async (kind: DayKind, read: (taker: RowTaker) => Promise<InputFault | undefined>) => {
  const faults: InputFault[] = [];
  const warnings = warningList();
  const points: (readonly [number, number])[] = [];
  const readings = checkReadings({ kind }, faults, warnings, (times, values) => {
    for (const [index, at] of times.entries()) points.push([at, values[index] ?? Infinity]);
  });
  const broken = await read(readings);
  // Readings before a fault are optional: the answer does not contain them.
  const kept = faults.length > 0 ? [] : points;
  return { faults, broken: broken ?? null, warnings: warnings.all(), points: kept, ...readings.state() };
};

/** A body in chunks of these sizes, in a cycle. */
async function* cut(body: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let from = 0, index = 0; from < body.length; index += 1) {
    const size = sizes[index % sizes.length] ?? body.length;
    yield body.subarray(from, from + size);
    from += size;
  }
}

/** Reads with the reader of the service. */
const ours =
  (body: Buffer, sizes: readonly number[], limits: CsvLimits = csvLimits) =>
  (taker: RowTaker) =>
    readRows(cut(body, sizes), limits, taker);

/** Reads the whole body with csv-parse; only line numbers are counted here. */
const byReference =
  (body: Buffer) =>
  async (taker: RowTaker): Promise<InputFault | undefined> => {
    // csv-parse would accept the byte order mark of UTF-16, which the service refuses.
    if (body[0] === 0xff) return ours(body, [body.length])(taker);
    let line = 1;
    let reading = true;
    try {
      parse(body, {
        delimiter: ';',
        record_delimiter: ['\r\n', '\n'],
        bom: true,
        relax_column_count: true,
        on_record: (record: unknown) => {
          const fields = record as readonly string[];
          if (reading) reading = taker.onRow(fields, line);
          if (reading) line += fields.join('\n').split('\n').length - fields.length + 1;
          return null;
        },
      });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      const closed = error.code !== 'CSV_QUOTE_NOT_CLOSED';
      if (reading)
        return {
          code: closed ? 'bareQuote' : 'quoteNotClosed',
          detail: closed
            ? 'got a quote inside a field, expected it doubled in a quoted field'
            : 'a quote opened in this row is never closed',
          line,
          column: Number(error['column']) + 1,
        };
    }
    return undefined;
  };

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const plainValue = fc
  .tuple(fc.constantFrom('', '-'), digits(9), fc.option(fc.oneof(digits(6), digits(20))))
  .map(([sign, whole, part]) => sign + whole + (part === null ? '' : `,${part}`));
/** Rows in the default format, in time order with some exceptions. */
const rowParts = fc.record({
  step: fc.oneof(
    { weight: 60, arbitrary: fc.integer({ min: 1, max: 100 }) },
    fc.constantFrom(0, 0, -1, 600, 3600, 86_400, 400 * 86_400),
  ),
  value: fc.oneof(
    { weight: 40, arbitrary: plainValue },
    { weight: 20, arbitrary: fc.constantFrom('1', '1,0', '2') },
    { weight: 1, arbitrary: fc.integer({ min: 40, max: 60 }).map(length => 'x'.repeat(length)) },
    fc.constantFrom(
      '',
      '-',
      '1.5',
      '1 234,5',
      '\u22125',
      'x',
      ',5',
      '5,',
      '1,2,3',
      '123456789012345,6',
      'x'.repeat(70),
      '"'.repeat(70),
      '0'.repeat(60),
      '5\n'.repeat(40),
    ),
  ),
  quotes: fc.tuple(fc.constantFrom('', '"'), fc.constantFrom('', '"')),
  zed: fc.constantFrom('', '', '', 'Z'),
  end: fc.oneof({ weight: 60, arbitrary: fc.constantFrom('\n', '\n', '\n', '\r\n') }, fc.constant('\n\n')),
});
const rows = fc
  .tuple(fc.integer({ min: -3e9, max: 9e9 }), fc.array(rowParts, { minLength: 1, maxLength: 25 }))
  .map(([first, parts]) => {
    let at = first;
    return parts.map(({ step, value, quotes: [one, two], zed, end }) => {
      at += step;
      const time = new Date(at * 1000).toISOString().slice(0, 19);
      return `${one}${time}${zed}${one};${two}${value}${two}${end}`;
    });
  });
const header = fc.constantFrom(
  '',
  '',
  'date;value\n',
  '"date";"value"\r\n',
  '\ufeff"a\nb";c\n',
  '\ufeff',
  '\n',
);
/** Replacements and insertions for single bytes. */
const oddities = [
  '"',
  ';',
  ',',
  '.',
  '-',
  ' ',
  '\r',
  '\n',
  '\0',
  'T',
  'Z',
  ':',
  '3',
  '9',
  'é',
  '\ufeff',
  '\u00a0',
];
const edit = fc.record({
  place: fc.nat(),
  taken: fc.nat(2),
  put: fc.oneof(
    fc.constantFrom(...oddities, '').map(text => Buffer.from(text)),
    fc.constant(Buffer.from([0xff])),
  ),
});
/** Files with this header, with some changed bytes and optionally without the last line break. */
const filesWith = (first: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(first, rows, fc.array(edit, { maxLength: 3 }), fc.boolean())
    .map(([begun, lines, edits, whole]) => {
      const text = begun + lines.join('');
      return edits.reduce(
        (bytes, { place, taken, put }) => {
          const at = place % bytes.length;
          return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + taken)]);
        },
        Buffer.from(whole ? text : text.trimEnd()),
      );
    });
const files = filesWith(header);
const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 200 })), {
  minLength: 1,
  maxLength: 5,
});
const kinds = fc.constantFrom<DayKind>('reference', 'recent');

t.test('plain rows: rows read from bytes equal those of csv-parse and the field parsers', async t => {
  const read = plainRowReader(plain);
  let readRowCount = 0;
  fc.assert(
    fc.property(filesWith(fc.constant('')), body => {
      const { times, values, count, end } = read(body);
      readRowCount += count;
      const records = parse(body.subarray(0, end), { delimiter: ';', record_delimiter: ['\r\n', '\n'] });
      const expected = (records as unknown as string[][]).map(([time = '', value = '']) => [
        parseTimestamp(time),
        parseValue(value),
      ]);
      const got = Array.from({ length: count }, (_, index) => [times[index], values[index]]);
      return (
        got.length === expected.length &&
        got.every((pair, row) => pair.every((number, column) => Object.is(number, expected[row]?.[column])))
      );
    }),
    { seed: 7, numRuns: 2000 },
  );
  t.ok(readRowCount > 2000, `${readRowCount} rows are read`);
});

t.test('plain rows: all plain rows are read, and no others', async t => {
  let read = plainRowReader(plain);
  const count = (text: string): number => read(Buffer.from(text, 'latin1')).count;
  for (const row of [
    '2023-01-01T00:00:00;1\n',
    '2023-01-01T23:59:59Z;-12,5\r\n',
    '"2023-01-01T00:00:00";"1,25"\n',
    '"2024-02-29T00:00:00Z";0,0\n',
    '0001-01-01T00:00:00;"123456789012,345"\n',
    '9998-12-31T00:00:00;\n',
    '2023-01-01T00:00:00;""\r\n',
    '2023-01-01T00:00:00;123456789012345,6\n',
    '2023-01-01T00:00:00;1234567890123456\n',
    '"2023-01-01T00:00:00Z";"-0,00012345678901234567"\r\n',
    '"2023-01-01T00:00:00Z";"-00000000000000000,0000000000000000000001"\r\n',
  ]) {
    t.equal(count(row), 1, row);
    t.equal(count(row + row), 2, 'a second time');
    t.equal(count(row.trimEnd()), 0, 'without a line break');
  }
  const good = '2023-01-01T00:00:00;1\n';
  for (const row of [
    '2023-02-29T00:00:00;1\n',
    '0000-01-01T00:00:00;1\n',
    '9999-01-01T00:00:00;1\n',
    '2023-13-01T00:00:00;1\n',
    '2023-01-01T24:00:00;1\n',
    '2023-01-01T00:60:00;1\n',
    '2023-01-01T00:00:60;1\n',
    '2023-01-01T00:0a:00;1\n',
    '2023-01-01T00:00:0a;1\n',
    '2023-01-01 00:00:00;1\n',
    '2023-01-01T00.00:00;1\n',
    '2023-01-01T00:00.00;1\n',
    '2023/01-01T00:00:00;1\n',
    '2023-01/01T00:00:00;1\n',
    '2023-01-01T00:00:00z;1\n',
    '2023-01-01T00:00:00,1\n',
    '"2023-01-01T00:00:00;1\n',
    '2023-01-01T00:00:00";1\n',
    '2023-01-01T00:00:00;"1\n',
    '2023-01-01T00:00:00;1"\n',
    '2023-01-01T00:00:00;1\r\r\n',
    '2023-01-01T00:00:00;1 \n',
    '2023-01-01T00:00:00;-\n',
    '2023-01-01T00:00:00;-,5\n',
    '2023-01-01T00:00:00;5,\n',
    '2023-01-01T00:00:00;1.5\n',
    '2023-01-01T00:00:00;1 234\n',
    '2023-01-01T00:00:00;1;\n',
    '2023-01-01T00:00:00;12345678901234567890\n',
    `2023-01-01T00:00:00;${'0'.repeat(5000)}1\n`,
    '2023-01-01T00:00:00;0,12345678901234567890123\n',
    '2023-01-01T00:00:00;9007199254740993\n',
    `${'\0'.repeat(16)}:00;1\n`,
    `${'\xff'.repeat(16)}:00;1\n`,
    '\n',
  ]) {
    read = plainRowReader(plain);
    t.equal(count(row), 0, JSON.stringify(row));
    t.equal(count(good + row + good), 1, 'after a plain row');
    t.equal(count(row + row), 0, 'a second time');
  }
});

t.test('plain rows: valid and invalid files give the results of csv-parse, in any chunks', async t => {
  let good = 0;
  let bad = 0;
  await fc.assert(
    fc.asyncProperty(kinds, files, cuts, async (kind, body, sizes) => {
      const expected = await outcomeOf(kind, byReference(body));
      if (expected.faults.length > 0 || expected.broken) bad += 1;
      else good += 1;
      deepStrictEqual(await outcomeOf(kind, ours(body, sizes)), expected);
    }),
    { seed: 8, numRuns: 3000 },
  );
  t.ok(Math.min(good, bad) > 500, `${good} good files, ${bad} bad ones`);
});

// A plain row has at most 67 bytes.
t.test('plain rows: the size limit of a row does not depend on chunks', async t => {
  let tooLong = 0;
  await fc.assert(
    fc.asyncProperty(files, cuts, fc.integer({ min: 68, max: 80 }), async (body, sizes, lineBytesMax) => {
      const limits = { ...csvLimits, lineBytesMax };
      const whole = await outcomeOf('recent', ours(body, [body.length], limits));
      if (whole.broken?.code === 'lineTooLong') tooLong += 1;
      deepStrictEqual(await outcomeOf('recent', ours(body, sizes, limits)), whole);
    }),
    { seed: 9, numRuns: 2000 },
  );
  t.ok(tooLong > 30, `${tooLong} rows were too long`);
});
