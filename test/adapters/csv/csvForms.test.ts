import fc from '../../helpers/property.js';
import t from 'tap';
import { readCsvDays, readCsvPoints } from '../../../adapters/csv/csvBody.js';
import {
  columnNameMax,
  defaultForm,
  type CsvForm,
  dateFormats,
  stampFormats,
  type DateFormat,
} from '../../../adapters/csv/csvForm.js';
import { csvRows, choicesQuery, formChoices } from '../../../adapters/csv/inspection/inspection.js';
import { parsePointValue } from '../../../adapters/csv/fields.js';
import { runSteps } from '../../../application/ports/sharing/turns.js';
import { inspectCsv, inspectionSteps } from '../../../adapters/csv/inspection/inspectCsv.js';
import { problemsOf } from '../../../adapters/csv/inspection/csvAdvice.js';
import type { CsvRule } from '../../../adapters/csv/readings.js';
import {
  conversionNote,
  samplingNote,
  stepWords,
} from '../../../application/requests/imports/importWarnings.js';
import { bodyOf, refusal } from '../../helpers/documents/bodies.js';
import { exactList } from '../../helpers/exactList.js';

const rule: CsvRule = {
  kind: 'recent',
  activitySize: 24,
  aggregation: 'mean',
  interpolationMethod: 'zero',
};
const read = (text: string | Buffer, form?: Partial<CsvForm>, more: Partial<CsvRule> = {}) =>
  readCsvDays(bodyOf(text), { ...rule, ...more, ...(form ? { form: { ...defaultForm, ...form } } : {}) });

const pad = (number: number): string => String(number).padStart(2, '0');
/** Text of a time in each format. */
const stampText: Readonly<Record<DateFormat, (at: Date) => string>> = {
  ISO: at => at.toISOString().slice(0, 19),
  'YYYY-MM-DD HH:mm:ss': at => at.toISOString().slice(0, 19).replace('T', ' '),
  'DD/MM/YYYY HH:mm': at =>
    `${pad(at.getUTCDate())}/${pad(at.getUTCMonth() + 1)}/${at.getUTCFullYear()} ` +
    `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`,
  'DD.MM.YYYY HH:mm': at =>
    `${pad(at.getUTCDate())}.${pad(at.getUTCMonth() + 1)}.${at.getUTCFullYear()} ` +
    `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`,
  epochSeconds: at => String(at.getTime() / 1000),
  epochMilliseconds: at => String(at.getTime()),
};

/** Format of a written file, and its rows. */
type Written = {
  readonly separator: CsvForm['separator'];
  readonly decimal: CsvForm['decimal'];
  readonly dateFormat: DateFormat;
  /** Names of the columns in order; `time` and `value` are among them. */
  readonly columns: readonly string[];
  readonly header: boolean;
  readonly quotes: boolean;
  readonly crlf: boolean;
  readonly minutes: number;
  readonly first: number;
  readonly values: readonly number[];
};

const textOf = (written: Written): string => {
  const { separator, decimal, dateFormat, columns, header, minutes, first, values } = written;
  const quote = (text: string): string =>
    written.quotes || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
  const line = (fields: readonly string[]): string => fields.map(quote).join(separator);
  const rows = values.map((value, index) =>
    line(
      columns.map(column => {
        if (column === 'time')
          return stampText[dateFormat](new Date((first * 1440 + index * minutes) * 60_000));
        if (column === 'value') return (value / 4).toFixed(2).replace('.', decimal);
        return column === 'room' ? 'hall' : `note ${index}`;
      }),
    ),
  );
  const newline = written.crlf ? '\r\n' : '\n';
  return [...(header ? [line(columns)] : []), ...rows, ''].join(newline);
};

const anyWritten: fc.Arbitrary<Written> = fc.record({
  separator: fc.constantFrom(';', ',', '\t', '|' as const),
  decimal: fc.constantFrom(',', '.'),
  dateFormat: fc.constantFrom(...dateFormats),
  columns: fc.constantFrom(
    ['time', 'value'],
    ['value', 'time'],
    ['room', 'time', 'value'],
    ['time', 'room', 'note', 'value'],
  ),
  header: fc.boolean(),
  quotes: fc.boolean(),
  crlf: fc.boolean(),
  minutes: fc.constantFrom(15, 30, 60),
  // From 1990 on.
  first: fc.integer({ min: 7305, max: 20_000 }),
  values: fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 30, maxLength: 120 }),
});

