import { type InputFault, shown } from '../../../application/requests/imports/faults.js';
import { defaultForm, type CsvForm, dateFormats } from '../csvForm.js';
import { choicesQuery, formChoices, type Inspection } from './inspection.js';
import { inspectCsv } from './inspectCsv.js';
import type { CsvRule } from '../readings.js';
import { missingValueAdvice } from '../fields.js';

/** Faults that another form of the file would remove. */
const avoidable: ReadonlySet<string> = new Set([
  'bareQuote',
  'columnCount',
  'columnUnknown',
  'decimalComma',
  'decimalPoint',
  'lineTooLong',
  'notUtf8',
  'timestampFormat',
  'valueFormat',
  'valueGroups',
]);

/** Longest step back in time, in seconds, that a change of the clock explains. */
const clockBackSecondsMax = 3600;

/** A Python string. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** The call of pandas that writes the default format. */
const pandasCall = ({ columns, header }: Inspection): string => {
  const names = columns.filter(({ kind }) => kind !== 'other').map(({ name }) => name ?? '');
  const chosen =
    header && columns.length > 2 && names.length === 2 ? `[[${names.map(quoted).join(', ')}]]` : '';
  return (
    `df${chosen}.to_csv("days.csv", sep=";", decimal=",", ` +
    'date_format="%Y-%m-%dT%H:%M:%S", index=False, encoding="utf-8")'
  );
};

/** How Excel writes the default format. */
const excelExport =
  'in Excel give the dates the format yyyy-mm-dd"T"hh:mm:ss and save the sheet as "CSV UTF-8"';

/** Advice for the program that wrote a file; undefined when the reason is not known. */
const exportAdvice = (seen: Inspection): string | undefined => {
  if (!seen.isUtf8 || seen.dateFormat?.startsWith('DD') === true) return excelExport;
  return seen.dateFormat === 'ISO' || seen.dateFormat === 'YYYY-MM-DD HH:mm:ss'
    ? `write it from pandas with ${pandasCall(seen)}`
    : undefined;
};

/** Advice for the line `sep=;` that Excel understands. */
const separatorLineAdvice = 'Remove the first line, which is for Excel alone';

/** A date with the time of another column, in one cell; undefined without such columns. */
const joinedCell = (columns: Inspection['columns']): string | undefined => {
  const date = columns.find(({ example }) => dateOnly.test(example))?.example;
  const time = columns.map(({ example }) => timeOnly.exec(example)).find(Boolean);
  if (date === undefined || !time) return undefined;
  const [, hour = '', minute = '', second = ':00', half] = time;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const text = `${String(hours).padStart(2, '0')}:${minute}`;
  return /[/.]/.test(date) ? `${date} ${text}` : `${date}T${text}${second}`;
};

/** A time without a date, of 24 or of 12 hours. */
const timeOnly = /^(\d{1,2}):(\d\d)(:\d\d)?(?:\s?([ap])\.?m)?/i;
/** A date without a time. */
const dateOnly = /^(\d{4}-\d{2}-\d{2}|\d{1,2}([/.])\d{1,2}\2\d{4})$/;

/** Advice for dates of an unknown format; undefined for known ones, and when the reason is not known. */
const dateAdvice = ({ dateFormat, columns }: Inspection): string | undefined => {
  if (dateFormat !== null || columns.length < 2) return undefined;
  const isLike = (form: RegExp): boolean => columns.some(({ example }) => form.test(example));
  const joined = joinedCell(columns);
  if (joined !== undefined) return `write date and time in one column, such as ${joined}`;
  if (isLike(dateOnly)) return 'dates need a time of the day: a source learns from several values a day';
  // Days since 1900, from 1982 to 2064.
  const isSerial =
    /^[345]\d{4}([.,]\d+)?$/.test(columns[0]?.example ?? '') && /dat|tim/i.test(columns[0]?.name ?? '');
  if (isSerial || isLike(/^\d{1,2}\/\d{1,2}\/\d{4} /)) return excelExport;
  return undefined;
};

/**
 * Advice for rows whose times go back: where the clock was put back, `clock=local`; else to sort them.
 * @param isLocal whether the times were read by the local clock
 */
const orderAdvice = ({ unread, rows, columns }: Inspection, isLocal = false): string => {
  const { backwards, backSeconds } = unread;
  const isClock = !isLocal && backSeconds <= clockBackSecondsMax && 2 * backwards < rows;
  return (
    (isClock ? 'import with timeZone and clock=local if its clock was put back, else ' : '') +
    'sort the rows by date' +
    (columns.length > 2 ? '; if the file has several series, send each as a file' : '')
  );
};

