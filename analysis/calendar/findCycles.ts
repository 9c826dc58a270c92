import { dateOf, dayOfYear, month, weekday } from '../../domain/dates.js';
import type { PlanningCalendar } from '../../domain/planning/calendar.js';
import { dayTypes } from '../../domain/planning/calendar.js';
import { isMonthDay, monthDayWeight } from '../../domain/planning/similarity.js';
import type { EngineRules } from '../engine.js';
import { mean } from '../math/statistics.js';
import {
  lengthErrors,
  evidenceOf,
  isEnough,
  penalised,
  penalty,
  mediansOf,
  compareErrors,
  errorOf,
  errorsOf,
  heldOutParts,
  seasonWeight,
  type Compared,
  type CoarseDay,
  type Kinds,
} from './heldOutDays.js';
import type { CycleEvidence, CycleOfDays, DayCycle, MonthDay } from '../../domain/planning/dayCycles.js';

/** A reference day on its log scale; NaN in slices without a usable value. */
type ScaledDay = {
  readonly number: number;
  readonly weekday: number;
  readonly block: number;
  readonly scaled: Float64Array;
};

type CycleRules = Pick<EngineRules, 'beginsAfterMissing' | 'expectsByAllDays'>;

/** Parts of a day that are compared, when the slices can be divided into them. */
const partCounts = [6, 4] as const;

/** Fewest ordinary days, and fewest times that a cycle of days must come. */
const daysMin = 56;
const timesMin = 8;

/** Longest cycle of days that is no number of weeks, and numbers of weeks that are tried. */
const lengthMax = 30;
const weekCounts = [2, 3, 4] as const;

/** A longer cycle must be better than a shorter one by this factor. */
const clearly = 1.1;

/** Fewest blocks or dates that evidence needs. */
const groupsMin = 5;
const datesMin = 8;

/**
 * Dates of the month are this many times as far from what is expected as all days are: where the week explains little,
 * some dates of the month come out equal by chance.
 */
const farFrom = 2;

/** Largest number of dates of the month. */
const monthDaysMax = 2;

/** Longest cycle whose days are compared with those of the same season as days of a week are. */
const fortnight = 14;

/**
 * Cycles of a reference that are no week: at most one of days, and up to two dates of the month. A cycle is found when
 * planning by it comes clearly closer to months that were held out than planning by weekdays (ADR 104).
 * @param days     reference days by date, of one number of slices
 * @param calendar its cycles are not read
 * @param rules    of the engine that learns
 */
export const findCycles = (
  days: readonly ScaledDay[],
  calendar: PlanningCalendar,
  rules: CycleRules,
): readonly DayCycle[] => {
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  const coarse = days.filter(({ number }) => typeOf(number).type === 'ordinary').map(coarseDay);
  if (coarse.length < daysMin) return [];
  const expected = byWeekdays(coarse);
  const months = monthDays(coarse, expected, typeOf);
  const errors = errorsOf(coarse, expected);
  const found = cycleIn(coarse, errors, rules);
  if (!found) return months.length > 0 ? withMonths(coarse, months, { errors, typeOf, rules }).cycles : [];
  const after = monthDays(coarse, heldOutParts(coarse, found.kinds), typeOf);
  const daysFirst = { cycles: [found.cycle, ...after.map(cycleOf)], gain: found.gain + gainOf(after) };
  const monthsFirst = withMonths(coarse, months, { errors, typeOf, rules });
  return monthsFirst.gain > daysFirst.gain ? monthsFirst.cycles : daysFirst.cycles;
};

/** Errors of all days by weekdays, the types of their dates, and rules. */
type Judged = { readonly errors: Float64Array; readonly typeOf: DateTypes; readonly rules: CycleRules };

/** Dates of the month, and a cycle among the other days, with the error that they save. */
const withMonths = (
  days: readonly CoarseDay[],
  months: readonly FoundMonthDay[],
  { errors, typeOf, rules }: Judged,
): { readonly cycles: readonly DayCycle[]; readonly gain: number } => {
  const tests = months.map(({ cycle }) => isMonthDay(cycle, typeOf));
  const isOther = ({ number }: CoarseDay): boolean => !tests.some(test => test(number));
  const others = days.filter(isOther);
  const before = rules.expectsByAllDays
    ? errors.filter((_, index) => isOther(days[index]!))
    : errorsOf(others, byWeekdays(others));
  const found = months.length > 0 ? cycleIn(others, before, rules) : undefined;
  return {
    cycles: [...(found ? [found.cycle] : []), ...months.map(cycleOf)],
    gain: gainOf(months) + (found?.gain ?? 0),
  };
};

const cycleOf = ({ cycle }: { readonly cycle: DayCycle }): DayCycle => cycle;

