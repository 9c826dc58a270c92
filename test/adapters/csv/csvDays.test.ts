import fc from '../../helpers/property.js';
import { PassThrough, Readable } from 'node:stream';
import t from 'tap';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { readCsvDays } from '../../../adapters/csv/csvBody.js';
import { parseTimestamp, parseValue } from '../../../adapters/csv/fields.js';
import { csvLimits, readRows, type RowTaker } from '../../../adapters/csv/rows.js';
import type { InvalidInput, InputFault } from '../../../application/requests/imports/faults.js';
import { type DayRule, type ImportedDays } from '../../../application/requests/imports/assembleDays.js';
import { chunksOf } from '../../../adapters/bytes.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { parts, readPart, seriesFacts, seriesNames } from '../../../bench/quality/dataFolder.js';
import { realSeriesFolder } from '../../helpers/data/realSeries.js';
import { bodyOf, refusal } from '../../helpers/documents/bodies.js';

const recent: DayRule = {
  kind: 'recent',
  activitySize: 4,
  aggregation: 'mean',
  interpolationMethod: 'zero',
};
const reference: DayRule = { ...recent, kind: 'reference' };
const linear: DayRule = { ...recent, interpolationMethod: 'linear' };

const read = (text: string | Buffer, rule = recent, limits = csvLimits) =>
  readCsvDays(bodyOf(Buffer.from(text), 65_536), rule, limits);

/** Reads every row with csv-parse, none with the fast path. */
const byReference = (onRow: RowTaker['onRow']): RowTaker => ({
  separator: ';',
  plain: undefined,
  onRow,
  onPlainRows: () => 0,
});

/** Faults as `line:column code`. */
const places = (faults: readonly InputFault[]): string[] =>
  faults.map(({ line, column, code }) => `${line ?? ''}:${column ?? ''} ${code}`);
const faultsOf = async (text: string | Buffer, rule = recent): Promise<string[]> =>
  places((await refusal(read(text, rule))).faults);

/** One row every `hours`, for `days` days from 1 January 2023, all with value 1. */
const steady = (days: number, hours: number, first = '2023-01-01'): string => {
  const start = Date.parse(`${first}T00:00:00Z`);
  return Array.from(
    { length: (days * 24) / hours },
    (_, index) => `${new Date(start + index * hours * 3_600_000).toISOString().slice(0, 19)};1\n`,
  ).join('');
};

t.test('CSV: days of a small file, worked example', async t => {
  const text = [
    'when;what',
    '2023-03-01T00:00:00;1',
    '2023-03-01T05:59:59;2,5',
    '"2023-03-01T06:00:00Z";"-1 000,5"',
    '2023-03-01T12:00:00;',
    '2023-03-03T18:00:00;\u22127',
    '2023-03-03T18:00:00;-7,0',
    '',
    '',
  ].join('\r\n');
  const answer = await read(text);
  t.strictSame(answer, {
    days: [
      {
        date: '2023-03-01',
        activity: [1.75, -1000.5, 0, 0],
        gaps: [[2, 4]],
        filled: [],
      },
      { date: '2023-03-03', activity: [0, 0, 0, -7], gaps: [[0, 3]], filled: [] },
    ],
    activitySize: 4,
    summary: {
      lines: 6,
      days: 2,
      missingSamples: 5,
      filledSamples: 0,
      duplicates: 1,
      warnings: [
        {
          code: 'duplicate',
          detail: 'line 7 repeats line 6, 2023-03-03T18:00:00, with the same value: counted once',
        },
        { code: 'daysMissing', detail: '1 of the 3 dates 2023-03-01 to 2023-03-03 are missing' },
      ],
      notes: [],
    },
    referenceYear: 2023,
  });
  const sums = await read(text, { ...recent, aggregation: 'sum' });
  t.strictSame(
    sums.days[0]?.activity,
    [3.5, -1000.5, 0, 0],
    'CSV: aggregation sum adds the values of a slice',
  );
});

