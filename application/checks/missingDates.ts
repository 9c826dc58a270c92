import { dateOf, dayNumber } from '../../domain/dates.js';

/** Smallest share of present dates of an import that is a series; with fewer it is a selection of days. */
const presentShareMin = 0.75;

/** Longest hole in days; a longer one separates two data sets. */
const holeMax = 31;

/**
 * Dates inside an import that have no data.
 * @param dates ascending dates of the import
 */
export const missingDates = (dates: readonly string[]): readonly string[] => {
  const numbers = dates.map(dayNumber);
  const span = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1;
  if (numbers.length === span || numbers.length < presentShareMin * span) return [];
  return numbers.slice(1).flatMap((number, index) => {
    const hole = number - (numbers[index] ?? number) - 1;
    return hole > holeMax ? [] : Array.from({ length: hole }, (_, offset) => dateOf(number - hole + offset));
  });
};