const gainOf = (found: readonly { readonly gain: number }[]): number =>
  found.reduce((sum, { gain }) => sum + gain, 0);

/** The cycle of days that saves most error; undefined without enough evidence. */
const cycleIn = (days: readonly CoarseDay[], errors: Float64Array, rules: CycleRules): Found | undefined =>
  [ofDays(days, errors, rules), ofWeeks(days, errors)]
    .flatMap(cycle => cycle ?? [])
    .sort((a, b) => b.gain - a.gain)[0];

const byWeekdays = (days: readonly CoarseDay[]): Float64Array[] =>
  heldOutParts(days, { of: days.map(day => day.weekday), seasonFactor: 1 });

const coarseDay = ({ number, weekday, block, scaled }: ScaledDay): CoarseDay => {
  const count = partCounts.find(parts => scaled.length % parts === 0) ?? 1;
  const size = scaled.length / count;
  const parts = Float64Array.from({ length: count }, (_, part) => {
    let sum = 0;
    let known = 0;
    for (let at = part * size; at < (part + 1) * size; at += 1) {
      const value = scaled[at]!;
      if (value !== value) continue;
      sum += value;
      known += 1;
    }
    return sum / known;
  });
  return { number, weekday, season: dayOfYear(number), block, parts };
};

/** A cycle with the kinds of the days by it, and the error that it saves, with penalties. */
type Found = { readonly cycle: DayCycle; readonly kinds: Kinds; readonly gain: number };

const seasonFactorOf = (length: number): number => Math.min(1, fortnight / length);

/** The cycle of days that is no number of weeks with the least error; undefined without enough evidence. */
const ofDays = (days: readonly CoarseDay[], errors: Float64Array, rules: CycleRules): Found | undefined => {
  const all = [...days.keys()];
  const lengths = Array.from({ length: lengthMax - 1 }, (_, index) => index + 2).filter(
    length => length % 7 !== 0 && length * timesMin <= days.length,
  );
  const kindsOf = (length: number): Kinds => ({
    of: days.map(({ number }) => number % length),
    seasonFactor: seasonFactorOf(length),
  });
  const ranked = lengthErrors(days, lengths).map((error, at) => error * penalty(lengths[at]!, days.length));
  const least = Math.min(...ranked);
  const length = lengths[ranked.findIndex(error => error <= least * clearly)];
  if (length === undefined) return undefined;
  const after = errorsOf(days, heldOutParts(days, kindsOf(length)));
  const result = penalised(
    compareErrors(all, [errors, after], index => days[index]!.block),
    [penalty(7, days.length), penalty(length, days.length)],
  );
  const evidence = evidenceOf(result);
  if (!isEnough(evidence, 'days', groupsMin)) return undefined;
  const cycle: CycleOfDays = { kind: 'days', length, first: firstDay(days, length, rules) };
  return { cycle: { ...cycle, evidence }, kinds: kindsOf(length), gain: result.before - result.after };
};

/** The first date of the reference that begins a cycle: after the largest rise from one day of it to the next. */
const firstDay = (days: readonly CoarseDay[], length: number, { beginsAfterMissing }: CycleRules): string => {
  const first = days[0]!.number;
  const missing = beginsAfterMissing ? -Number.MAX_VALUE : Number.NaN;
  const levels = Array.from({ length }, (_, phase) => {
    const parts = days
      .filter(({ number }) => (number - first) % length === phase)
      .flatMap(day => [...day.parts].filter(value => value === value));
    return parts.length > 0 ? mean(parts) : missing;
  });
  const rises = levels.map((level, phase) => level - levels[(phase + length - 1) % length]!);
  const most = rises.reduce((best, rise, phase) => (rise > rises[best]! ? phase : best), 0);
  return dateOf(first + most);
};

/** The number of weeks after which some weekdays repeat; undefined without enough evidence for any weekday. */
const ofWeeks = (days: readonly CoarseDay[], errors: Float64Array): Found | undefined => {
  const first = days[0]!.number - weekday(days[0]!.number);
  return weekCounts
    .filter(weeks => 7 * weeks * timesMin <= days.length)
    .flatMap(weeks => ofWeekCount(days, errors, { length: 7 * weeks, first }) ?? [])
    .reduce<Found | undefined>(
      (best, found) => (best && found.gain <= best.gain * clearly ? best : found),
      undefined,
    );
};