t.test('CSV: linear interpolation, also across midnight and missing days', async t => {
  // Slices 1 and 2 of the 1st, slice 1 of the 3rd (8 slices on): 10, 20, then 20 + 4 × k.
  const text = '2023-03-01T06:00:00;10\n2023-03-01T12:00:00;20\n2023-03-03T06:00:00;48\n';
  const { days, summary } = await read(text, linear);
  t.strictSame(days, [
    {
      date: '2023-03-01',
      activity: [10, 10, 20, 24],
      gaps: [],
      filled: [
        [0, 1],
        [3, 4],
      ],
    },
    {
      date: '2023-03-03',
      activity: [44, 48, 48, 48],
      gaps: [],
      filled: [
        [0, 1],
        [2, 4],
      ],
    },
  ]);
  t.match(summary, { missingSamples: 5, filledSamples: 5 });

  const inside = await read('2023-03-01T00:00:00;0\n2023-03-01T18:00:00;3\n', linear);
  t.strictSame(inside.days[0], { date: '2023-03-01', activity: [0, 1, 2, 3], gaps: [], filled: [[1, 3]] });

  const long = await read('2023-03-01T18:00:00;0\n2023-03-02T00:00:00;\n2023-03-03T00:00:00;5\n', linear);
  t.strictSame(
    long.days.map(({ activity }) => activity),
    [
      [0, 0, 0, 0],
      [1, 2, 3, 4],
      [5, 5, 5, 5],
    ],
    'a day of empty values exists and is filled completely',
  );

  const none = await read('2023-03-01T18:00:00;\n', linear);
  t.strictSame(none.days[0], { date: '2023-03-01', activity: [0, 0, 0, 0], gaps: [[0, 4]], filled: [] });
  t.equal(none.summary.filledSamples, 0);
});

t.test('CSV: activitySize from the step of the file', async t => {
  const unknown: DayRule = { ...reference, activitySize: undefined };
  for (const [hours, size] of [
    [6, 4],
    [1, 24],
    [0.5, 48],
    [0.25, 48],
    [1 / 6, 144],
    [1 / 60, 144],
  ] as const)
    t.equal((await read(steady(14, hours), unknown)).activitySize, size, `a row every ${hours} hours`);
  const known = await read(steady(14, 1), { ...reference, activitySize: 8 });
  t.equal(known.activitySize, 8, 'a given activitySize is kept');

  // Every 3 hours except for a burst: the median step counts, not the smallest.
  const burst = steady(14, 3).replace('2023-01-03T03', '2023-01-03T00:00:07;9\n2023-01-03T03');
  const answer = await read(burst, unknown);
  t.equal(answer.activitySize, 8);
  t.equal(answer.days[2]?.activity[0], 5, 'mean of 1 and 9');
});

t.test('a reading every 7 to 13 minutes', async t => {
  const random = seededRandom(1);
  const start = Date.parse('2023-01-01T00:00:00Z');
  const rows: string[] = [];
  for (let at = 0; at < 20 * 86_400; at += 420 + Math.floor(361 * random()))
    rows.push(`${new Date(start + 1000 * at).toISOString().slice(0, 19)};1\n`);
  const chosen = await read(rows.join(''), { ...reference, activitySize: undefined });
  t.equal(chosen.activitySize, 72, 'each slice of 20 minutes has a reading');
  t.equal(chosen.summary.missingSamples, 0);
  const asked = await read(rows.join(''), { ...reference, activitySize: 144 });
  t.ok(asked.summary.missingSamples > 100, 'some slices of ten minutes have no reading');
  t.equal(asked.days.filter(({ gaps }) => gaps.length === 0).length, 0, 'no day is complete');
  const sums = { ...reference, activitySize: undefined, aggregation: 'sum' } as const;
  t.ok(
    (await read(rows.join(''), sums)).activitySize <= 12,
    'CSV: sums need a similar number of readings in each slice',
  );
});

