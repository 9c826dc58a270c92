import { defaultForm, type CsvForm, type Separator, type SeparatorName } from '../csvForm.js';
import type { Inspection, SeenColumn } from './inspection.js';

/** The choices that a request must make to read an inspected body: those that differ from the default format. */
export const formChoices = ({ separator, decimal, dateFormat, columns }: Inspection): Partial<CsvForm> => {
  const date = columns.find(({ kind }) => kind === 'date');
  const value = columns.find(({ kind }) => kind === 'value');
  const isGiven = columns.length === 2 && date?.number === 1 && value?.number === 2;
  return {
    ...(separator === defaultForm.separator ? {} : { separator }),
    ...(decimal === null || decimal === defaultForm.decimal ? {} : { decimal }),
    ...(dateFormat === null || dateFormat === defaultForm.dateFormat ? {} : { dateFormat }),
    ...(isGiven || !date || !value
      ? {}
      : { dateColumn: columnName(date, columns), valueColumn: columnName(value, columns) }),
  };
};

/** The name of a column if it names no other, else its number. */
const columnName = ({ name, number }: SeenColumn, columns: readonly SeenColumn[]): string =>
  name !== null &&
  name !== '' &&
  name === name.trim() &&
  !/^\d+$/.test(name) &&
  columns.filter(other => other.name === name).length === 1
    ? name
    : String(number);

/** Names of separators in requests where the character is hard to send. */
const spelledSeparators: Partial<Record<Separator, SeparatorName>> = { '\t': 'tab', ';': 'semicolon' };

/** Choices as a request spells them. */
export const spelledForm = <Choices extends Partial<CsvForm>>({
  separator,
  ...others
}: Choices): Omit<Choices, 'separator'> & { readonly separator?: SeparatorName } => ({
  ...(separator === undefined ? {} : { separator: spelledSeparators[separator] ?? separator }),
  ...others,
});

/** Choices as query parameters: `separator=,&decimal=.`. */
export const choicesQuery = (choices: Partial<CsvForm>): string =>
  Object.entries(spelledForm(choices))
    .map(
      ([name, choice]) =>
        `${name}=${encodeURIComponent(choice).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')}`,
    )
    .join('&');