const ofWeekCount = (
  days: readonly CoarseDay[],
  errors: Float64Array,
  { length, first }: { readonly length: number; readonly first: number },
): Found | undefined => {
  const phases = days.map(({ number }) => (number - first) % length);
  const all = { of: phases, seasonFactor: seasonFactorOf(length) };
  const after = errorsOf(days, heldOutParts(days, all));
  const result = (indices: readonly number[]): Compared => {
    const count = Math.max(1, indices.length);
    const weekdays = new Set(indices.map(index => days[index]!.weekday)).size;
    const compared = compareErrors(indices, [errors, after], index => days[index]!.block);
    return penalised(compared, [penalty(weekdays, count), penalty((weekdays * length) / 7, count)]);
  };
  const split = [0, 1, 2, 3, 4, 5, 6].flatMap(own => {
    const indices = [...days.keys()].filter(index => days[index]!.weekday === own);
    return isEnough(evidenceOf(result(indices)), 'weeks', groupsMin) ? { own, indices } : [];
  });
  if (split.length === 0) return undefined;
  const weekdays = split.map(({ own }) => own);
  const indices = split.flatMap(one => one.indices);
  const compared = result(indices);
  const cycle: CycleOfDays = { kind: 'days', length, first: dateOf(first), weekdays };
  return {
    cycle: { ...cycle, evidence: evidenceOf(compared) },
    kinds: {
      ...all,
      of: days.map((day, at) => (weekdays.includes(day.weekday) ? 7 + phases[at]! : day.weekday)),
    },
    gain: compared.before - compared.after,
  };
};

/** All dates of a month that are tried. */
const monthDayCandidates: readonly MonthDay[] = [
  ...[1, 2, 3, -1, -2, -3].map(place => ({ kind: 'monthDay', counts: 'workingDays', place }) as const),
  ...Array.from({ length: 28 }, (_, day) => ({ kind: 'monthDay', counts: 'days', place: day + 1 }) as const),
  ...[-1, -2, -3].map(place => ({ kind: 'monthDay', counts: 'days', place }) as const),
  ...[1, 2, 3, 4, -1].flatMap(place =>
    [0, 1, 2, 3, 4, 5, 6].map(
      day => ({ kind: 'monthDay', counts: 'weekdays', place, weekday: day }) as const,
    ),
  ),
];

/** A date of the month, and the error that it saves. */
type FoundMonthDay = {
  readonly cycle: MonthDay & { readonly evidence: CycleEvidence };
  readonly gain: number;
};

type DateTypes = ReturnType<typeof dayTypes>;

/** Dates of the month whose days differ from what is expected of them, in the same way in other months. */
const monthDays = (
  days: readonly CoarseDay[],
  expected: readonly Float64Array[],
  typeOf: DateTypes,
): readonly FoundMonthDay[] => {
  const errors = errorsOf(days, expected);
  const usual = mean(errors.filter(error => error === error));
  const candidates = monthDayCandidates
    .flatMap(monthDay => {
      const test = isMonthDay(monthDay, typeOf);
      const indices = [...days.keys()].filter(index => test(days[index]!.number));
      const farMin = farFrom * usual * indices.length;
      // Most dates end here: only known errors are compared, so that these are at most as large.
      if (indices.length < datesMin || sumOfKnown(errors, indices) < farMin) return [];
      const compared = compareErrors(indices, [errors, errorsByOthers(days, indices)], index => index);
      const result = penalised(compared, [1, penalty(1, indices.length)]);
      const evidence = evidenceOf(result);
      if (!(compared.before >= farMin) || !isEnough(evidence, 'monthDay', datesMin)) return [];
      return { cycle: { ...monthDay, evidence }, indices, gain: result.before - result.after };
    })
    .sort((a, b) => b.gain - a.gain);
  const taken = new Set<number>();
  const kept: FoundMonthDay[] = [];
  for (const { cycle, indices, gain } of candidates) {
    const left = indices.filter(index => !taken.has(index));
    if (kept.length === monthDaysMax || left.length < datesMin) continue;
    kept.push({ cycle, gain });
    for (const index of indices) taken.add(index);
  }
  return kept;
};

const sumOfKnown = (errors: Float64Array, indices: readonly number[]): number =>
  indices.reduce((sum, index) => sum + (errors[index]! || 0), 0);

/** Errors of some days, by index, when the median of those of other months is expected of them. */
const errorsByOthers = (days: readonly CoarseDay[], indices: readonly number[]): Float64Array => {
  const errors = new Float64Array(days.length);
  for (const index of indices) {
    const { number, season } = days[index]!;
    const others = indices.filter(other => month(days[other]!.number) !== month(number));
    const weights = others.map(other => monthDayWeight + seasonWeight(season, days[other]!.season));
    const expected = mediansOf(days, {
      indices: Int32Array.from(others),
      weights: Float64Array.from(weights),
      count: others.length,
    });
    errors[index] = errorOf(days[index]!, expected);
  }
  return errors;
};
