import { minutesPerDay } from '../../domain/dates.js';
import { likeDaysMax, likeDaysMin, type MeasuredChange } from '../../domain/incidents/changes.js';
import { changedProfile } from './changedModel.js';

/** A day that may be like others, in the unit of the source. The arrays have one length. */
export type LikeDay = {
  readonly date: string;
  readonly values: readonly number[];
  /** Profile of its planned model. */
  readonly expected: readonly number[];
  /** Whether each slice has a value. */
  readonly flags: readonly boolean[];
  readonly modelId: number;
  /** Whether its check found it ordinary: then it may contradict a change, and is no like day. */
  readonly isOrdinary?: boolean;
};

/** Number of parts of a day whose sums are compared: an hour each, so that noise of short slices counts less. */
const partsMax = 24;

/**
 * Sum of squares, over the hours of a day, of the sum of its residuals.
 * @param fitted values that a change makes expected, as many as the day has
 */
export const squares = ({ values, flags }: LikeDay, fitted: readonly number[]): number => {
  const per = Math.max(1, Math.floor(values.length / partsMax));
  let total = 0;
  for (let from = 0; from < values.length; from += per) {
    let sum = 0;
    for (let slice = from; slice < Math.min(from + per, values.length); slice += 1)
      if (flags[slice]) sum += values[slice]! - fitted[slice]!;
    total += sum * sum;
  }
  return total;
};

/** Factor on a profile that fits some days best, by least squares; NaN without any expected value. */
export const bestFactor = (days: readonly LikeDay[]): number => {
  let [product, square] = [0, 0];
  for (const { values, expected, flags } of days)
    for (let slice = 0; slice < values.length; slice += 1)
      if (flags[slice]) {
        product += values[slice]! * expected[slice]!;
        square += expected[slice]! * expected[slice]!;
      }
  return product / square;
};

/** Mean of days by slice, over those with a value there; `otherwise` where none has one. */
const meanProfile = (days: readonly LikeDay[], otherwise: readonly number[]): number[] =>
  otherwise.map((fallback, slice) => {
    let [sum, count] = [0, 0];
    for (const { values, flags } of days)
      if (flags[slice]) {
        sum += values[slice]!;
        count += 1;
      }
    return count === 0 ? fallback : sum / count;
  });

/** Mean of the expected profiles of days by slice. */
const meanExpected = (days: readonly LikeDay[]): number[] =>
  (days[0]?.expected ?? []).map(
    (_, slice) => days.reduce((sum, { expected }) => sum + expected[slice]!, 0) / days.length,
  );

/** A slice is active above this share of the way from the smallest value to the largest. */
const activeShare = 0.15;

/** A stretch at one end of the active time. `values` are the means of its slices on the days. */
type OpeningStretch = {
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
  readonly values: readonly number[];
};

/**
 * Stretches at the begin and the end of the expected active time that are closed or open now, on the mean of days.
 * @returns none when the expected day has no end of its active time
 */
const openingStretches = (days: readonly LikeDay[]): readonly OpeningStretch[] => {
  const expected = meanExpected(days);
  const values = meanProfile(days, expected);
  const floor = Math.min(...expected);
  const active = floor + activeShare * (Math.max(...expected) - floor);
  const isActive = (value: number): boolean => value > active;
  const usual = { from: expected.findIndex(isActive), to: expected.findLastIndex(isActive) + 1 };
  const now = { from: values.findIndex(isActive), to: values.findLastIndex(isActive) + 1 };
  const isAllDay = usual.from <= 0 && usual.to === expected.length;
  if (usual.from < 0 || now.from < 0 || isAllDay) return [];
  const ends = [
    {
      from: Math.min(usual.from, now.from),
      to: Math.max(usual.from, now.from),
      isOpen: now.from < usual.from,
    },
    { from: Math.min(usual.to, now.to), to: Math.max(usual.to, now.to), isOpen: now.to > usual.to },
  ];
  return ends
    .filter(({ from, to }) => from < to)
    .map(stretch => ({ ...stretch, values: values.slice(stretch.from, stretch.to) }));
};

/** Residuals of each day must fall to this share at most, as sums of squares. */
const remainderMax = 0.5;
/** Smallest level change as a share, and largest distance of a day from it as a share of its size. */
const levelMin = 0.05;
const levelSpread = 0.5;
/** Longest change of the clock in minutes, in both directions. */
const clockMinutesMax = 180;

/** A change that may explain some days, and whether a day of its own would show it, too. */
type Candidate = {
  readonly change: Omit<MeasuredChange, 'from'>;
  readonly agrees?: (day: LikeDay) => boolean;
};

const rounded = (share: number): number => Math.round(share * 1000) / 1000;

/** Sum of squares that a change leaves unexplained of a day. */
const restOf = (day: LikeDay, { change }: Candidate): number =>
  squares(day, changedProfile(change, day.expected));

const levelOf = (days: readonly LikeDay[]): Candidate[] => {
  const size = rounded(bestFactor(days) - 1);
  // Also for NaN, when nothing is expected.
  if (!(size > -1 && Math.abs(size) >= levelMin)) return [];
  const agrees = (day: LikeDay): boolean =>
    Math.abs(bestFactor([day]) - 1 - size) <= levelSpread * Math.abs(size);
  return [{ change: { type: 'level', size }, agrees }];
};

