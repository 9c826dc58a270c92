import { hourRows, windowMax, type ReadDay, windowPairs } from './windows.js';
import {
  clearestLevelChange,
  type LevelChange,
  registerIn,
  type Register,
  repeatedBlock,
  type RepeatedBlock,
} from './wrongValues.js';
import { clearestShift, type Shift, swappedDates, type SwappedDates } from './wrongTimes.js';

/** Days that were read in a wrong way, with the numbers that show it. */
export type Misreading =
  | ({ readonly code: 'oneRowADay' } & OneRowADay)
  | ({ readonly code: 'looksCumulative' } & Register)
  | ({ readonly code: 'dayMonthSwapped' } & SwappedDates)
  | ({ readonly code: 'repeatedBlock' } & RepeatedBlock)
  | ({ readonly code: 'unitChanged' } & LevelChange)
  | ({ readonly code: 'clockShifted' } & Shift);

/** Number of days with a single value, of all, and the number of their slices. */
export type OneRowADay = { readonly days: number; readonly of: number; readonly slices: number };

/** Fewest days of one value, and their smallest share of all days. */
const oneRowDaysMin = 3;
const oneRowShareMin = 0.9;
/** Days that are judged together at least: an import of fewer is read with those before it. */
const latestMin = 3;

const oneRowADay = (days: readonly ReadDay[]): OneRowADay | undefined => {
  const one = days.filter(({ values }) => values.filter(value => !Number.isNaN(value)).length === 1).length;
  return one >= oneRowDaysMin && one >= oneRowShareMin * days.length
    ? { days: one, of: days.length, slices: days[0]?.values.length ?? 0 }
    : undefined;
};

/**
 * Signs that new days were read in a wrong way. Undefined after a rule that finds nothing: callers may pause there.
 * Days with a single value, and registers, are not compared further.
 * @param fresh the new days, ascending; NaN for slices without points
 * @param known stored days around them, ascending, none of a date of `fresh`
 */
export function* misreadings(
  fresh: readonly ReadDay[],
  known: readonly ReadDay[],
): Generator<Misreading | undefined> {
  const [begun = NaN] = fresh.map(({ dayNumber }) => dayNumber);
  const days = [...known, ...fresh].sort((a, b) => a.dayNumber - b.dayNumber);
  const before = Math.max(0, latestMin - fresh.length);
  const latest = days.filter(({ dayNumber }) => dayNumber >= begun - before);
  const oneRow = oneRowADay(latest);
  yield oneRow && { code: 'oneRowADay', ...oneRow };
  const rows = hourRows(days);
  const register = oneRow ? undefined : registerIn(rows, latest[0]?.dayNumber ?? begun);
  yield register && { code: 'looksCumulative', ...register };
  const swaps = swappedDates(
    rows,
    fresh.map(({ dayNumber }) => dayNumber),
  );
  yield swaps && { code: 'dayMonthSwapped', ...swaps };
  if (oneRow || register) return;
  const block = repeatedBlock(days, begun);
  yield block && { code: 'repeatedBlock', ...block };
  // Dates in a wrong order look like changes of level and time.
  if (swaps) return;
  const from = begun - windowMax + 1;
  const pairs = windowPairs(rows, from);
  const change = clearestLevelChange(rows, from, pairs);
  yield change && { code: 'unitChanged', ...change };
  const shift = clearestShift(rows, from, pairs);
  yield shift && { code: 'clockShifted', ...shift };
}