/** Advice for rows with the time of the row before: rows of several series, or of the hour that a clock repeats. */
const conflictAdvice = ({ unread, rows, columns }: Inspection, isLocal = false): string =>
  (isLocal || 2 * unread.conflicts >= rows
    ? ''
    : 'import with timeZone and clock=local if its clock was put back, else ') +
  (columns.length > 2 ? 'send each series of the file as a file' : 'keep one row for each time');

/** A date whose month comes first: its second number is no month. */
const monthFirst = /^(?:0?[1-9]|1[0-2])([/.])(?:1[3-9]|2\d|3[01])\1\d{4}/;
const monthFirstAdvice = 'the month comes before the day: write the dates as YYYY-MM-DD hh:mm:ss';

/** Two dates in one text. */
const twoDates = /(?:\d{4}-\d\d-\d\d|\d\/\d\d?\/\d{4}).*(?:\d{4}-\d\d-\d\d|\d\/\d\d?\/\d{4})/;

const lineEndsAdvice = 'its lines end with CR alone: save it with line ends of Windows or Unix';

/** Advice for a file without a line end of Windows or Unix, as `curl -d` sends it; empty for others. */
const lineEndAdvice = (head: Buffer): string => {
  if (head.includes(0x0a)) return '';
  if (head.includes(0x0d)) return `. ${sentenceOf(lineEndsAdvice)}`;
  return twoDates.test(head.toString('latin1'))
    ? '. It came as one line; curl removes line ends with -d, so send it with curl --data-binary @file'
    : '';
};

const sentenceOf = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Advice for a file that was read in a wrong form; undefined when the form is not the cause. */
const formAdvice = (seen: Inspection, form: CsvForm): string | undefined => {
  if (!seen.isUtf8) return `. Write it in UTF-8: ${excelExport}`;
  const dates = dateAdvice(seen);
  if (dates !== undefined) return `. ${sentenceOf(dates)}`;
  if (seen.dateFormat === null || seen.decimal === null) return undefined;
  const choices = formChoices(seen);
  const used = { ...defaultForm, ...form };
  const needed = { ...defaultForm, ...choices };
  const names = ['separator', 'decimal', 'dateFormat', 'dateColumn', 'valueColumn'] as const;
  if (names.every(name => used[name] === needed[name])) return undefined;
  const query = choicesQuery(choices);
  const send = query === '' ? 'Send it without choices of a form' : `Send it with ${query}`;
  const write = query === '' ? undefined : exportAdvice(seen);
  return `. ${send}${write === undefined ? '' : `, or ${write}`}`;
};

/** Advice for the first fault that another form would remove: on the first line, and on the form. */
const adviceOn = (seen: Inspection, form: CsvForm): string | undefined => {
  const onForm = formAdvice(seen, form);
  return seen.unread.separatorLine ? `. ${separatorLineAdvice}${onForm ?? ''}` : onForm;
};

const withText = (faults: readonly InputFault[], at: number, text: string): readonly InputFault[] =>
  faults.map((fault, index) => (index === at ? { ...fault, detail: `${fault.detail}${text}` } : fault));

/**
 * Adds advice on how to send or write the file: to the first fault that another form would remove, to the first time
 * that goes back, and to the first time with two values.
 * @param head first bytes of the body
 */
export const withAdvice = (
  faults: readonly InputFault[],
  head: Buffer,
  { form = defaultForm, stamps }: Pick<CsvRule, 'form' | 'stamps'>,
): readonly InputFault[] => {
  const unsorted = faults.findIndex(({ code }) => code === 'timeGoesBack');
  const first = faults.findIndex(
    ({ code }) => avoidable.has(code) || (code === 'timestampCalendar' && form.dateFormat === 'epochSeconds'),
  );
  const twice = faults.findIndex(({ code }) => code === 'conflictingValue');
  const swapped = faults.findIndex(
    ({ code, value }) => code === 'timestampCalendar' && monthFirst.test(value ?? ''),
  );
  if (swapped >= 0) return withText(faults, swapped, `. ${sentenceOf(monthFirstAdvice)}`);
  if (unsorted < 0 && first < 0 && twice < 0) return faults;
  const seen = inspectCsv(head, !head.includes(0x0a));
  const onForm = faults[first]?.code === 'lineTooLong' ? '' : (adviceOn(seen, form) ?? '');
  const order = `. ${sentenceOf(orderAdvice(seen, stamps === 'local'))}`;
  const onTwice = `. ${sentenceOf(conflictAdvice(seen, stamps === 'local'))}`;
  // No fault has the index -1.
  const onOrder = withText(withText(faults, unsorted, order), twice, onTwice);
  return withText(onOrder, first, lineEndAdvice(head) || onForm);
};

