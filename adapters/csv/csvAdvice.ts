import type { InputFault } from '../../application/imports/faults.js';
import { defaultForm, type CsvForm } from './csvForm.js';
import { choicesQuery, formChoices } from './formChoices.js';
import { inspectCsv, type Inspection } from './inspectCsv.js';

/** Faults that another form of the file would remove. */
const avoidable: ReadonlySet<string> = new Set([
  'columnCount',
  'columnUnknown',
  'decimalComma',
  'decimalPoint',
  'notUtf8',
  'timestampFormat',
  'valueFormat',
  'valueGroups',
]);

/** Rows from which the advice is derived. */
const rowsMax = 200;

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
export const excelExport =
  'in Excel give the dates the format yyyy-mm-dd"T"hh:mm:ss and save the sheet as "CSV UTF-8"';

/** Advice for the program that wrote a file; undefined when the reason is not known. */
const exportAdvice = (seen: Inspection): string | undefined => {
  if (!seen.isUtf8 || seen.dateFormat === 'DD/MM/YYYY HH:mm') return excelExport;
  return seen.dateFormat === 'ISO' || seen.dateFormat === 'YYYY-MM-DD HH:mm:ss'
    ? `write it from pandas with ${pandasCall(seen)}`
    : undefined;
};

/** Advice for the line `sep=;` that Excel understands. */
export const separatorLineAdvice = 'Remove the first line, which is for Excel alone';

/** Advice for dates of an unknown format; undefined for known ones, and when the reason is not known. */
export const dateAdvice = ({ dateFormat, columns }: Inspection): string | undefined => {
  if (dateFormat !== null || columns.length < 2) return undefined;
  const isLike = (form: RegExp): boolean => columns.some(({ example }) => form.test(example));
  if (isLike(/^(\d{4}-\d{2}-\d{2}|\d{1,2}\/\d{1,2}\/\d{4})$/))
    return 'dates need a time of the day: a source learns from several values a day';
  // Days since 1900, from 1982 to 2064.
  const isSerial =
    /^[345]\d{4}([.,]\d+)?$/.test(columns[0]?.example ?? '') && /dat|tim/i.test(columns[0]?.name ?? '');
  if (isSerial || isLike(/^\d{1,2}\/\d{1,2}\/\d{4} /)) return excelExport;
  return undefined;
};

const sentenceOf = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Advice for a file that was read in a wrong form; undefined when the form is not the cause. */
const adviceOn = (seen: Inspection, form: CsvForm): string | undefined => {
  if (!seen.isUtf8) return `. Write it in UTF-8: ${excelExport}`;
  if (seen.header?.[0]?.startsWith('sep=') === true) return `. ${separatorLineAdvice}`;
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

const withText = (faults: readonly InputFault[], at: number, text: string): readonly InputFault[] =>
  faults.map((fault, index) => (index === at ? { ...fault, detail: `${fault.detail}${text}` } : fault));

/**
 * Adds advice on how to send or write the file to the first fault that another form would remove.
 * @param head first bytes of the body
 */
export const withAdvice = (
  faults: readonly InputFault[],
  head: Buffer,
  form: CsvForm,
): readonly InputFault[] => {
  const unsorted = faults.findIndex(({ code, count }) => code === 'timeGoesBack' && count !== undefined);
  if (unsorted >= 0) return withText(faults, unsorted, '. Sort the rows by date');
  const first = faults.findIndex(({ code }) => avoidable.has(code));
  if (first < 0) return faults;
  const advice = adviceOn(inspectCsv(head, !head.includes(0x0a), rowsMax), form);
  return advice === undefined ? faults : withText(faults, first, advice);
};
