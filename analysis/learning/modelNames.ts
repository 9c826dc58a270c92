import { monthNames, weekdayNames } from '../../domain/dates.js';
import { isOfWeeks, phaseOf, type CycleOfDays } from '../../domain/planning/dayCycles.js';
import { presentRules, type EngineRules } from '../engine.js';
import { mean } from '../math/statistics.js';
import type { ReferenceDay } from './prepare.js';

/** A day to name models by. `kind` is its name as a special day or as a date of the month; `number` its day number. */
type Dated = Pick<ReferenceDay, 'date' | 'weekday' | 'month'> & {
  readonly holiday?: boolean;
  readonly kind?: string | undefined;
  readonly number?: number;
};

/** Rules of the engine, and the cycle of days of the source, if it has one. */
type Naming = Pick<
  EngineRules,
  'namesExceptions' | 'namesPlannedDays' | 'namesYearsAndExceptions' | 'namesWholeWeeks'
> & {
  readonly cycle?: CycleOfDays | undefined;
};

/** Models with at most this many days are named by their dates. */
const datedMax = 3;

/**
 * Names that describe when models occur: weekdays, with months if these are not the whole year ("Monday–Friday,
 * Jul–Aug", "every day except Tuesday"), or the dates of a model with up to three days ("only 25 Dec and 26 Dec").
 * Special days and dates of the month that are most of a model name it; days of a cycle take the place of weekdays.
 * Equal names are distinguished by the mean of the profile in words. Every name is unique and at most 100 characters.
 * @param models    the reference days planned to follow each model, by date, and its profile
 * @param reference all reference days
 * @returns         one name per model
 */
export const modelNames = (
  models: readonly { readonly days: readonly Dated[]; readonly profile: readonly number[] }[],
  reference: readonly Dated[],
  naming: Naming = presentRules,
): string[] => {
  const words = wordsOf(naming);
  const names = models.map(
    ({ days }) =>
      (naming.namesPlannedDays ? kindOf(days) : undefined) ?? occurrence(days, reference, words, naming),
  );
  const means = models.map(({ profile }) => mean(profile));
  return names.map((name, model) => {
    const namesakes = names.flatMap((other, index) => (other === name ? index : []));
    if (namesakes.length === 1) return name;
    return `${name}, ${distinction(model, namesakes, means)}`;
  });
};

/** Suffix for one of several models with the same name: by its mean if all means differ, otherwise a number. */
const distinction = (model: number, namesakes: readonly number[], means: readonly number[]): string => {
  const mean = (other: number): number => means[other] ?? 0;
  if (new Set(namesakes.map(mean)).size < namesakes.length) return `pattern ${namesakes.indexOf(model) + 1}`;
  const place = namesakes.filter(other => mean(other) < mean(model)).length;
  if (namesakes.length === 2) return place === 0 ? 'lower' : 'higher';
  if (place === 0) return 'lowest';
  if (place === namesakes.length - 1) return 'highest';
  return namesakes.length === 3 ? 'middle' : `level ${place + 1} of ${namesakes.length}`;
};

/** Texts of the parts of a name. Sets have the places of weekdays and months, from 0. */
type NameWords = {
  readonly dates: (dates: readonly string[]) => string;
  readonly weekdays: (weekdays: ReadonlySet<number>) => string;
  readonly months: (months: ReadonlySet<number>) => string;
};

/** Longest name of a special day in the name of a model. */
const kindLengthMax = 80;

/** The special day or date of the month that more than half of some days are; undefined when there is none. */
const kindOf = (days: readonly Dated[]): string | undefined => {
  const counts = new Map<string, number>();
  for (const { kind } of days) if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const most = [...counts].find(([, count]) => 2 * count > days.length);
  // Half of a pair of surrogates has no bytes in UTF-8.
  return most?.[0].slice(0, kindLengthMax).replace(/[\uD800-\uDBFF]$/, '');
};

/** Shares of the largest share from which a weekday or month is named, and share of the days that a name covers. */
const namedFrom = [1 / 2, 1 / 3, 1 / 4, 1 / 6, 1 / 12, 0] as const;
const coveredMin = 0.75;

/** Parts of the week or of a cycle, numbered from 0. */
type Parts = {
  readonly size: number;
  readonly partOf: (day: Dated) => number;
  readonly text: (parts: ReadonlySet<number>) => string;
  /** A text of at most 40 characters. */
  readonly short: (parts: ReadonlySet<number>) => string;
};

/** Longest name with the parts of a cycle in full, without what distinguishes it from equal names. */
const fullTextMax = 80;

const everyDay = 'every day';

