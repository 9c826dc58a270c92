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

/** How the writer of a file makes it readable; undefined when the reason is not known. */
const exportHint = (seen: Inspection): string | undefined => {
  if (!seen.isUtf8 || seen.dateFormat === 'DD/MM/YYYY HH:mm') return excelExport;
  return seen.dateFormat === 'ISO' || seen.dateFormat === 'YYYY-MM-DD HH:mm:ss'
    ? `write it from pandas with ${pandasCall(seen)}`
    : undefined;
};

/** Advice for a file that was read in a wrong form; undefined when the form is not the cause. */
const adviceOn = (seen: Inspection, form: CsvForm): string | undefined => {
  if (!seen.isUtf8) return `. Write it in UTF-8: ${excelExport}`;
  if (seen.dateFormat === null || seen.decimal === null) return undefined;
  const choices = formChoices(seen);
  const used = { ...defaultForm, ...form };
  const needed = { ...defaultForm, ...choices };
  const names = ['separator', 'decimal', 'dateFormat', 'dateColumn', 'valueColumn'] as const;
  if (names.every(name => used[name] === needed[name])) return undefined;
  const query = choicesQuery(choices);
  const send = query === '' ? 'Send it without choices of a form' : `Send it with ${query}`;
  const hint = query === '' ? undefined : exportHint(seen);
  return `. ${send}${hint === undefined ? '' : `, or ${hint}`}`;
};

/**
 * Adds advice on how to send or write the file to the first fault that another form would remove.
 * @param head first bytes of the body
 */
export const withAdvice = (
  faults: readonly InputFault[],
  head: Buffer,
  form: CsvForm,
): readonly InputFault[] => {
  const first = faults.findIndex(({ code }) => avoidable.has(code));
  if (first < 0) return faults;
  const advice = adviceOn(inspectCsv(head, !head.includes(0x0a), rowsMax), form);
  return advice === undefined
    ? faults
    : faults.map((fault, index) =>
        index === first ? { ...fault, detail: `${fault.detail}${advice}` } : fault,
      );
};
