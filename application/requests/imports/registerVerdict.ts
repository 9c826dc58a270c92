import { secondsPerDay } from '../../../domain/dates.js';
import { finestCount, runsWhere, type SliceCount } from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import {
  countJumps,
  fallsTooOften,
  isUsual,
  rollOver,
  type fastestRises,
  type Rise,
  type Speeds,
} from '../../../domain/register.js';
import { utcClock } from '../../ports/localClock.js';
import type { DayRule } from './assembleDays.js';
import { adjustClockChange } from './dayFolder.js';
import type { SampledDay } from './fillByLine.js';
import {
  jumpWarnings,
  notCumulative,
  resetWarnings,
  rollOverWarnings,
  stretchNotes,
} from './registerNotes.js';
import type { Turn } from './registerNotes.js';
import type { RegisterDay, RegisterDays } from './registerSlices.js';

/** Readings so many slices apart, or more, leave the slices between them unknown. */
const stretchFrom = 2;
/** Digits that a difference of two readings has for certain, counted from the first digit of the largest reading. */
const digits = 14;

/** Settings of a register. */
export type RegisterRule = Pick<DayRule, 'activitySize' | 'interpolationMethod' | 'clock' | 'expectedMax'>;

/** The readings of a register, before jumps and roll-overs are distinguished. */
export type Collected = {
  readonly days: RegisterDays;
  readonly fastest: ReturnType<typeof fastestRises>;
  /** Falls that may be roll-overs. */
  readonly candidates: Turn[];
  /** The first other falls. */
  readonly resets: Turn[];
  /** Mutable counts: falls that are no candidates, rises above 0, all intervals that were spread and their seconds. */
  readonly count: { resets: number; rises: number; intervals: number; seconds: number };
  /** Largest magnitude of a reading. */
  largest: number;
};

const speedsOf = ({ count }: Collected, { activitySize, expectedMax }: RegisterRule): Speeds => {
  const step = count.intervals === 0 ? 0 : count.seconds / count.intervals;
  if (activitySize === undefined || expectedMax === undefined) return { rises: count.rises, step };
  const sliceSeconds = secondsPerDay / activitySize;
  return { rises: count.rises, step, known: { speed: expectedMax / sliceSeconds, sliceSeconds } };
};

const riseOf = ({ from, to, before, after }: Turn): Rise => ({
  from,
  to,
  before,
  amount: rollOver(before, after) ?? 0,
});

const jumpOf = ({ from, to, before, amount }: Rise): Turn => ({ from, to, before, after: before + amount });

/**
 * Distinguishes jumps, roll-overs and resets when the speeds of the register are known. Slices of jumps and resets
 * become unknown, amounts of roll-overs are added.
 * @throws InvalidInput `notCumulative` when the values fall too often
 */
export const judgeRegister = (collected: Collected, rule: RegisterRule): ImportSummary['warnings'] => {
  const { days, candidates, count } = collected;
  const speeds = speedsOf(collected, rule);
  const ranked = collected.fastest.ranked(speeds.step);
  const jumps = ranked.slice(0, countJumps(ranked, speeds)).sort((a, b) => a.from - b.from);
  const usual = ranked[jumps.length];
  const passed = candidates.filter(turn => isUsual(riseOf(turn), usual, speeds));
  const reset = candidates.filter(turn => !passed.includes(turn));
  const resets = [...collected.resets, ...reset].sort((a, b) => a.from - b.from);
  const falls = count.resets + reset.length;
  const changes = falls + count.rises + passed.length;
  if (fallsTooOften(falls, changes)) throw notCumulative(falls, changes, resets[0]);
  for (const { from, to } of reset) {
    days.cutAt(from);
    days.cutAt(to);
  }
  for (const { from, to } of jumps) days.forget(from, to);
  for (const turn of passed) days.spread(turn.from, turn.to, riseOf(turn).amount);
  return [
    ...resetWarnings(resets, falls),
    ...jumpWarnings(jumps.map(jumpOf), usual, speeds.step),
    ...rollOverWarnings(passed, turn => riseOf(turn).amount),
  ];
};

/** Rounds amounts to the digits that differences of a register have: 1000.3 − 1000.2 is 0.1. */
const roundingTo = (largest: number): ((amount: number) => number) => {
  const decimals = largest > 0 ? digits - Math.ceil(Math.log10(largest)) : digits;
  return decimals < 0 || decimals > 100 ? amount => amount : amount => Number(amount.toFixed(decimals));
};

/** Longest span of ten-minute slices; NaN where a part is unknown. The clock skips slices of 0 seconds. */
const longestSpan = (spans: Float32Array, seconds: Float64Array | undefined, from: number): number => {
  let longest = 0;
  for (const [index, span] of spans.entries()) {
    if (seconds?.[from + index] === 0) continue;
    if (span === 0 || span === Infinity) return NaN;
    longest = Math.max(longest, span);
  }
  return longest === 0 ? NaN : longest;
};

/** Amounts of the slices of a day, NaN for unknown ones; and which of them are parts of a longer stretch. */
const sliceAmounts = (day: RegisterDay, seconds: Float64Array | undefined, size: SliceCount) => {
  if (seconds) adjustClockChange(day, seconds, size);
  const per = finestCount / size;
  const isLong: boolean[] = [];
  const amounts = Array.from({ length: size }, (_, slice) => {
    const [from, to] = [slice * per, (slice + 1) * per];
    const span = longestSpan(day.spans.subarray(from, to), seconds, from);
    isLong.push(span >= (stretchFrom * secondsPerDay) / size);
    return Number.isNaN(span) ? NaN : day.sums.subarray(from, to).reduce((sum, amount) => sum + amount, 0);
  });
  return { amounts, isLong };
};

/**
 * Days in `size` slices. Slices between readings two or more slices apart have an even part of the rise with `linear`,
 * and no value with `zero`. A day without a row and without a value is no day of the import.
 */
export const sampleRegister = (
  { days, largest }: Collected,
  { clock = utcClock, interpolationMethod }: RegisterRule,
  size: SliceCount,
): { readonly sampled: SampledDay[]; readonly notes: readonly string[] } => {
  const round = roundingTo(largest);
  const isSpread = interpolationMethod === 'linear';
  const sampled: SampledDay[] = [];
  let slices = 0;
  let amount = 0;
  for (const day of days.all()) {
    const { amounts, isLong } = sliceAmounts(day, clock.sliceSeconds(day.dayNumber), size);
    const values = amounts.map((value, slice) => (isLong[slice] && !isSpread ? NaN : round(value)));
    for (const [slice, long] of isLong.entries()) {
      if (!long) continue;
      slices += 1;
      amount += amounts[slice] ?? 0;
    }
    if (!day.hasRow && values.every(Number.isNaN)) continue;
    const spread = isSpread ? runsWhere(size, slice => isLong[slice] === true) : [];
    sampled.push({ dayNumber: day.dayNumber, values, ...(spread.length > 0 && { spread }) });
  }
  return { sampled, notes: stretchNotes({ slices, amount, spread: isSpread }) };
};