t.test('forms: the parameters of a written file are proposed, and read it', async () => {
  await fc.assert(
    fc.asyncProperty(anyWritten, async written => {
      const text = textOf(written);
      const seen = inspectCsv(Buffer.from(text), true);
      const form = { ...defaultForm, ...formChoices(seen) };
      const marked = written.values.some(value => value % 4 !== 0);
      if (form.separator !== written.separator || form.dateFormat !== written.dateFormat)
        throw new Error(`proposed ${choicesQuery(form)}`);
      if (marked && form.decimal !== written.decimal) throw new Error(`proposed decimal ${form.decimal}`);
      if ((seen.header !== null) !== written.header) throw new Error('the header');
      if (seen.rows !== written.values.length || seen.stepSeconds !== written.minutes * 60)
        throw new Error(`${seen.rows} rows every ${seen.stepSeconds} s`);
      const given = textOf({
        ...written,
        ...defaultForm,
        columns: ['time', 'value'],
        crlf: false,
        quotes: false,
      });
      const [ours, theirs] = [await read(text, form), await read(given)];
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) throw new Error('other days');
    }),
    { seed: 3, numRuns: 300 },
  );
});

t.test('forms: plain rows equal the rows of csv-parse', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyWritten,
      fc.constantFrom('ISO' as const, 'YYYY-MM-DD HH:mm:ss' as const),
      async (any, dateFormat) => {
        const written = { ...any, dateFormat, columns: ['time', 'value'] };
        const { separator, decimal } = written;
        const text = textOf(written);
        const form = { ...defaultForm, separator, decimal, dateFormat };
        // csv-parse reads columns given by number.
        const numbered = { ...form, dateColumn: '1', valueColumn: '2' };
        const [plain, parsed] = [await read(text, form), await read(text, numbered)];
        if (JSON.stringify(plain) !== JSON.stringify(parsed)) throw new Error('other days');
      },
    ),
    { seed: 3, numRuns: 200 },
  );
});

t.test('forms: a comma as separator and decimal mark is ambiguous', async t => {
  const text = 'time,value\n2023-01-01T00:00:00,1,5\n2023-01-01T01:00:00,2,5\n2023-01-01T02:00:00,3,5\n';
  const { faults } = await refusal(read(text, { separator: ',' }));
  t.match(faults, exactList({ code: 'columnCount', count: 3, line: 2 }));
  const bare = await refusal(read(text.slice(text.indexOf('\n') + 1), { separator: ',' }));
  t.match(bare.faults, exactList({ code: 'columnCount', count: 3, line: 1 }), 'also if all rows are plain');
  t.match(problemsOf(inspectCsv(Buffer.from(text), true)), exactList({ code: 'columnCount' }));
});

t.test('date formats', async t => {
  const at = (text: string): number => Date.parse(text) / 1000;
  for (const [format, text, expected] of [
    ['YYYY-MM-DD HH:mm:ss', '2023-05-01 12:30:00', at('2023-05-01T12:30:00Z')],
    ['YYYY-MM-DD HH:mm:ss', '2023-05-01 12:30', at('2023-05-01T12:30:00Z')],
    ['YYYY-MM-DD HH:mm:ss', '2023-05-01 12:30:00+02:00', at('2023-05-01T10:30:00Z')],
    ['YYYY-MM-DD HH:mm:ss', '2023-05-01 12:30:00.250Z', at('2023-05-01T12:30:00.250Z')],
    ['YYYY-MM-DD HH:mm:ss', '2023-05-01T12:30:00', 'timestampFormat'],
    ['YYYY-MM-DD HH:mm:ss', '2023-02-30 12:30:00', 'timestampCalendar'],
    ['DD/MM/YYYY HH:mm', '01/05/2023 12:30', at('2023-05-01T12:30:00Z')],
    ['DD/MM/YYYY HH:mm', '1/5/2023 8:05:09', at('2023-05-01T08:05:09Z')],
    ['DD/MM/YYYY HH:mm', '05/31/2023 12:30', 'timestampCalendar'],
    ['DD/MM/YYYY HH:mm', '2023-05-01 12:30', 'timestampFormat'],
    ['DD/MM/YYYY HH:mm', '01/05/2023', 'timestampFormat'],
    ['DD/MM/YYYY HH:mm', '01/05/2023 12:3\ufffd', 'notUtf8'],
    ['DD.MM.YYYY HH:mm', '01.05.2023 12:30', at('2023-05-01T12:30:00Z')],
    ['DD.MM.YYYY HH:mm', '1.5.2023 8:05:09', at('2023-05-01T08:05:09Z')],
    ['DD.MM.YYYY HH:mm', '01/05.2023 12:30', 'timestampFormat'],
    ['DD.MM.YYYY HH:mm', '31.02.2023 12:30', 'timestampCalendar'],
    ['epochSeconds', '1682944200', 1_682_944_200],
    ['epochSeconds', '-1.5', -1.5],
    ['epochSeconds', '1e9', 'timestampFormat'],
    ['epochSeconds', '99999999999999', 'timestampCalendar'],
    ['epochSeconds', '', 'timestampFormat'],
    ['epochMilliseconds', '1682944200250', 1_682_944_200.25],
    ['epochMilliseconds', '\ufffd', 'notUtf8'],
  ] as const)
    t.equal(stampFormats[format].parse(text), expected, `${format} ${text}`);
  const far = await refusal(read('999999999999999;1\n', { dateFormat: 'epochSeconds' }));
  t.match(far.faults, exactList({ code: 'timestampCalendar' }));
});

