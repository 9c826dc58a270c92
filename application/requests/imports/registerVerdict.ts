import { secondsPerDay } from '../../../domain/dates.js';
import { finestCount, runsWhere, type SliceCount } from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import {
  jumpFactor,
  speedOf,
  type Rise,
  countJumps,
  fallsTooOften,
  isUsual,
  rollOver,
  type fastestRises,
  type Speeds,
  stretchFrom,
} from '../../../domain/register.js';
import { utcClock } from '../../ports/localClock.js';
import type { DayRule } from './assembleDays.js';
import { plural } from '../../../domain/text.js';
import { adjustClockChange, type RegisterDay, type RegisterDays } from './dayFolder.js';
import { InvalidInput, type InvalidInputCode, type SampledDay } from './faults.js';

type Warning = ImportSummary['warnings'][number];

/** Two consecutive readings of a register that are no ordinary rise; instants in seconds since 1970. */
export type Turn = {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
};

/** Warnings of one code that are listed one by one. */
const listedMax = 10;

/** An instant in seconds since 1970, in UTC. */
const instantText = (at: number): string => new Date(at * 1000).toISOString().replace('.000Z', 'Z');

/** A number without the noise of a difference of two decimals. */
const numberText = (value: number): string => String(Number(value.toPrecision(12)));

const turnText = ({ from, to, before, after }: Turn): string =>
  `got ${numberText(after)} at ${instantText(to)} after ${numberText(before)} at ${instantText(from)}`;

/** Lists the first warnings of a code, and the number of the others. */
const listed = (
  code: string,
  turns: readonly Turn[],
  total: number,
  detailOf: (turn: Turn) => string,
): Warning[] => {
  const warnings = turns.slice(0, listedMax).map(turn => ({ code, detail: detailOf(turn) }));
  const others = total - warnings.length;
  return others === 0
    ? warnings
    : [...warnings, { code, detail: `${others} more like the last are not listed` }];
};

/** Warnings for falls: the register was reset, or the meter exchanged. @param total falls, also those not given */
const resetWarnings = (turns: readonly Turn[], total: number): Warning[] =>
  listed(
    'counterReset',
    turns,
    total,
    turn =>
      `${turnText(turn)}: the register was reset or the meter was exchanged; what it counted between the two ` +
      'readings is not known and is a gap',
  );

/** Warnings for rises that no register of this speed has. @param usual the fastest rise that is no jump */
const jumpWarnings = (turns: readonly Turn[], usual: Rise | undefined, step: number): Warning[] =>
  listed('counterJump', turns, turns.length, turn => {
    const fastest =
      usual === undefined
        ? 'what the source expects'
        : `the fastest other rise, ${numberText(speedOf(usual, step) * 3600)} an hour`;
    return (
      `${turnText(turn)}: a rise of ${numberText(turn.after - turn.before)} is more than ${jumpFactor} times ` +
      `as fast as ${fastest}; the time between the two readings is a gap`
    );
  });

/** Warnings for a register that passed a power of ten: its amount is known. @param amountOf the amount of a turn */
const rollOverWarnings = (turns: readonly Turn[], amountOf: (turn: Turn) => number): Warning[] =>
  listed('counterRollOver', turns, turns.length, turn => {
    const amount = amountOf(turn);
    const end = turn.before + amount - turn.after;
    return `${turnText(turn)}: the register went back to 0 at ${numberText(end)}; ${numberText(amount)} were counted`;
  });

/** The amounts of long stretches between readings. */
export type LongStretches = {
  readonly slices: number;
  readonly amount: number;
  /** Whether the amounts were spread evenly; else the slices are gaps. */
  readonly spread: boolean;
};

/** A sentence on slices without a reading near their ends; none when there are no such slices. */
const stretchNotes = ({ slices, amount, spread }: LongStretches): string[] => {
  if (slices === 0) return [];
  const what = `${plural(slices, 'slice')} between readings two or more slices apart`;
  return spread
    ? [`${what}: the register rose by ${numberText(amount)}, spread evenly over them`]
    : [
        `${what} are gaps: the register rose by ${numberText(amount)}, which no slice has; ` +
          'interpolationMethod=linear spreads it',
      ];
};

/** The refusal of values that fall too often to be readings of a register, with the cure. */
const notCumulative = (falls: number, changes: number, first: Turn | undefined): InvalidInput =>
  new InvalidInput(
    'notCumulative',
    `got ${plural(falls, 'fall')} in ${plural(changes, 'change')} of the value` +
      (first ? `, the first ${turnText(first).slice('got '.length)}` : '') +
      ', expected readings of a register, which rise except for a rare reset: create a source with ' +
      'aggregation=sum for amounts, or with aggregation=mean for levels',
    [],
  );

/** Digits that a difference of two readings has for certain, counted from the first digit of the largest reading. */
const digits = 14;

/** Settings of a register. */
export type RegisterRule = Pick<DayRule, 'activitySize' | 'interpolationMethod' | 'clock' | 'expectedMax'> & {
  /** Code of the error for too many days; that of CSV when it is not given. */
  readonly invalid?: InvalidInputCode;
};

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