t.test('fields', async t => {
  for (const [text, value] of [
    ['0', 0],
    ['-0', 0],
    ['-0,0', 0],
    ['12,5', 12.5],
    ['-12,5', -12.5],
    ['\u221212,5', -12.5],
    ['007', 7],
    ['0,1', 0.1],
    ['123456789012345678', 123456789012345678],
    ['0,30000000000000004', 0.30000000000000004],
    ['1 234', 1234],
    ['1\u00a0234\u202f567,25', 1234567.25],
    ['-12 345', -12345],
    ['', NaN],
  ] as const)
    t.ok(Object.is(parseValue(text), value), `"${text}" is ${value}`);
  for (const [text, fault] of [
    ['12.5', 'decimalPoint'],
    ['1.234,5', 'decimalPoint'],
    ['1 234.5', 'decimalPoint'],
    ['.5', 'decimalPoint'],
    ['12 34', 'valueGroups'],
    ['1234 567', 'valueGroups'],
    ['1 234 56', 'valueGroups'],
    ['1  234', 'valueGroups'],
    ['1,234 567', 'valueGroups'],
    ['1,2,3', 'valueFormat'],
    ['5,', 'valueFormat'],
    [',5', 'valueFormat'],
    ['-', 'valueFormat'],
    ['--5', 'valueFormat'],
    ['+5', 'valueFormat'],
    [' 5', 'valueFormat'],
    ['1e5', 'valueFormat'],
    ['1,5e3', 'valueFormat'],
    ['NaN', 'valueFormat'],
    ['Infinity', 'valueFormat'],
    ['1\u2009234', 'valueFormat'],
    ['1\ufffd234', 'notUtf8'],
    ['9'.repeat(400), 'valueTooLarge'],
    [`1${'0'.repeat(101)}`, 'valueTooLarge'],
  ] as const)
    t.equal(parseValue(text), fault, `"${text.slice(0, 20)}" is refused`);
  t.equal(parseValue(`1${'0'.repeat(100)}`), 1e100);

  for (const [text, seconds] of [
    ['1970-01-01T00:00:00', 0],
    ['1970-01-02T00:00:01Z', 86_401],
    ['2024-02-29T23:59:59', Date.UTC(2024, 1, 29, 23, 59, 59) / 1000],
    ['1969-12-31T23:59:59', -1],
    ['1970-01-01T02:00:00+02:00', 0],
    ['1969-12-31T19:00:00-0500', 0],
    ['1970-01-01T05:45:00+05:45', 0],
    ['1969-12-31T22:00:00\u221202', 0],
    ['1970-01-01T00:00:01.000Z', 1],
    ['1970-01-01T00:00:01,25', 1.25],
    ['1970-01-01T02:00:00.5+02', 0.5],
  ] as const)
    t.equal(parseTimestamp(text), seconds, text);
  for (const [text, fault] of [
    ['2023-02-29T00:00:00', 'timestampCalendar'],
    ['2023-13-01T00:00:00', 'timestampCalendar'],
    ['0000-01-01T00:00:00', 'timestampCalendar'],
    ['2023-01-01T24:00:00', 'timestampCalendar'],
    ['2023-01-01T00:60:00', 'timestampCalendar'],
    ['2023-01-01T23:59:60Z', 'timestampCalendar'],
    ['2023-01-01T00:00:00+24:00', 'timestampOffset'],
    ['2023-01-01T00:00:00-0560', 'timestampOffset'],
    ['2023-01-01T00:00:00 +02:00', 'timestampFormat'],
    ['2023-01-01T00:00:00+2', 'timestampFormat'],
    ['2023-01-01T00:00:00.Z', 'timestampFormat'],
    ['2023-01-01T00:00:00.1234567890', 'timestampFormat'],
    ['2023-01-01T00:00:00Europe/Paris', 'timestampFormat'],
    ['2023-01-01 00:00:00', 'timestampFormat'],
    ['2023-01-01T00:00:00z', 'timestampFormat'],
    ['2023-01-01T00:00', 'timestampFormat'],
    ['2023-01-01', 'timestampFormat'],
    ['01/02/2023 00:00', 'timestampFormat'],
    ['2023-01-01T0a:00:00', 'timestampFormat'],
    ['', 'timestampFormat'],
    ['2023-01-01T00:00:0\ufffd', 'notUtf8'],
  ] as const)
    t.equal(parseTimestamp(text), fault, `"${text}" is refused`);

  // The fast path and the pattern give the same double as JavaScript.
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(22), fc.boolean(), (integer, decimals, negative) => {
      const digits = String(integer).padStart(decimals + 1, '0');
      const whole = digits.slice(0, digits.length - decimals);
      const text = (negative ? '-' : '') + whole + (decimals ? `,${digits.slice(-decimals)}` : '');
      return Object.is(parseValue(text), Number(text.replace(',', '.')) + 0);
    }),
    { seed: 7 },
  );
});

