import {
  decimals,
  dateFormats,
  defaultForm,
  separatorNames,
  stampFormats,
  type DateFormat,
  type Decimal,
  type Separator,
} from '../csvForm.js';
import { parsePointValue, parseValue } from '../fields.js';
import { csvRows } from './inspection.js';

/** Rows from which separator and columns are guessed. */
const guessRowsMax = 200;
/** Numbers of seconds that are read as dates: the years 1980 to 2100. */
const epochFrom = 315_532_800;
const epochTo = 4_102_444_800;

const allSeparators: readonly Separator[] = [...new Set(Object.values(separatorNames))];
/** Readers of values by decimal mark. */
export const valueReaders = { ',': parseValue, '.': parsePointValue } as const;

/** The instant or local time of a text in a format; `undefined` when it is none. */
export const stampOf = (text: string, format: DateFormat): number | undefined => {
  const at = stampFormats[format].parse(text);
  if (typeof at === 'string') return undefined;
  return format.startsWith('epoch') && (at < epochFrom || at > epochTo) ? undefined : at;
};

const isValue = (text: string, decimal: Decimal): boolean =>
  text !== '' && typeof valueReaders[decimal](text) === 'number';

const countOf = (texts: readonly string[], holds: (text: string) => boolean): number =>
  texts.reduce((count, text) => (holds(text) ? count + 1 : count), 0);

/** A column, the form of its fields, and the number of fields that fit it. */
type Column<Form> = { readonly index: number; readonly form: Form; readonly fitting: number };

/** A guess at the form, and the number of fields that fit it. */
export type Guess = {
  readonly separator: Separator;
  readonly date: Column<DateFormat> | undefined;
  readonly value: Column<Decimal> | undefined;
  readonly fitting: number;
};

/** The best of some candidates; the first one of equal ones. */
const bestOf = <Candidate extends { readonly fitting: number }>(
  candidates: readonly Candidate[],
): Candidate | undefined =>
  candidates.reduce<Candidate | undefined>(
    (best, next) => (next.fitting > (best?.fitting ?? 0) ? next : best),
    undefined,
  );

/** Rows of fields. */
export type Rows = readonly (readonly string[])[];

/** Guesses the columns and their forms for one separator. A column belongs when half of its fields with text fit. */
const guessFor = (separator: Separator, rows: Rows): Guess => {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const column = (index: number): string[] => rows.map(fields => fields[index] ?? '');
  const indices = Array.from({ length: width }, (_, index) => index);
  const filled = indices.map(index => countOf(column(index), text => text !== ''));
  const enough = ({ index, fitting }: Column<unknown>): boolean => 2 * fitting >= (filled[index] ?? 0) - 1;
  /** The column and the form with the most fitting fields. */
  const bestColumn = <Form>(
    among: readonly number[],
    forms: readonly Form[],
    fits: (text: string, form: Form) => boolean,
  ): Column<Form> | undefined =>
    bestOf(
      among
        .flatMap(index =>
          forms.map(form => ({ index, form, fitting: countOf(column(index), text => fits(text, form)) })),
        )
        .filter(enough),
    );
  const date = bestColumn(indices, dateFormats, (text, format) => stampOf(text, format) !== undefined);
  const others = indices.filter(index => index !== date?.index);
  // Columns after the dates come first.
  const ordered = [...others.filter(index => index > (date?.index ?? -1)), ...others];
  const value = bestColumn(ordered, decimals, isValue);
  return { separator, date, value, fitting: (date?.fitting ?? 0) + (value?.fitting ?? 0) };
};

const noGuess: Guess = { separator: defaultForm.separator, date: undefined, value: undefined, fitting: 0 };

/** Guesses the separator of a text from its first rows. */
export const separatorOf = (text: string): Separator => {
  const guesses = allSeparators.map(separator => guessFor(separator, csvRows(text, separator, guessRowsMax)));
  return (bestOf(guesses) ?? guesses[0] ?? noGuess).separator;
};

/** Guesses the columns from the first row and others spread over all of them: values may begin late. */
export const guessOf = (separator: Separator, rows: Rows): Guess => {
  const every = Math.max(1, Math.ceil(rows.length / guessRowsMax));
  const guess = guessFor(
    separator,
    rows.filter((_, index) => index % every === 0),
  );
  const { value } = guess;
  if (!value) return guess;
  const texts = rows.map(fields => fields[value.index] ?? '').filter(text => /[.,]/.test(text));
  const [comma, point] = [',' as const, '.' as const].map(form =>
    countOf(texts, text => isValue(text, form)),
  );
  const usual = separator === ',' ? '.' : ',';
  const form = comma === point ? usual : (comma ?? 0) > (point ?? 0) ? ',' : '.';
  return { ...guess, value: { ...value, form } };
};