/** When the days of a model occur, in words. */
const occurrence = (
  days: readonly Dated[],
  reference: readonly Dated[],
  words: NameWords,
  { namesPlannedDays, namesYearsAndExceptions, namesWholeWeeks, cycle }: Naming,
): string => {
  if (days.length <= datedMax) {
    const dates = days.map(({ date, month }) => `${Number(date.slice(8))} ${monthNames[month]}`);
    const areDistinct = new Set(dates).size === dates.length;
    return words.dates(
      namesYearsAndExceptions && !areDistinct
        ? dates.map((text, at) => `${text} ${days[at]!.date.slice(0, 4)}`)
        : dates,
    );
  }
  if (days.filter(({ holiday }) => holiday).length * 2 > days.length) return 'public holidays';
  const parts = cycle
    ? cycleParts(cycle, weekdays =>
        namesWholeWeeks && weekdays.size === 7 ? everyDay : words.weekdays(weekdays),
      )
    : { size: 7, partOf: (day: Dated) => day.weekday, text: words.weekdays, short: words.weekdays };
  const tried = namedFrom.map(from => namedDays(days, reference, parts, from));
  const found = namesPlannedDays
    ? tried.find(({ covered }) => covered >= coveredMin * days.length)
    : tried[0];
  const { own, months, seasonal } = found ?? tried.at(-1)!;
  const named = (text: string): string => (seasonal ? `${text}, ${words.months(months)}` : text);
  if (own.size === parts.size) return named(everyDay);
  const full = named(parts.text(own));
  return full.length > fullTextMax ? named(parts.short(own)) : full;
};

/** The parts and months by which a model is named, and the number of its days in them. */
const namedDays = (
  days: readonly Dated[],
  reference: readonly Dated[],
  { size, partOf }: Parts,
  from: number,
) => {
  const own = frequent(days, reference, size, { partOf, from });
  // Only the named weekdays are counted: a month with five Mondays must not make Saturdays look rare.
  const isNamed = (day: Dated): boolean => own.has(partOf(day));
  const comparable = reference.filter(isNamed);
  const months = frequent(days.filter(isNamed), comparable, 12, { partOf: day => day.month, from });
  const seasonal = new Set(comparable.map(day => day.month)).size > months.size;
  return { own, months, seasonal, covered: days.filter(day => isNamed(day) && months.has(day.month)).length };
};

/** Parts of a cycle of days: its days, or the weekdays of its weeks. */
const cycleParts = (cycle: CycleOfDays, weekdaysText: NameWords['weekdays']): Parts => {
  const { length } = cycle;
  const partOf = ({ number = 0 }: Dated): number => phaseOf(cycle, number);
  const numbers = Array.from({ length }, (_, day) => String(day + 1));
  const daysText = (parts: ReadonlySet<number>): string =>
    `${parts.size === 1 ? 'day' : 'days'} ${enumeration(runsOf(parts, numbers))} of ${length}`;
  const short = ({ size }: ReadonlySet<number>): string => `${size} days of a cycle of ${length}`;
  if (!isOfWeeks(cycle)) return { size: length, partOf, text: daysText, short };
  const weeksText = (parts: ReadonlySet<number>): string => {
    const weeks = Array.from({ length: length / 7 }, (_, week) =>
      weekdaysText(new Set([...parts].filter(part => Math.floor(part / 7) === week).map(part => part % 7))),
    );
    if (weeks.every(week => week === weeks[0])) return weeks[0]!;
    const named = weeks.flatMap((week, index) => (week === '' ? [] : `${week} of week ${index + 1}`));
    return `${enumeration(named)} of ${weeks.length}`;
  };
  return { size: length, partOf, text: weeksText, short };
};

/**
 * Weekdays (or months) in which a model is frequent: its share of the reference days is at least a part (`from`) of its
 * largest share. Shares are compared instead of counts, since a reference may contain few days of some weekdays.
 */
const frequent = (
  days: readonly Dated[],
  reference: readonly Dated[],
  size: number,
  { partOf, from }: Pick<Parts, 'partOf'> & { readonly from: number },
): ReadonlySet<number> => {
  const count = (among: readonly Dated[], part: number): number =>
    among.filter(day => partOf(day) === part).length;
  const shares = Array.from({ length: size }, (_, part) => {
    const all = count(reference, part);
    return all > 0 ? count(days, part) / all : 0;
  });
  const least = Math.max(...shares) * from;
  return new Set(shares.flatMap((share, part) => (share > 0 && share >= least ? part : [])));
};