t.test('CSV: faults have line, column, code and value', async t => {
  const { code, faults, message } = await refusal(
    read(
      'a;b\n2023-01-01T00:00:00;1.5\nnever;2\n2023-01-01T01:00:00+31:00;3\n2023-01-01T02:00:00\n' +
        '2023-01-01T03:00:00;3;4\n2023-02-30T00:00:00;x\n2023-01-01T04:00:00;5\n',
    ),
  );
  t.equal(code, 'csvInvalid');
  t.match(message, '7 faults');
  t.strictSame(places(faults), [
    '2:2 decimalPoint',
    '3:1 timestampFormat',
    '4:1 timestampOffset',
    '5:2 columnCount',
    '6:2 columnCount',
    '7:1 timestampCalendar',
    '7:2 valueFormat',
  ]);
  t.strictSame(faults[0], {
    code: 'decimalPoint',
    detail:
      'got "1.5", expected a comma as decimal mark, as 1234,5, and no point. Send it with decimal=., or write it ' +
      'from pandas with df.to_csv("days.csv", sep=";", decimal=",", date_format="%Y-%m-%dT%H:%M:%S", ' +
      'index=False, encoding="utf-8")',
    line: 2,
    column: 2,
    value: '1.5',
  });
  t.equal(faults[4]?.value, '2023-01-01T03:00:00;3;4');
  const long = await refusal(read(`2023-01-01T00:00:00;${'x'.repeat(3000)}\n`));
  t.equal(long.faults[0]?.value?.length, 81, 'a value is cut');
});

t.test('CSV: order of rows', async t => {
  const { faults } = await refusal(
    read(
      '2023-01-01T00:00:00;1\n2023-01-01T03:00:00;2\n2023-01-01T02:00:00;3\n2023-01-01T02:30:00;3\n' +
        '2023-01-01T02:30:00;4\n',
    ),
  );
  t.strictSame(places(faults), ['3:1 timeGoesBack', '5:2 conflictingValue'], 'one fault where it goes back');
  t.match(faults[0]?.detail, /^line 3, 2023-01-01T02:00:00, comes before line 2, 2023-01-01T03:00:00/);
  t.match(faults[1]?.detail, /^line 5 has the time of line 4, 2023-01-01T02:30:00/);

  const row = '2023-01-01T00:00:00;';
  t.strictSame(await faultsOf(`${row}\n${row}0\n`), ['2:2 conflictingValue'], 'nothing is not 0');
  t.equal((await read(`${row}\n${row}\n`)).summary.duplicates, 1, 'nothing twice is a repetition');
  t.strictSame(await faultsOf(`${row}x\n${row}1\n`), ['1:2 valueFormat'], 'a bad value conflicts with none');
  const often = await read(`${row}5\n`.repeat(150));
  t.equal(often.summary.lines, 150);
  t.equal(often.summary.duplicates, 149);
  t.equal(often.summary.warnings.length, 101);
  t.strictSame(often.summary.warnings[100], {
    code: 'moreWarnings',
    detail: '49 more warnings like the last are not listed',
  });
  t.equal(often.days[0]?.activity[0], 5, 'a repeated point counts once');
});

t.test('CSV: header, blank lines, line ends, quotes, byte order mark', async t => {
  const row = '2023-01-01T00:00:00;1\n';
  for (const text of [
    row,
    row.trim(),
    `\ufeff${row}`,
    `date;value\n${row}`,
    `\ufeff"da""te";"val\r\nue"\r\n${row}`,
    `;\n${row}`,
    `;valeur été\n${row}`,
    `${row}\n\n\n`,
    `${row}\r\n\r\n`,
    `"2023-01-01T00:00:00";"1"`,
    `2023-01-01T00:00:00;"1"\r\n`,
  ]) {
    const { days, summary } = await read(text);
    t.equal(days[0]?.activity[0], 1, JSON.stringify(text));
    t.equal(summary.lines, 1);
  }
  const bad = '2023-01-01T01:00:00;x\n';
  t.strictSame(await faultsOf(`"two\nlines";value\n${bad}`), ['3:2 valueFormat'], 'a header of two lines');
  t.strictSame(
    await faultsOf(`"2023-01-01\r\nT00:00:00";"\n\n"\r\n${bad}`),
    ['1:1 timestampFormat', '1:2 valueFormat', '5:2 valueFormat'],
    'line breaks in quotes count',
  );
  t.strictSame(await faultsOf(`${row}\n\n2023-01-01T01:00:00;1\n`), ['2: blankLine']);
  t.strictSame(await faultsOf(`\n${row}`), ['1: blankLine']);
  t.strictSame(await faultsOf(`date,value\n${row}`), ['1:2 columnCount']);
  t.strictSame(await faultsOf(`date;value;more\n${row}`), ['1:2 columnCount']);
  t.strictSame(await faultsOf(` ${row}`), ['1:1 timestampFormat'], 'no row is taken for a header by a space');
  t.strictSame(await faultsOf(`${row}date;value\n`), ['2:1 timestampFormat', '2:2 valueFormat']);
  t.strictSame(await faultsOf('2023-01-01T00:00:00;1\r2023-01-01T00:00:01;1'), ['1:2 columnCount']);
  for (const empty of ['', '\n', 'date;value\n', '\ufeff', 'date;value\r\n\r\n'])
    t.equal((await refusal(read(empty))).code, 'csvEmpty', JSON.stringify(empty));
});

