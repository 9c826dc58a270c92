import { monthNames, weekdayNames } from '../../domain/dates.js';
import type { ReferenceDay } from './reference.js';

type Dated = Pick<ReferenceDay, 'date' | 'weekday' | 'month'> & { readonly holiday?: boolean };

/** Models of so few days are named by their dates. */
const datedMax = 3;

/**
 * Names that say when models occur: weekdays, with the months where that is not all the year ("Monday–Friday,
 * Jul–Aug"), or the dates of a model of up to three days ("25 Dec, 26 Dec"). Models that occur at the same
 * times are told apart by their mean level in words. Every name is unique and at most 100 characters.
 * @param models    the reference days of each model, in order of date, and its curve
 * @param reference all reference days, with which shares of weekdays and months are compared
 * @returns         one name a model
 */
export const modelNames = (
  models: readonly { readonly days: readonly Dated[]; readonly curve: readonly number[] }[],
  reference: readonly Dated[],
): string[] => {
  const names = models.map(({ days }) => occurrence(days, reference));
  const levels = models.map(({ curve }) => curve.reduce((sum, value) => sum + value, 0) / curve.length);
  return names.map((name, model) => {
    const namesakes = names.flatMap((other, index) => (other === name ? index : []));
    if (namesakes.length === 1) return name;
    return `${name}, ${distinction(model, namesakes, levels)}`;
  });
};

/** How one of several models with one name is called: by its level where levels differ, else by number. */
const distinction = (model: number, namesakes: readonly number[], levels: readonly number[]): string => {
  const level = (of: number): number => levels[of] ?? 0;
  if (new Set(namesakes.map(level)).size < namesakes.length) return `pattern ${namesakes.indexOf(model) + 1}`;
  const place = namesakes.filter(other => level(other) < level(model)).length;
  if (namesakes.length === 2) return place === 0 ? 'lower' : 'higher';
  if (place === 0) return 'lowest';
  if (place === namesakes.length - 1) return 'highest';
  return namesakes.length === 3 ? 'middle' : `level ${place + 1} of ${namesakes.length}`;
};

const occurrence = (days: readonly Dated[], reference: readonly Dated[]): string => {
  if (days.length <= datedMax)
    return days.map(({ date, month }) => `${Number(date.slice(8))} ${monthNames[month]}`).join(', ');
  if (days.filter(({ holiday }) => holiday).length * 2 > days.length) return 'public holidays';
  const weekdays = frequent(days, reference, 7, day => day.weekday);
  // Months are judged by the named weekdays alone: a model of Saturdays is not rare in a month of five Mondays.
  const alike = (day: Dated): boolean => weekdays.has(day.weekday);
  const there = reference.filter(alike);
  const months = frequent(days.filter(alike), there, 12, day => day.month);
  const season = new Set(there.map(day => day.month)).size > months.size;
  return [
    weekdays.size === 7 ? 'every day' : runsText(weekdays, weekdayNames),
    ...(season ? [runsText(months, monthNames)] : []),
  ].join(', ');
};

/**
 * The weekdays (or months) that a model mostly has: those of whose reference days it takes a share of at least
 * half of the largest such share. Shares, not counts, since a reference may hold few days of some.
 */
const frequent = (
  days: readonly Dated[],
  reference: readonly Dated[],
  size: number,
  of: (day: Dated) => number,
): ReadonlySet<number> => {
  const count = (among: readonly Dated[], part: number): number =>
    among.filter(day => of(day) === part).length;
  const shares = Array.from({ length: size }, (_, part) => {
    const all = count(reference, part);
    return all > 0 ? count(days, part) / all : 0;
  });
  const least = Math.max(...shares) / 2;
  return new Set(shares.flatMap((share, part) => (share > 0 && share >= least ? part : [])));
};

/** Parts of a circle (a week, a year) in words: runs with a dash, across the end too ("Nov–Feb"). */
const runsText = (parts: ReadonlySet<number>, names: readonly string[]): string => {
  const size = names.length;
  if (parts.size === size) return `${names[0]}–${names[size - 1]}`;
  return [...parts]
    .filter(part => !parts.has((part + size - 1) % size))
    .sort((a, b) => a - b)
    .map(from => {
      let to = from;
      while (parts.has((to + 1) % size)) to = (to + 1) % size;
      return from === to ? names[from] : `${names[from]}–${names[to]}`;
    })
    .join(', ');
};