/** Runs of some weekdays or months, not all, each written with a dash; a run may cross the end ("Nov–Feb"). */
const runsOf = (parts: ReadonlySet<number>, names: readonly string[]): string[] => {
  const size = names.length;
  return [...parts]
    .filter(part => !parts.has((part + size - 1) % size))
    .sort((a, b) => a - b)
    .map(from => {
      let to = from;
      while (parts.has((to + 1) % size)) to = (to + 1) % size;
      return from === to ? names[from]! : `${names[from]}–${names[to]}`;
    });
};

/** The only weekday or month that is not among the parts; undefined for none or several. */
const exceptionOf = (parts: ReadonlySet<number>, names: readonly string[]): string | undefined =>
  parts.size === names.length - 1 ? names.find((_, part) => !parts.has(part)) : undefined;

/** `a`, `a and b` or `a, b and c`. */
const enumeration = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;

/** "Monday–Friday except Wednesday": a run of five or six weekdays without one of its middle; undefined for others. */
const runExcept = (weekdays: ReadonlySet<number>): string | undefined => {
  const [from, to] = [Math.min(...weekdays), Math.max(...weekdays)];
  const missing = weekdayNames.flatMap((_, day) => (day > from && day < to && !weekdays.has(day) ? day : []));
  return weekdays.size >= 4 && to - from < 6 && missing.length === 1
    ? `${weekdayNames[from]}–${weekdayNames[to]} except ${weekdayNames[missing[0]!]}`
    : undefined;
};

/** Words of engines 6 to 11. */
const wordsBefore: NameWords = {
  dates: dates => `only ${enumeration(dates)}`,
  weekdays: weekdays => {
    // "Monday–Saturday" and "Tuesday–Sunday" are plain enough.
    const exception = weekdays.has(0) && weekdays.has(6) ? exceptionOf(weekdays, weekdayNames) : undefined;
    return exception ? `every day except ${exception}` : enumeration(runsOf(weekdays, weekdayNames));
  },
  months: months => {
    const exception = exceptionOf(months, monthNames);
    return exception ? `except ${exception}` : enumeration(runsOf(months, monthNames));
  },
};

const presentWords: NameWords = {
  ...wordsBefore,
  weekdays: weekdays => runExcept(weekdays) ?? wordsBefore.weekdays(weekdays),
};

/** Words of engines up to 5. */
const earlierWords: NameWords = {
  dates: dates => dates.join(', '),
  weekdays: weekdays => runsOf(weekdays, weekdayNames).join(', '),
  months: months => runsOf(months, monthNames).join(', '),
};

/** Words of the names by the rules of an engine. */
const wordsOf = ({ namesExceptions, namesYearsAndExceptions }: Naming): NameWords => {
  if (!namesExceptions) return earlierWords;
  return namesYearsAndExceptions ? presentWords : wordsBefore;
};

/**
 * Colours that people with common kinds of colour blindness can distinguish, as far as that is possible for so many.
 * First the eight of Okabe and Ito, "Color Universal Design" (2008), strongest on white first. Then the schemes muted,
 * vibrant, bright, medium-contrast and light of Paul Tol, "Colour Schemes" (SRON/EPS/TN/09-002, 2021).
 */
const published = [
  ['#0072B2', '#E69F00', '#009E73', '#D55E00', '#CC79A7', '#56B4E9', '#F0E442', '#000000'],
  ['#332288', '#88CCEE', '#44AA99', '#117733', '#999933', '#DDCC77', '#CC6677', '#882255', '#AA4499'],
  ['#EE7733', '#0077BB', '#33BBEE', '#EE3377', '#CC3311', '#009988', '#BBBBBB'],
  ['#4477AA', '#EE6677', '#228833', '#CCBB44', '#66CCEE', '#AA3377'],
  ['#6699CC', '#004488', '#EECC66', '#994455', '#997700', '#EE99AA'],
  ['#77AADD', '#99DDFF', '#44BB99', '#BBCC33', '#AAAA00', '#EEDD88', '#EE8866', '#FFAABB', '#DDDDDD'],
].flat();

/** A colour with its red, green and blue components reduced to two thirds. */
const darker = (color: string): string =>
  `#${[1, 3, 5]
    .map(at => Math.floor((Number.parseInt(color.slice(at, at + 2), 16) * 2) / 3))
    .map(component => component.toString(16).toUpperCase().padStart(2, '0'))
    .join('')}`;

/** At least 64 distinct colours `#RRGGBB`, the easiest to distinguish first; darker shades of the others at the end. */
export const palette: readonly string[] = [...new Set([...published, ...published.map(darker)])];

/** Colour of a model by its index from 0. The palette repeats after its end. */
export const colorOf = (index: number): string => palette[index % palette.length] ?? '#000000';