t.test('CSV: text that is not UTF-8', async t => {
  const row = '2023-01-01T00:00:00;1';
  t.strictSame(await faultsOf(Buffer.from(`date;ann\u00e9e\n${row}`, 'latin1')), ['1:2 notUtf8']);
  t.strictSame(await faultsOf(Buffer.from(`${row}\u00a0234`, 'latin1')), ['1:2 notUtf8']);
  t.strictSame(await faultsOf(Buffer.from(`\ufeff${row}`, 'utf16le')), ['1:1 notUtf8']);
  t.strictSame(await faultsOf(Buffer.from([0xfe, 0xff, 0, 0x32])), ['1:1 notUtf8']);
  const unmarked = Buffer.from(`date;value\n${row}`, 'utf16le');
  for (const bytes of [unmarked, Buffer.from(unmarked).swap16()]) {
    const { faults } = await refusal(read(bytes));
    t.match(faults[0], { code: 'notUtf8', line: 1, detail: /Write it in UTF-8/ }, 'UTF-16 without a mark');
  }
});

t.test('CSV: unreadable rows end the list', async t => {
  const bad = 'x;y\n2023-01-01T00:00:00;x\n';
  t.strictSame(await faultsOf(`${bad}2023-01-01T0"1:00:00;1\n${bad}`), ['2:2 valueFormat', '3:1 bareQuote']);
  t.strictSame(await faultsOf(`${bad}2023-01-01T01:00:00;"1"2\n`), ['2:2 valueFormat', '3:2 bareQuote']);
  t.strictSame(await faultsOf(`${bad}2023-01-01T01:00:00;"1\n${'2;3\n'.repeat(50)}`), [
    '2:2 valueFormat',
    '3:2 quoteNotClosed',
  ]);
  t.strictSame(await faultsOf(`${bad}"${'2;3\n'.repeat(5000)}`), ['2:2 valueFormat', '3: lineTooLong']);
  for (const filler of ['x', ';', '"', '""', '\r', 'é'])
    t.strictSame(
      (await faultsOf(`${bad}${filler.repeat(100_000)}`)).map(place => place.split(' ')[0]).at(-1)?.[0],
      '3',
      `an endless line of ${JSON.stringify(filler)}`,
    );
  t.strictSame(await faultsOf(`${bad}2023-01-01T01:00:00;1${';'.repeat(4100)}\n`), [
    '2:2 valueFormat',
    '3: lineTooLong',
  ]);
  const headed = (length: number): string => `${'n'.repeat(length - 2)};m\n2023-01-01T01:00:00;1\n`;
  t.equal((await read(headed(4096))).days.length, 1, 'a long header is fine');
  t.strictSame(await faultsOf(headed(4097)), ['1: lineTooLong']);
});

t.test('CSV: an endless line is refused early', async t => {
  let chunks = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      chunks += 1;
      yield Buffer.alloc(1000, ';');
    }
  }
  t.strictSame(places((await refusal(readCsvDays(endless(), recent))).faults), ['1: lineTooLong']);
  t.ok(chunks <= 6, `${chunks} chunks of 1000 bytes`);
});

t.test('CSV: reading stops at the 100th fault; faults of one cause are listed once', async t => {
  let chunks = 0;
  async function* faulty(): AsyncGenerator<Buffer> {
    for (;;) {
      chunks += 1;
      yield Buffer.from('2023-01-01T00:00:00;x;\n'.repeat(30));
    }
  }
  const { faults, message } = await refusal(readCsvDays(faulty(), recent));
  t.equal(faults.length, 1);
  t.match(faults[0], { code: 'columnCount', line: 1, count: 100, detail: /; 100 times, lines 1, 2, 3, …$/ });
  t.match(message, '100 faults or more of one cause, reading stopped there');
  t.equal(chunks, 4);
});

