import { windowMax, type ReadDay } from '../../../analysis/misread/hours.js';
import { misreadings, type Misreading } from '../../../analysis/misread/misreadings.js';
import { dateOf, dayNumber, secondsPerDay } from '../../../domain/dates.js';
import { observed, type Day } from '../../../domain/day.js';
import { percent } from '../../../domain/percent.js';
import type { ImportSummary } from '../../../domain/days.js';
import { eventLoopYielder } from '../../ports/sharing/eventLoopYielder.js';
import type { LocalClock } from '../../ports/localClock.js';
import { plural } from './counted.js';

type Warning = ImportSummary['warnings'][number];

/** Newest days of an import that are looked at: more than two years. */
export const freshDaysMax = 800;

/** Days as the rules for misreadings take them: slices without points are NaN. */
export const readDays = (days: readonly Day[]): readonly ReadDay[] =>
  days.map(day => {
    const flags = observed(day);
    return {
      dayNumber: dayNumber(day.date),
      values: day.activity.map((value, slice) => (flags[slice] ? value : NaN)),
    };
  });

const rounded = (number: number): number => Number(number.toPrecision(3));

/** A factor in words: ×1000, or ÷60. */
const factorText = (factor: number): string =>
  factor >= 1 ? `×${rounded(factor)}` : `÷${rounded(1 / factor)}`;

const datesText = (from: number, to: number): string => `${dateOf(from)} to ${dateOf(to)}`;

/** Days around a shift in which a change of the clock explains it: windows tell its date within a week. */
const nearDays = 7;

/** The date near a day number on which a clock changes; undefined without one. */
const clockChangeNear = ({ periodAt }: LocalClock, at: number): string | undefined => {
  for (let day = at - nearDays; day <= at + nearDays; day += 1)
    if (periodAt(day * secondsPerDay).offset !== periodAt((day + 1) * secondsPerDay).offset)
      return dateOf(day);
  return undefined;
};

const shiftText = (
  { at, hours, votes }: Misreading & { code: 'clockShifted' },
  clock: LocalClock,
): string => {
  const change = Math.abs(hours) === 1 ? clockChangeNear(clock, at) : undefined;
  return (
    `from about ${dateOf(at)} on the days come ${plural(Math.abs(hours), 'hour')} ` +
    `${hours > 0 ? 'later' : 'earlier'} than before: ${percent(votes)} of them fit the typical days before better ` +
    'without the shift' +
    (change === undefined
      ? ''
      : `; the clock of ${clock.timeZone} changes about ${change}: its change was applied twice, or not at all`)
  );
};

/** The numbers of a misreading in words. */
const detailOf = (found: Misreading, clock: LocalClock): string => {
  switch (found.code) {
    case 'oneRowADay':
      return `${found.days} of ${plural(found.of, 'day')} have one value for ${found.slices} slices`;
    case 'looksCumulative':
      return (
        `the values of ${plural(found.days, 'day')} rise in ${found.rises} of the ${found.rises + found.falls} ` +
        'steps that change them, as readings of a register do'
      );
    case 'dayMonthSwapped':
      return found.shownBy === 'dates'
        ? `the dates are ${found.runs} separate runs; with day and month swapped they are ${found.runsSwapped}`
        : `${percent(found.votes)} of ${found.days} days fit better on the date with day and month swapped`;
    case 'repeatedBlock':
      return (
        `${datesText(found.from, found.to)} have exactly the values of ` +
        datesText(found.from - found.offset, found.to - found.offset)
      );
    case 'unitChanged':
      return (
        `from about ${dateOf(found.at)} on the level is ${rounded(found.measured)} times that before, ` +
        `about ${factorText(found.factor)}, and the days have the same shape: the unit seems to have changed`
      );
    case 'clockShifted':
      return shiftText(found, clock);
  }
};

/**
 * Warnings of new days that may be read in two ways.
 * @param fresh the new days, ascending
 * @param known stored days around them; those of a date of `fresh` do not count
 */
export const misreadWarnings = async (
  fresh: readonly ReadDay[],
  known: readonly ReadDay[],
  clock: LocalClock,
): Promise<Warning[]> => {
  const yieldToEventLoop = eventLoopYielder();
  const newest = fresh.slice(-freshDaysMax);
  const dates = new Set(newest.map(day => day.dayNumber));
  const others = known.filter(day => !dates.has(day.dayNumber));
  const warnings: Warning[] = [];
  for (const found of misreadings(newest, others)) {
    if (found) warnings.push({ code: found.code, detail: detailOf(found, clock) });
    await yieldToEventLoop();
  }
  return warnings;
};

/** Days before an import that its changes are compared with: enough to know ordinary weeks. */
export const knownDaysBefore = 3.5 * windowMax;