type Problem = { readonly code: string; readonly detail: string };

const rowsText = (count: number, rows: number): string =>
  `${count} of ${rows} row${rows === 1 ? '' : 's'} ${count === 1 ? 'has' : 'have'}`;

type AddProblem = (holds: boolean, code: string, detail: string) => void;

/** Adds problems of single rows and of their order. */
const addRowProblems = (seen: Inspection, add: AddProblem): void => {
  const { dateFormat, rows, unread } = seen;
  add(unread.separatorLine, 'separatorLine', separatorLineAdvice);
  add(
    unread.dates > 0,
    'timestampFormat',
    `${rowsText(unread.dates, rows)} no date of the format ${dateFormat ?? ''}, such as "${shown(unread.date)}"` +
      (monthFirst.test(unread.date) ? `: ${monthFirstAdvice}` : ''),
  );
  add(
    unread.values > 0,
    'valueFormat',
    `${rowsText(unread.values, rows)} no number, such as "${shown(unread.value)}"${missingValueAdvice(unread.value)}`,
  );
  add(
    unread.backwards > 0,
    'timeGoesBack',
    `${rowsText(unread.backwards, rows)} an earlier time than the row before: ${orderAdvice(seen)}`,
  );
  add(
    unread.conflicts > 0,
    'conflictingValue',
    `${rowsText(unread.conflicts, rows)} the time of the row before and another value: ${conflictAdvice(seen)}`,
  );
  add(
    unread.blankLine !== null,
    'blankLine',
    `line ${unread.blankLine ?? ''} is blank before further rows: remove it`,
  );
};

/** Reasons why an import would refuse an inspected file, or may read it in a wrong way. */
export const problemsOf = (seen: Inspection): readonly Problem[] => {
  const { isUtf8, dateFormat, decimal, columns, header, thousands, range, rows } = seen;
  if (seen.notText !== null) return [{ code: 'notText', detail: seen.notText }];
  const seenTexts = [...(header ?? []), ...columns.map(({ example }) => example)];
  if (isUtf8 && seenTexts.some(text => /\r(?!\n)/.test(text)))
    return [{ code: 'lineTooLong', detail: `the first row does not end: ${lineEndsAdvice}` }];
  const problems: Problem[] = [];
  const onDates = dateAdvice(seen);
  const add: AddProblem = (holds, code, detail) => {
    if (holds) problems.push({ code, detail });
  };
  add(!isUtf8, 'notUtf8', `got another encoding, expected UTF-8: ${excelExport}`);
  // UTF-16 has no columns in another encoding.
  if (!isUtf8 && columns.some(({ example }) => example.includes('\0'))) return problems;
  add(rows === 0, 'csvEmpty', 'got no row of data');
  add(
    rows > 0 && dateFormat === null,
    'noDates',
    `no column has dates of a known format, expected one of ${dateFormats.join(', ')}; ` +
      `the first row has ${columns.map(({ example }) => `"${example}"`).join(', ')}` +
      (onDates === undefined ? '' : `: ${onDates}`),
  );
  addRowProblems(seen, add);
  add(rows > 0 && decimal === null, 'noValues', 'no column besides the dates has numbers');
  add(
    header !== null && header.length < columns.length,
    'columnCount',
    `the header has ${header?.length ?? 0} columns and the first row ${columns.length}: ` +
      'values with the separator in them must be quoted',
  );
  add(
    thousands !== null,
    'thousands',
    `values such as ${thousands ?? ''} are read with a decimal comma, from ${range?.min ?? ''} to ` +
      `${range?.max ?? ''}; if the comma separates thousands, import with decimal=.`,
  );
  return problems;
};

/**
 * Problem of a file with dates after tomorrow, which an import of recent days refuses; empty for others.
 * @param tomorrow latest tomorrow of all clocks: the file does not say in which zone it was written
 */
export const futureProblems = ({ lastDate }: Inspection, tomorrow: string): readonly Problem[] =>
  lastDate === null || lastDate <= tomorrow
    ? []
    : [
        {
          code: 'futureDate',
          detail:
            `the last date is ${lastDate}, after tomorrow: an import of recent days refuses it; ` +
            'correct the year, or the order of day and month, or import with allowFuture=true',
        },
      ];