t.test('CSV: reference data', async t => {
  const enough = await read(steady(14, 6), reference);
  t.equal(enough.days.length, 14);
  t.strictSame(enough.summary.warnings, [
    {
      code: 'lessThanAYear',
      detail: 'got 14 days (2023-01-01 to 2023-01-14), expected a year: seasons outside are not learned',
    },
  ]);
  const few = await refusal(read(steady(13, 6), reference));
  t.equal(few.code, 'referenceTooShort');
  t.match(
    few.message,
    /^got 13 days of 13 with at least 75 % of their 4 slices .*, expected at least 14: import a longer reference$/,
  );

  const quarter = steady(14, 6).replace('2023-01-05T06:00:00;1', '2023-01-05T06:00:00;');
  t.equal((await read(quarter, reference)).days.length, 14, 'three of four slices are enough');
  const gap = quarter.replace('2023-01-05T18:00:00;1', '2023-01-05T18:00:00;');
  t.match(
    (await refusal(read(gap, reference))).message,
    /^got 13 days of 14 .* at least 14: interpolationMethod=linear fills gaps between readings$/,
  );
  const fine = (await refusal(read(steady(14, 1), { ...reference, activitySize: 144 }))).message;
  t.match(fine, /^got 0 days of 14 .* 144 slices .*: with activitySize=24 there are 14; interpolationMethod/);
  t.equal(
    (await read(steady(14, 1), { ...reference, activitySize: 24 })).days.length,
    14,
    'the proposed parameter helps',
  );
  const filled = await read(gap, { ...reference, interpolationMethod: 'linear' });
  t.strictSame(filled.days[4]?.filled[0], [1, 2], 'filled slices count');
  const empty = gap.replaceAll(';1', ';');
  for (const interpolationMethod of ['linear', 'zero'] as const)
    t.match(
      (await refusal(read(empty, { ...reference, interpolationMethod }))).message,
      /^got 0 days of 14 with at least 75 % of their 4 slices observed, expected at least 14: all values are missing$/,
    );

  const year = steady(365, 6).replace(/2023-07-14T.*\n/g, '');
  t.strictSame((await read(year, reference)).summary.warnings, [
    { code: 'daysMissing', detail: '1 of the 365 dates 2023-01-01 to 2023-12-31 are missing' },
  ]);
  t.strictSame((await read(year, recent)).summary.warnings, [
    { code: 'daysMissing', detail: '1 of the 365 dates 2023-01-01 to 2023-12-31 are missing' },
  ]);
  t.equal((await read(steady(366, 6), reference)).days.length, 366);
  t.strictSame(await faultsOf(steady(367, 6), reference), [
    '1465:1 beyondYear',
    '1466:1 beyondYear',
    '1467:1 beyondYear',
    '1468:1 beyondYear',
  ]);
  const typo = steady(20, 6).replace('2023-01-05T06', '2203-01-05T06');
  t.strictSame(await faultsOf(typo, reference), ['18:1 beyondYear'], 'one wrong year is one fault');
  t.equal(
    (await read(steady(20, 6, '2023-12-25'), reference)).referenceYear,
    2023,
    'the year of its first day',
  );
  t.equal((await read(steady(367, 24))).days.length, 367, 'recent data may be longer');
});

t.test('CSV: recent data has at most 50,000 days', async t => {
  const first = dayNumber('1900-01-01');
  const days = (count: number): string =>
    Array.from({ length: count }, (_, index) => `${dateOf(first + index)}T00:00:00;1\n`).join('');
  t.equal((await read(days(50_000))).days.length, 50_000);
  t.strictSame(await faultsOf(days(50_002)), ['50001:1 tooManyDays']);
});

t.test('CSV: the size limit does not depend on Content-Length', async t => {
  const text = steady(14, 6);
  t.equal((await read(text, recent, { ...csvLimits, bytesMax: text.length })).days.length, 14);
  await t.rejects(read(text, recent, { ...csvLimits, bytesMax: text.length - 1 }), {
    name: 'TooLarge',
    limitBytes: text.length - 1,
  });
});