/** Returns a function that gives the rests of a day by shift of the clock, from the earliest to the latest. */
const clockRests = (shifts: readonly Candidate[]) => {
  const known = new Map<LikeDay, readonly number[]>();
  return (day: LikeDay): readonly number[] => {
    const rests = known.get(day) ?? shifts.map(shift => restOf(day, shift));
    known.set(day, rests);
    return rests;
  };
};

const clockShifts = (size: number): readonly Candidate[] => {
  const slice = minutesPerDay / size;
  const most = Math.floor(clockMinutesMax / slice);
  return Array.from({ length: 2 * most + 1 }, (_, index) => ({
    change: { type: 'clock', size: (index - most) * slice },
  }));
};

const lowest = (values: readonly number[]): number => values.indexOf(Math.min(...values));

/** The shift of the clock that fits days best; each of them fits it best, or a shift by one slice more or less. */
const clockOf = (
  days: readonly LikeDay[],
  shifts: readonly Candidate[],
  restsOf: (day: LikeDay) => readonly number[],
): Candidate[] => {
  const best = lowest(shifts.map((_, index) => days.reduce((sum, day) => sum + restsOf(day)[index]!, 0)));
  const shift = shifts[best];
  if (!shift || shift.change.size === 0) return [];
  return [{ ...shift, agrees: day => Math.abs(lowest(restsOf(day)) - best) <= 1 }];
};

const openingsOf = (days: readonly LikeDay[]): Candidate[] =>
  openingStretches(days).map(({ from, to, isOpen, values }) => {
    const slice = minutesPerDay / (days[0]?.values.length ?? 1);
    const size = (isOpen ? 1 : -1) * (to - from) * slice;
    return { change: { type: 'opening', size, minutes: [from * slice, to * slice], values } };
  });

/** Whether a change explains at least half of each day. */
const explains = (days: readonly LikeDay[], candidate: Candidate): boolean =>
  days.every(
    day =>
      restOf(day, candidate) <= remainderMax * squares(day, day.expected) &&
      (candidate.agrees?.(day) ?? true),
  );

/** The course of the last days of one planned model, when they resemble each other more than its profile. */
const shapeOf = (days: readonly LikeDay[]): MeasuredChange | null => {
  const like = days.filter(({ modelId }) => modelId === days.at(-1)?.modelId);
  const [first] = like;
  if (!first || like.length < likeDaysMin) return null;
  const { date: from, expected, modelId } = first;
  const isLike = (day: LikeDay): boolean => {
    const others = meanProfile(
      like.filter(other => other !== day),
      expected,
    );
    return squares(day, others) <= remainderMax * squares(day, day.expected);
  };
  if (!like.every(isLike)) return null;
  const values = meanProfile(like, expected);
  const distance = values.reduce((sum, value, slice) => sum + Math.abs(value - expected[slice]!), 0);
  const level = expected.reduce((sum, value) => sum + Math.abs(value), 0);
  return level === 0 ? null : { type: 'shape', size: rounded(distance / level), from, values, modelId };
};

/** The last like days, from the most to the fewest. */
const endingsOf = (days: readonly LikeDay[]): readonly (readonly LikeDay[])[] =>
  Array.from({ length: Math.max(0, days.length - likeDaysMin + 1) }, (_, skipped) => days.slice(skipped));

/** Whether an ordinary day of the same models, after the first like day, fits what was expected better. */
const isContradicted = (
  change: Omit<MeasuredChange, 'from'>,
  like: readonly LikeDay[],
  ordinary: readonly LikeDay[],
): boolean => {
  const ids = new Set(like.map(({ modelId }) => modelId));
  return ordinary.some(
    day =>
      day.date > (like[0]?.date ?? '') &&
      ids.has(day.modelId) &&
      restOf(day, { change }) > squares(day, day.expected),
  );
};

/** The best of level, clock and opening for some like days; undefined when none explains them. */
const bestOf = (candidates: readonly Candidate[], like: readonly LikeDay[]): Candidate | undefined => {
  const rest = (one: Candidate): number => like.reduce((sum, day) => sum + restOf(day, one), 0);
  return candidates.filter(one => explains(like, one)).sort((a, b) => rest(a) - rest(b))[0];
};

/**
 * The change that the last like days have in common: of level, clock and opening the one that leaves least unexplained,
 * else the shape. It explains at least half of each of its days, of which there are at least three, and no ordinary day
 * after the first of them contradicts it.
 * @param days days of one source with alerts, and ordinary ones between them, by date; 14 like days are looked at
 * @returns    null without one
 */
export const detectChange = (days: readonly LikeDay[]): MeasuredChange | null => {
  const last = days.filter(({ isOrdinary }) => !isOrdinary).slice(-likeDaysMax);
  const ordinary = days.filter(({ isOrdinary }) => isOrdinary);
  const size = last[0]?.values.length ?? 1;
  if (last.some(({ values }) => values.length !== size)) return null;
  const shifts = clockShifts(size);
  const restsOf = clockRests(shifts);
  for (const like of endingsOf(last)) {
    const candidates = [...levelOf(like), ...clockOf(like, shifts, restsOf), ...openingsOf(like)];
    const best = bestOf(candidates, like);
    if (best && !isContradicted(best.change, like, ordinary)) return { ...best.change, from: like[0]!.date };
  }
  for (const like of endingsOf(last)) {
    const shape = shapeOf(like);
    if (shape && !isContradicted(shape, like, ordinary)) return shape;
  }
  return null;
};