t.test('values with a decimal point', async t => {
  for (const [text, expected] of [
    ['', NaN],
    ['12.5', 12.5],
    ['-0', 0],
    ['\u22121 234.5', -1234.5],
    ['70,952', 70_952],
    ["1'234'567.25", 1_234_567.25],
    ['1.5e-05', 0.000_015],
    ['1E3', 1000],
    ['1,5', 'decimalComma'],
    ['12,34.5', 'decimalComma'],
    ['1.234.567', 'pointValue'],
    ['.5', 'pointValue'],
    ['nan', 'pointValue'],
    ['1e999', 'valueTooLarge'],
    ['1\ufffd', 'notUtf8'],
  ] as const)
    t.ok(Object.is(parsePointValue(text), expected), `"${text}" is ${String(parsePointValue(text))}`);
});

t.test('columns by number and by name', async t => {
  const text = 'id;time;load;load\n7;2023-01-01T00:00:00;1;9\n8;2023-01-01T01:00:00;2;9\n';
  const values = async (form: Partial<CsvForm>) => (await read(text, form)).days[0]?.activity.slice(0, 3);
  t.strictSame(await values({ dateColumn: '2', valueColumn: '3' }), [1, 2, 0]);
  t.strictSame(await values({ dateColumn: 'time', valueColumn: '4' }), [9, 9, 0]);
  t.strictSame(await values({ dateColumn: 'time', valueColumn: '1' }), [7, 8, 0]);
  t.match(
    (await refusal(read(text, { dateColumn: 'time', valueColumn: 'load' }))).faults,
    exactList({
      code: 'columnUnknown',
      detail: /expected a column "load" once\. Send it with dateColumn=time&valueColumn=3,/,
      line: 1,
    }),
  );
  t.match(
    (await refusal(read(text, { dateColumn: 'when', valueColumn: '3' }))).faults,
    exactList({
      code: 'columnUnknown',
      detail: /^got the header "id", "time", "load", "load", expected a column "when"/,
    }),
  );
  t.match(
    (await refusal(read(text, { dateColumn: '2', valueColumn: '5' }))).faults,
    exactList({ code: 'columnCount', detail: /^got 4 columns, expected at least 5/, line: 1, count: 3 }),
  );
  const bad = text.replace(';1;9', ';x;9').replace('T01', '?');
  const { faults } = await refusal(read(bad, { dateColumn: '2', valueColumn: '3' }));
  t.strictSame(
    faults.map(({ line, column, code }) => `${line}:${column} ${code}`),
    ['2:3 valueFormat', '3:2 timestampFormat'],
  );
  const back = 'load;x;time\n1;;2023-01-01T01:00:00\n2;;2023-01-01T01:00:00\n1;;2023-01-01T00:00:00\n';
  t.match(
    (await refusal(read(back, { dateColumn: '3', valueColumn: 'load' }))).faults,
    exactList({ code: 'conflictingValue', line: 3, column: 1 }, { code: 'timeGoesBack', line: 4, column: 3 }),
  );
  t.equal(columnNameMax, 200);
});

const hours = (row: (hour: string, index: number) => string, count = 24): string =>
  Array.from({ length: count }, (_, index) => `${row(pad(index), index)}\n`).join('');