t.test('CSV: chunks do not change the answer', async t => {
  for (const text of [
    '\ufeff"da\r\nte";val\u00e9\r\n"2023-01-01T00:00:00";"1\u202f234,5"\r\n2023-01-01T06:00:00Z;\u22122\r\n\r\n',
    'a;b\n2023-01-01T00:00:00;1.5\n\n2023-01-01T01:00:00;"x\ny"\n2023-01-01T00:30:00;1;1\n2023-01-01T02:00:00;"1',
    'a;b\n2023-01-01T00:00:00;x\n2023-01-01T01:00:00;y\n2023-01-01T02:00:00;"1"2\n2023-01-01T02:00:00;3',
  ]) {
    const body = Buffer.from(text);
    const answer = (chunks: AsyncIterable<Buffer>) =>
      readCsvDays(chunks, recent).catch((error: InvalidInput) => ({ faults: error.faults }));
    const whole = await answer(bodyOf(body, body.length));
    for (let cut = 1; cut < body.length; cut += 1) {
      const halves = Readable.from([body.subarray(0, cut), body.subarray(cut)]);
      const got = await answer(halves);
      if (JSON.stringify(got) !== JSON.stringify(whole)) t.strictSame(got, whole, `cut at ${cut}`);
    }
    for (const size of [1, 2, 3, 7])
      t.strictSame(await answer(bodyOf(body, size)), whole, `chunks of ${size}`);
  }
});

t.test('CSV: all rows before a fault are read, also from one large chunk', async t => {
  const many = steady(200, 1);
  const lines: number[] = [];
  const broken = await readRows(
    bodyOf(Buffer.from(`${many}"1"2`), 1e9),
    csvLimits,
    byReference((_, line) => {
      lines.push(line);
      return true;
    }),
  );
  t.equal(broken?.line, 4801);
  t.equal(lines.length, 4800);
  t.equal(lines.at(-1), 4800);
});

t.test('CSV: errors of the stream and of row handlers reject', async t => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.from('2023-01-01T00:00:00;1\n');
    throw new Error('gone');
  }
  await t.rejects(readCsvDays(failing(), recent), { message: 'gone' });
  const cut = new PassThrough();
  cut.write('2023-01-01T00:00:00;1\n');
  const answer = readCsvDays(cut, recent);
  setImmediate(() => cut.destroy());
  await t.rejects(answer, { code: 'ERR_STREAM_PREMATURE_CLOSE' });
  const bug = byReference(() => {
    throw new RangeError('a bug');
  });
  await t.rejects(readRows(bodyOf(Buffer.from('1;2\n'), 9), csvLimits, bug), { message: 'a bug' });
  await t.rejects(readRows(bodyOf(Buffer.from('1;2'), 9), csvLimits, bug), { message: 'a bug' });
});

t.test('CSV: a refused stream stays open and is not read', async t => {
  const body = new Readable({ highWaterMark: 1024, read: () => undefined });
  body.push('date;value\nnever;"1"1\nand more\n');
  await refusal(readCsvDays(body, recent));
  t.equal(body.destroyed, false, 'the answer can still go out on its connection');
  t.equal(body.listenerCount('readable') + body.listenerCount('data'), 0);
  t.equal(body.push(Buffer.alloc(2000)), false, 'back-pressure holds');
});

t.test('CSV: large chunks yield to the event loop', async t => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  let chunks = 0;
  for await (const piece of chunksOf(bodyOf(Buffer.alloc(1_600_000), 1_600_000), 2e6)) {
    chunks += 1;
    t.ok(piece.length <= 65_536);
    for (const until = performance.now() + 3; performance.now() < until;);
  }
  clearInterval(timer);
  t.equal(chunks, 25);
  t.ok(turns > 3, 'a timer fired while one chunk was read');
});

