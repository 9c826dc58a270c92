import { decimals, defaultForm, separatorNames, type Decimal, type Separator } from '../csvForm.js';
import { parsePointValue, parseValue } from '../fields.js';
import { dateFormats, stampFormats, type DateFormat } from '../stampFormats.js';
import { csvRows } from './csvRows.js';

/** Rows from which the form is guessed. */
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

/** Guesses the columns and their forms for one separator. A column belongs when half of its fields fit. */
const guessFor = (separator: Separator, rows: readonly (readonly string[])[]): Guess => {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const column = (index: number): string[] => rows.map(fields => fields[index] ?? '');
  const indices = Array.from({ length: width }, (_, index) => index);
  const enough = ({ fitting }: { readonly fitting: number }): boolean => 2 * fitting >= rows.length - 1;
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

/** Guesses the form of a text from its first rows. */
export const guessForm = (text: string): Guess => {
  const guesses = allSeparators.map(separator => guessFor(separator, csvRows(text, separator, guessRowsMax)));
  return bestOf(guesses) ?? guesses[0] ?? noGuess;
};