t.test('forms: a fault of all rows is reported once, with advice', async t => {
  const pandas = await refusal(
    read(`time,load\n${hours((hour, index) => `2023-01-01 ${hour}:00:00,${index}.5`)}`),
  );
  t.equal(pandas.faults.length, 1);
  t.match(pandas.faults[0], { code: 'columnCount', line: 1, count: 25 });
  t.equal(
    pandas.faults[0]?.detail,
    'got 1 column, expected 2, date and value, separated by ";"; 25 times, lines 1, 2, 3, …. Send it with ' +
      'separator=,&decimal=.&dateFormat=YYYY-MM-DD%20HH:mm:ss, or write it from pandas with ' +
      'df.to_csv("days.csv", sep=";", decimal=",", date_format="%Y-%m-%dT%H:%M:%S", index=False, encoding="utf-8")',
  );
  t.match(pandas.message, /^the file has 25 faults of one cause: nothing was stored$/);

  const wide = await refusal(
    read(`id;time;load;note\n${hours((hour, index) => `${index};2023-01-01T${hour}:00:00;${index},5;a`)}`),
  );
  t.match(
    wide.faults,
    exactList({
      detail: /dateColumn=time&valueColumn=load, or .* df\[\["time", "load"\]\]\.to_csv\("days\.csv", /,
    }),
  );

  const excel = await refusal(read(hours((hour, index) => `01/02/2023 ${hour}:00;${index},5`)));
  t.match(
    excel.faults,
    exactList({
      code: 'timestampFormat',
      count: 24,
      detail: /Send it with dateFormat=DD\/MM\/YYYY%20HH:mm, or in Excel/,
    }),
  );
  const german = await refusal(read(hours((hour, index) => `01.02.2023 ${hour}:00;${index},5`)));
  t.match(german.faults, exactList({ detail: /Send it with dateFormat=DD\.MM\.YYYY%20HH:mm, or in Excel/ }));
  const latin = await refusal(
    read(
      Buffer.from(`Date;Énergie\n${hours((hour, index) => `2023-01-01T${hour}:00:00;${index}`)}`, 'latin1'),
    ),
  );
  t.match(latin.faults, exactList({ code: 'notUtf8', detail: /Write it in UTF-8: in Excel .*"CSV UTF-8"$/ }));

  const two = await refusal(read(hours((hour, index) => `2023-01-01 ${hour}:00:00;${index}.5`)));
  t.match(
    two.faults,
    exactList(
      { code: 'timestampFormat', count: 24, detail: /Send it with decimal=\.&dateFormat=/ },
      { code: 'decimalPoint', count: 24, detail: /lines 1, 2, 3, …$/ },
    ),
  );

  // A wrong parameter is reported in the same way as the correct one.
  const wrong = await refusal(
    read(
      hours((hour, index) => `2023-01-01T${hour}:00:00;${index},5`),
      { decimal: '.' },
    ),
  );
  t.match(
    wrong.faults,
    exactList({ code: 'decimalComma', count: 24, detail: /Send it without choices of a form$/ }),
  );
});

t.test('forms: seconds and milliseconds since 1970, each where the other is expected', async t => {
  const at = (hour: string) => Date.parse(`2023-01-01T${hour}:00:00Z`);
  const seconds = hours((hour, index) => `${at(hour) / 1000};${index}`);
  for (const read of [readCsvDays, readCsvPoints])
    t.match(
      (
        await refusal(
          read(bodyOf(seconds), { ...rule, form: { ...defaultForm, dateFormat: 'epochMilliseconds' } }),
        )
      ).faults,
      exactList({
        code: 'timestampFormat',
        detail: 'got seconds since 1970, expected milliseconds. Send it with dateFormat=epochSeconds',
      }),
    );
  t.match(
    (
      await refusal(
        read(
          hours((hour, index) => `${at(hour)};${index}`),
          { dateFormat: 'epochSeconds' },
        ),
      )
    ).faults,
    exactList({ code: 'timestampCalendar', detail: /Send it with dateFormat=epochMilliseconds$/ }),
  );
});

t.test('forms: a NUL byte is named', async t => {
  const { faults } = await refusal(read('2023-01-01T00:00:00;1\n2023-01-01T01:00:00;\0\n'));
  t.match(faults, exactList({ code: 'notUtf8', detail: /expected text in UTF-8 without NUL bytes$/ }));
});

t.test('forms: files that are not text, and how to get text from them', async t => {
  const fileOf = (bytes: readonly number[]) => Buffer.from([...bytes, 0xff, 0x0a, 0x00, 0x3b, 0x0a]);
  for (const [bytes, detail] of [
    [[0x1f, 0x8b, 8], /^got a gzip file, expected text in UTF-8: unpack it first, with gunzip$/],
    [[0x50, 0x4b, 3, 4], /^got an Excel workbook or another zip file, .* save the sheet as "CSV UTF-8"$/],
    [[0xd0, 0xcf, 0x11, 0xe0], /^got an Excel workbook, .* save the sheet as "CSV UTF-8"$/],
    [[0x50, 0x41, 0x52, 0x31], /^got a Parquet file, /],
  ] as const) {
    t.match(
      (await refusal(read(fileOf(bytes)))).faults,
      exactList({ code: 'notText', detail, line: 1, column: 1 }),
    );
    t.match(problemsOf(inspectCsv(fileOf(bytes), true)), exactList({ code: 'notText', detail }));
  }
  const rows = `time,value\n${hours(hour => `2023-01-01T${hour}:00:00,1.5`)}`;
  t.match(
    problemsOf(inspectCsv(Buffer.from(`\ufeff${rows.replaceAll('\n', '\r\n')}`, 'utf16le'), true)),
    exactList({ code: 'notUtf8', detail: /expected UTF-8: in Excel/ }),
    'UTF-16: no guess at its columns',
  );
  t.match(
    problemsOf(inspectCsv(Buffer.from(rows.replaceAll('\n', '\r')), true)),
    exactList({ code: 'lineTooLong', detail: /^the first row does not end: its lines end with CR alone/ }),
  );
  const radiation = `PAR1;PAR2;time\n${hours((hour, index) => `${index};1;2023-01-01T${hour}:00:00`)}`;
  const { days } = await read(radiation, { dateColumn: 'time', valueColumn: 'PAR1' });
  t.equal(days[0]?.activity[5], 5, 'a header that begins with PAR1 is text');
});

/** Two days of values with a row for each hour. */
const twoDays = (row: (stamp: string, index: number) => string): string[] =>
  [1, 2].flatMap(day =>
    Array.from({ length: 24 }, (_, hour) => row(`2023-01-0${day}T${pad(hour)}:00:00`, 24 * day - 24 + hour)),
  );
const lines = (rows: readonly string[]): string => `date;value\n${rows.join('\n')}\n`;

t.test('forms: faults that only some rows have, with advice, also in an inspection', async t => {
  const expectBoth = async (
    text: string,
    fault: object,
    problem: { readonly code: string; readonly detail: RegExp },
  ) => {
    t.match((await refusal(read(text))).faults, exactList(fault));
    t.match(problemsOf(inspectCsv(Buffer.from(text), true)), exactList(problem));
  };
  const missing = lines(twoDays((stamp, index) => `${stamp};${index % 4 === 1 ? 'NaN' : index}`));
  await expectBoth(
    missing,
    {
      code: 'valueFormat',
      count: 12,
      detail: /or nothing: leave the field of a missing value empty; 12 times, lines 3, 7, 11, …$/,
    },
    {
      code: 'valueFormat',
      detail: /^12 of 48 rows have no number, such as "NaN": leave the field of a missing value empty$/,
    },
  );
  await expectBoth(
    lines(twoDays((stamp, index) => `${stamp};${index}`).reverse()),
    { code: 'timeGoesBack', count: 47, detail: /47 times, lines 3, 4, 5, …\. Sort the rows by date$/ },
    {
      code: 'timeGoesBack',
      detail: /^47 of 48 rows have an earlier time .*: sort the rows by date$/,
    },
  );
  const days = twoDays((stamp, index) => `${stamp};${index}`);
  const swapped = lines([...days.slice(24), ...days.slice(0, 24)]);
  t.match(
    problemsOf(inspectCsv(Buffer.from(swapped), true)),
    exactList({
      code: 'timeGoesBack',
      detail: /^1 of 48 rows has an earlier time .*: sort the rows by date$/,
    }),
  );
  const october = Array.from({ length: 96 }, (_, index) => {
    const at = new Date(Date.UTC(2023, 9, 28, 21) + index * 1_800_000);
    const local = new Date(at.getTime() + (index < 54 ? 7_200_000 : 3_600_000));
    return `${local.toISOString().slice(0, 19)};${index}`;
  });
  await expectBoth(
    lines(october),
    {
      code: 'timeGoesBack',
      line: 56,
      detail: /\. Import with timeZone and clock=local if its clock was put back/,
    },
    { code: 'timeGoesBack', detail: /: import with timeZone and clock=local if its clock was put back/ },
  );
  const american = Array.from({ length: 20 }, (_, day) => `01/${pad(day + 1)}/2023 00:00;${day}`);
  const swappedText = lines(american);
  t.match(
    (await refusal(read(swappedText, { dateFormat: 'DD/MM/YYYY HH:mm' }))).faults[0]?.detail,
    /\. The month comes before the day: write the dates as YYYY-MM-DD/,
  );
  t.match(
    problemsOf(inspectCsv(Buffer.from(swappedText), true))[0]?.detail,
    /^8 of 20 rows have no date of the format DD\/MM\/YYYY HH:mm, such as "01\/13\/2023 00:00": the month comes before/,
  );
  const points = await refusal(read(lines(twoDays((stamp, index) => `${stamp};${index}.5`).reverse())));
  t.match(
    points.faults,
    exactList(
      { code: 'decimalPoint', detail: /Send it with decimal=\./ },
      { code: 'timeGoesBack', detail: /\. Sort the rows by date$/ },
    ),
    'the order and the form',
  );
  const forExcel = `sep=;\r\n${lines(days)}`;
  t.match(
    (await refusal(read(forExcel))).faults[0]?.detail,
    /Remove the first line, which is for Excel alone$/,
  );
  t.match(problemsOf(inspectCsv(Buffer.from(forExcel), true)), exactList({ code: 'separatorLine' }));
  const spaced = twoDays((stamp, index) => `${stamp.replace('T', ' ')},${index}.5`).join('\n');
  t.match(
    (await refusal(read(`sep=,\ndate,value\n${spaced}\n`))).faults[0]?.detail,
    /Remove the first line, which is for Excel alone\. Send it with separator=,&decimal=\.&dateFormat=/,
    'the first line and the form',
  );
});

t.test(
  'forms: rows in one line, as `curl -d @file` sends them, name the option that keeps lines',
  async t => {
    const days = twoDays((stamp, index) => `${stamp};${index}`);
    for (const rows of [2, 3, 48, 4800]) {
      const joined = Array.from({ length: rows }, (_, index) => days[index % 48]).join('');
      for (const text of [joined, `date;value${joined}`, joined.replaceAll(';', ',')]) {
        const [fault] = (await refusal(read(text))).faults;
        t.match(
          fault?.detail,
          /\. It came as one line; .*-d, so send it with curl --data-binary @file$/,
          text,
        );
      }
    }
    const single = (await refusal(read('2023-01-01T00:00:00;1;2'))).faults[0]?.detail;
    t.notMatch(single, /one line/, 'one row is a line');
  },
);

t.test('forms: clocks that were put back, and several series, are not only to be sorted', async t => {
  const autumns = Array.from({ length: 11 }, (_, index) =>
    ['00:00', '01:00', '02:00', '02:30', '02:00', '02:30', '03:00', '04:00'].map(
      (hour, row) => `${2010 + index}-10-31T${hour}:00;${row}`,
    ),
  ).flat();
  const { faults } = await refusal(read(lines(autumns)));
  t.match(
    faults,
    exactList({
      code: 'timeGoesBack',
      count: 11,
      detail:
        /\. Import with timeZone and clock=local if its clock was put back, else sort the rows by date$/,
    }),
  );
  const blocks = Array.from({ length: 12 }, (_, sensor) =>
    [1, 2].map(day => `${sensor};2023-01-0${day}T00:00:00;${sensor}`),
  ).flat();
  const text = `sensor;date;value\n${blocks.join('\n')}\n`;
  const advice = /sort the rows by date; if the file has several series, send each as a file$/i;
  t.match(
    (await refusal(read(text, { dateColumn: 'date', valueColumn: 'value' }))).faults,
    exactList({ code: 'timeGoesBack', count: 11, detail: advice }),
  );
  t.match(
    problemsOf(inspectCsv(Buffer.from(text), true)),
    exactList({ code: 'timeGoesBack', detail: advice }),
  );
});

t.test('forms: series in alternate rows, and blank lines inside, are named by an inspection', async t => {
  const seenIn = (text: string) => problemsOf(inspectCsv(Buffer.from(text), true));
  const rows = twoDays((stamp, index) => `${stamp};north;${index}\n${stamp};south;${index + 1}`);
  const meters = `date;meter;value\n${rows.join('\n')}\n`;
  const advice = /[:.] send each series of the file as a file$/i;
  const { faults } = await refusal(read(meters, { dateColumn: 'date', valueColumn: 'value' }));
  t.match(faults, exactList({ code: 'conflictingValue', count: 48, detail: /has the time of line 2/ }));
  t.match(faults[0]?.detail, advice);
  t.match(
    seenIn(meters),
    exactList({ code: 'conflictingValue', detail: /^48 of 96 rows have the time of the row before/ }),
  );
  t.match(seenIn(meters)[0]?.detail, advice);
  const days = twoDays((stamp, index) => `${stamp};${index}`);
  const blank = lines([...days.slice(0, 3), '', ...days.slice(3)]);
  const twice = lines([...days.slice(0, 3), '', '', ...days.slice(3)]);
  for (const text of [blank, blank.replaceAll('\n', '\r\n'), `${blank}\n\n`, twice]) {
    t.match((await refusal(read(text))).faults, exactList({ code: 'blankLine', line: 5 }));
    t.match(
      seenIn(text),
      exactList({ code: 'blankLine', detail: 'line 5 is blank before further rows: remove it' }),
    );
  }
  t.strictSame(seenIn(`${lines(days)}\n\n`), [], 'blank lines at the end are no fault');
  const quoted = lines(days.map((row, index) => `${row};"${index === 3 ? 'a\n\nb' : 'note'}"`));
  t.strictSame(
    seenIn(quoted).filter(({ code }) => code === 'blankLine'),
    [],
    'a blank line inside quotes is no row',
  );
});

t.test('inspection: the decimal mark and the columns follow from all rows', async t => {
  const minutes = (separator: string, value: (index: number) => string) =>
    Array.from({ length: 1440 }, (_, index) => {
      const time = `${pad(Math.floor(index / 60))}:${pad(index % 60)}:00`;
      return `2023-01-01T${time}${separator}${value(index)}`;
    });
  const seenIn = (separator: string, value: (index: number) => string) =>
    inspectCsv(Buffer.from(`date${separator}value\n${minutes(separator, value).join('\n')}\n`), true);
  const night = (text: string) => (index: number) => (index < 480 ? '0' : text);
  t.match(seenIn(',', night('1.5')), { separator: ',', decimal: '.', unread: { values: 0 } });
  t.match(seenIn(';', night('1.5')), { separator: ';', decimal: '.', unread: { values: 0 } });
  t.match(seenIn(';', night('1,5')), { separator: ';', decimal: ',', unread: { values: 0 } });
  t.match(seenIn(',', String), { separator: ',', decimal: '.' }, 'a comma cannot be both');
  t.match(seenIn(';', String), { separator: ';', decimal: ',' });
  const late = seenIn(';', index => (index < 900 ? '' : '2,5'));
  t.match(late, { decimal: ',', columns: exactList({ kind: 'date' }, { kind: 'value' }) });
  t.strictSame(problemsOf(late), []);
});

t.test('inspection: a column whose name cannot be sent is proposed by its number', async () => {
  for (const name of ['load\u200b', 'l'.repeat(81), 'l'.repeat(300)]) {
    const rows = twoDays((stamp, index) => `${stamp};hall;${index}`);
    const text = `date;room;${name}\n${rows.join('\n')}\n`;
    const form = formChoices(inspectCsv(Buffer.from(text), true));
    t.match(form, { dateColumn: 'date', valueColumn: '3' });
    t.equal((await read(text, form)).summary.lines, 48);
  }
});

t.test('forms: dates of an unknown format have advice', async t => {
  for (const [stamp, advice] of [
    [(hour: string) => `1/31/2023 ${Number(hour)}:00 AM`, /In excel give the dates the format/i],
    [(hour: string) => `44927,${hour}`, /In excel give the dates the format/i],
    [
      (hour: string) => `2023-01-01;${hour}:30`,
      /write date and time in one column, such as 2023-01-01T00:30:00$/i,
    ],
    [
      (hour: string) => `31/01/2023;${Number(hour)}:00:00`,
      /write date and time in one column, such as 31\/01\/2023 00:00$/i,
    ],
    [() => '2023-01-01;1:00 PM', /such as 2023-01-01T13:00:00$/],
    [() => '2023-01-01', /Dates need a time of the day/i],
  ] as const) {
    const text = `Date;Value\n${hours((hour, index) => `${stamp(hour)};${index}`)}`;
    t.match((await refusal(read(text))).faults[0]?.detail, advice, stamp('05'));
    t.match(problemsOf(inspectCsv(Buffer.from(text), true))[0], { code: 'noDates', detail: advice });
  }
});

t.test('CSV: rows after the last day of a reference are one fault', async t => {
  const day = (index: number): string => new Date(Date.UTC(2023, 0, 1 + index)).toISOString().slice(0, 10);
  const text = lines(Array.from({ length: 400 }, (_, index) => `${day(index)}T12:00:00;1`));
  const { faults } = await refusal(read(text, undefined, { kind: 'reference' }));
  t.match(faults, exactList({ code: 'beyondYear', count: 34, line: 368 }));
});

t.test('forms: a file of quoted fields with another separator has advice', async t => {
  const text = lines(twoDays((stamp, index) => `"${stamp}","${index}.5"`));
  const { faults } = await refusal(read(text));
  t.match(faults, exactList({ code: 'bareQuote', detail: /\. Send it with separator=,&decimal=\., or/ }));
  t.notMatch((await refusal(read(lines(['2023-01-01T00:00:00;1"5'])))).faults[0]?.detail, /Send it/);
});

t.test('forms: faults of single rows are reported separately', async t => {
  const text = hours((hour, index) => `2023-01-01T${hour}:00:00;${index % 8 === 3 ? 'x' : index}`);
  const { faults } = await refusal(read(text));
  t.strictSame(
    faults.map(({ line, code, count }) => [line, code, count]),
    [
      [4, 'valueFormat', undefined],
      [12, 'valueFormat', undefined],
      [20, 'valueFormat', undefined],
    ],
  );
});

t.test('forms: values that look like thousands are read with a warning', async t => {
  const warned = async (value: (index: number) => string) =>
    (await read(hours((hour, index) => `2023-01-01T${hour}:00:00;${value(index)}`))).summary.warnings;
  t.match(
    await warned(index => `${70 + index},952`),
    exactList({
      code: 'thousands',
      detail: 'values such as 71,952 were read with a decimal comma, the slices lie from 70.952 to 93.952',
    }),
  );
  t.match(await warned(index => (index % 2 === 0 ? '1,250' : '900')), exactList({ code: 'thousands' }));
  t.strictSame(await warned(index => `0,${100 + index}`), [], 'no thousands begin with 0');
  t.strictSame(await warned(index => `${70 + index},95`), [], 'two decimals');
  t.strictSame(
    await warned(index => (index % 2 === 0 ? '1,250' : '12500')),
    [],
    'five digits without a comma',
  );
  t.strictSame(await warned(String), [], 'no comma at all');
  const ofExcel = `\ufeffdate;room;value\n${hours((hour, index) => `2023-01-01T${hour}:00:00;hall;${70 + index},952`)}`;
  const { summary } = await read(ofExcel, { dateColumn: 'date', valueColumn: 'value' });
  t.match(
    summary,
    { warnings: exactList({ code: 'thousands' }), notes: exactList(/^hourly data/) },
    'with a byte order mark',
  );
  const { days } = await read(
    hours((hour, index) => `2023-01-01T${hour}:00:00;"${70 + index},952"`),
    {
      decimal: '.',
    },
  );
  t.equal(days[0]?.activity[0], 70_952, 'with a decimal point they are thousands');
});

t.test('forms: text of sampling and lengths', async t => {
  t.equal(samplingNote(900, 48, 'zero'), '15-minute data, kept as 48 half-hours: 2 values a slice');
  t.equal(samplingNote(3600, 24, 'zero'), 'hourly data, kept as 24 hours: 1 value a slice');
  t.equal(
    samplingNote(1, 144, 'zero'),
    'data every second, kept as 144 slices of 10 minutes: 600 values a slice',
  );
  t.equal(
    samplingNote(3600, 48, 'zero'),
    'hourly data, kept as 48 half-hours: 1 value in 2 slices, the others are not observed',
  );
  t.match(samplingNote(3600, 48, 'linear'), 'the others are filled between them');
  t.equal(stepWords(60), 'data every minute');
  t.equal(stepWords(7), 'data every 7 seconds');
  t.equal(stepWords(7200), '2-hour data');
  t.equal(stepWords(86_400), 'daily data');
  t.equal(
    conversionNote(48, 24, 'sum', 3),
    '3 days of 48 values, kept as 24 hours: the sum of 2 values is a slice',
  );
  t.equal(
    conversionNote(24, 48, 'mean', 1),
    '1 day of 24 values, kept as 48 half-hours: each value is repeated 2 times',
  );
  t.match(conversionNote(24, 48, 'sum', 1), 'each value is split into 2');
});

t.test('inspection: bodies that are not CSV end it early', async t => {
  for (const [name, body] of [
    ['nothing but quotes', Buffer.alloc(1_000_000, '"')],
    ['quotes that never match', Buffer.from('""";'.repeat(250_000))],
    ['separators only', Buffer.alloc(1_000_000, ';')],
    ['one number', Buffer.alloc(1_000_000, '1')],
    ['line feeds', Buffer.alloc(1_000_000, '\n')],
    ['zero bytes', Buffer.alloc(1_000_000)],
    [
      'random bytes',
      Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919 + (index >> 3)) % 256)),
    ],
    ['thousands of columns', Buffer.from(`${'1;'.repeat(20_000)}\n`.repeat(20))],
  ] as const) {
    const seen = inspectCsv(body, true);
    t.equal(seen.dateFormat, null, name);
    t.ok(seen.columns.length <= 50);
    t.ok(
      problemsOf(seen).length > 0,
      problemsOf(seen)
        .map(({ code }) => code)
        .join(', '),
    );
  }
  t.strictSame(csvRows('a;"b;c"\r\n\n"d""e";', ';', 9), [
    ['a', 'b;c'],
    ['d"e', ''],
  ]);
  t.strictSame(csvRows('"a\nb"x;"c', ';', 9), [['"a'], ['b"x', '"c']], 'broken quotes are text');
});

t.test('a long file is inspected in steps, with the result of one that is inspected at once', async t => {
  const rows = Array.from({ length: 4000 }, (_, index) => {
    const at = new Date(Date.UTC(2024, 0, 1) + index * 600_000).toISOString().slice(0, 19);
    return `${at};${index % 7 === 0 ? 'none' : index % 50}`;
  });
  const bytes = Buffer.from(`date;value\n${rows.join('\n')}\n`);
  let steps = 0;
  const seen = await runSteps(inspectionSteps(bytes, true), () => void (steps += 1));
  t.ok(steps > 2 * (rows.length / 200), `${steps} steps`);
  t.strictSame(seen, inspectCsv(bytes, true));
  t.match(seen, { rows: 4000, unread: { dates: 0, date: '', values: 572, value: 'none' } });
});