t.test('CSV: generated days are read from all notations', async t => {
  const cents = fc.integer({ min: -1e9, max: 1e9 });
  const day = fc.record({
    date: fc.integer({ min: 19_000, max: 19_400 }),
    slices: fc.array(fc.option(cents), { minLength: 4, maxLength: 4 }),
  });
  const style = fc.record({
    end: fc.constantFrom('\n', '\r\n'),
    quotes: fc.boolean(),
    zed: fc.boolean(),
    minus: fc.constantFrom('-', '\u2212'),
    space: fc.constantFrom('', ' ', '\u00a0', '\u202f'),
    mark: fc.boolean(),
    header: fc.constantFrom('', 'date;value', '"Date (UTC)";"m\u00b3"'),
    blanks: fc.nat(2),
    size: fc.integer({ min: 1, max: 200 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(day, { selector: ({ date }) => date, minLength: 1, maxLength: 12 }),
      style,
      async (unordered, { end, quotes, zed, minus, space, mark, header, blanks, size }) => {
        const days = unordered.sort((a, b) => a.date - b.date);
        const spell = (value: number): string => {
          const [whole = '', part = ''] = (Math.abs(value) / 100).toFixed(2).split('.');
          return (value < 0 ? minus : '') + whole.replace(/\B(?=(\d{3})+$)/g, space) + `,${part}`;
        };
        const quoted = (text: string): string => (quotes ? `"${text}"` : text);
        const rows = days.flatMap(({ date, slices }) =>
          slices.map((value, slice) => {
            const time = `${dateOf(date)}T${String(slice * 6).padStart(2, '0')}:00:00${zed ? 'Z' : ''}`;
            return `${quoted(time)};${quoted(value === null ? '' : spell(value))}`;
          }),
        );
        const text =
          (mark ? '\ufeff' : '') + [...(header ? [header] : []), ...rows].join(end) + end.repeat(blanks);
        const answer: ImportedDays = await readCsvDays(bodyOf(Buffer.from(text), size), recent);
        t.strictSame(
          answer.days.map(({ date, activity, gaps }) => ({ date, activity, gaps })),
          days.map(({ date, slices }) => ({
            date: dateOf(date),
            activity: slices.map(value => (value ?? 0) / 100 + 0),
            gaps: slices
              .flatMap((value, slice) => (value === null ? [slice] : []))
              .reduce<[number, number][]>((runs, slice) => {
                const last = runs.at(-1);
                if (last?.[1] === slice) last[1] += 1;
                else runs.push([slice, slice + 1]);
                return runs;
              }, []),
          })),
        );
      },
    ),
    { seed: 11, numRuns: 60 },
  );
});

t.test('real series', async t => {
  const folder = realSeriesFolder();
  for (const name of seriesNames(folder)) {
    const facts = seriesFacts(folder, name) as {
      activitySize: DayRule['activitySize'];
      reference: { days: number; rows: number; emptyDays: number };
      recent: { days: number; rows: number; emptyDays: number };
    };
    for (const kind of parts) {
      const { days, rows, emptyDays } = facts[kind];
      const file = `${name}.${kind}`;
      const rule = {
        ...recent,
        kind,
        activitySize: kind === 'reference' ? undefined : facts.activitySize,
      };
      const answer = await readCsvDays(Readable.from([readPart(folder, name, kind)]), rule);
      t.equal(answer.summary.lines, rows, `${file}: rows`);
      t.equal(answer.days.length, days - emptyDays, `${file}: days that have a row`);
      t.equal(answer.activitySize, facts.activitySize, `${file}: activitySize`);
      t.equal(answer.summary.duplicates, 0);
      t.ok(answer.days.every(({ activity }) => activity.every(Number.isFinite)));
    }
  }
});

t.test('other work gets turns between the rows of a chunk', async t => {
  let turns = 0;
  let reading = true;
  const count = (): void => {
    turns += 1;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  let rows = 0;
  const taker = byReference(() => (rows += 1) > 0);
  await readRows(bodyOf(Buffer.from('1;\n'.repeat(300_000)), 65_536), csvLimits, taker);
  reading = false;
  t.equal(rows, 300_000);
  // Without turns between rows there is one for each of the 14 chunks.
  t.ok(turns > 20, `${turns} turns`);
});

t.test('a quoted field of more lines than are read in a turn is one row', async t => {
  const long = `"${'\n'.repeat(1500)}";1\n`;
  const read: string[] = [];
  const taker = byReference(({ length }, line) => read.push(`${line}: ${length}`) > 0);
  const body = `a;b\n${long}${'c;d\n'.repeat(2000)}${long}e;f`;
  const fault = await readRows(bodyOf(Buffer.from(body), 65_536), csvLimits, taker);
  t.equal(fault, undefined);
  t.equal(read.length, 2004);
  t.strictSame(read.slice(0, 3), ['1: 2', '2: 2', '1503: 2']);
  t.strictSame(read.slice(-3), ['3502: 2', '3503: 2', '5004: 2']);
});

t.test('a file may end with some blank lines, not with any number', async t => {
  const row = '2024-01-01T00:00:00;1\n2024-01-01T06:00:00;1\n';
  t.equal((await read(row + '\n'.repeat(9000))).days.length, 1);
  t.strictSame(await faultsOf(row + '\n'.repeat(20_000)), ['3: blankLine']);
});
