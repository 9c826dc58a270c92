import { mainDeviation, meansOver, type Compared } from '../../domain/alerts/deviation.js';
import { usable, type Day, runsWhere } from '../../domain/day.js';
import {
  residualLimits,
  type BrokenRun,
  type Deviation,
  type FindingFacts,
  type LimitFacts,
  type PlannedAs,
  type ResidualLimit,
  type Stretch,
  type Direction,
} from '../../domain/alerts/findings.js';
import type { Limits, Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { DayScores } from '../checking/dayScores.js';
import { hoursOf } from '../checking/hours.js';
import { changeFrom } from '../checking/recentLevel.js';
import type { EngineRules } from '../engine.js';
import { isOnChange, limitLevel, valuesAt } from './limitLevels.js';
import { fromScale } from '../math/portableMath.js';

/** A day compared with its planned automatic model. */
export type ComparedDay = {
  readonly day: Day;
  readonly model: Model;
  readonly limits: Limits;
  readonly scores: DayScores;
  readonly rules: Pick<EngineRules, 'followsDay' | 'followsDirection'>;
};

/** Type, name and place in a cycle of the day that a date was planned as. */
export const plannedAs = (
  { origin, dayType, place }: Pick<DayPlan, 'origin' | 'dayType' | 'place'>,
  { namesPlacesInCycles }: Pick<EngineRules, 'namesPlacesInCycles'>,
): PlannedAs => ({
  origin,
  type: dayType.type,
  name: 'name' in dayType ? dayType.name : null,
  ...(place && namesPlacesInCycles && { place }),
});

/** Digits after the point of a stored baseline, enough for a chart. */
const baselineScale = 10_000;

/** Facts of a day that breaks limits of an automatic model. @param runs from `brokenRuns` */
export const limitFindingFacts = (
  compared: ComparedDay,
  runs: readonly BrokenRun[],
): Omit<FindingFacts, 'plannedAs'> => {
  const { baseline, limits, use } = compared.scores;
  const isOnChanges = use.windowChange > 1 || use.dayChange > 1;
  return {
    deviation: limitDeviation(compared, runs),
    limits: residualLimits.filter(limit => use[limit] > 1).map(limit => limitFacts(compared, limit)),
    widening: limits.slice,
    ...(isOnChanges &&
      baseline && {
        baseline: Array.from(baseline, value => Math.round(value * baselineScale) / baselineScale),
      }),
  };
};

/** Slices of a score: one slice, the window with the largest mean, or the day. */
const stretchOf = ({ normalised, scores, change }: DayScores, limit: ResidualLimit): Stretch => {
  switch (limit) {
    case 'slice': {
      const from = normalised.findIndex(value => Math.abs(value) === Math.abs(scores.slice));
      return { from, to: from + 1 };
    }
    case 'window':
      return scores.where;
    case 'windowChange':
      return (change ?? scores).where;
    case 'day':
    case 'dayChange':
      return { from: 0, to: normalised.length };
  }
};

/** Hours of a stretch have at least this share of its largest one, and the stretch this share of the whole window. */
const followedShareMin = 0.5;

/**
 * The stretch in which a day broke the limit on the window: around its largest hour, as long as the hours have half of
 * that. The window of eight hours when that stretch has less than half of its deviation.
 */
const followedStretch = (scores: DayScores, limit: 'window' | 'windowChange'): Stretch => {
  const window = stretchOf(scores, limit);
  const { baseline, normalised } = scores;
  const values = limit === 'windowChange' && baseline ? changeFrom(baseline, normalised) : normalised;
  const sign = Math.sign(scoreOf(scores, limit));
  const hours = hoursOf(values).map(value => sign * value);
  const size = Math.ceil(values.length / hours.length);
  const [first, end] = [Math.floor(window.from / size), Math.ceil(window.to / size)];
  let peak = first;
  for (let hour = first; hour < end; hour += 1)
    if (hours[hour]! > hours[peak]! || Number.isNaN(hours[peak])) peak = hour;
  const isLarge = (hour: number): boolean => hours[hour]! >= followedShareMin * hours[peak]!;
  let [from, to] = [peak, peak + 1];
  while (from > 0 && isLarge(from - 1)) from -= 1;
  while (to < hours.length && isLarge(to)) to += 1;
  const stretch = { from: from * size, to: Math.min(values.length, to * size) };
  const total = ({ from, to }: Stretch): number =>
    values.subarray(from, to).reduce((sum, value) => (value === value ? sum + sign * value : sum), 0);
  return total(stretch) >= followedShareMin * total(window) ? stretch : window;
};

const scoreOf = ({ scores, change }: DayScores, limit: ResidualLimit): number => {
  switch (limit) {
    case 'slice':
    case 'window':
    case 'day':
      return scores[limit];
    case 'windowChange':
      return change?.window ?? 0;
    case 'dayChange':
      return change?.day ?? 0;
  }
};

const comparedWith = ({ day }: Pick<ComparedDay, 'day'>, expected: readonly number[]): Compared => ({
  activity: day.activity,
  expected,
  usable: usable(day),
});

/** Mean difference of a day from what was expected over a stretch; 0 without a usable slice. */
const differenceOver = (compared: Compared, stretch: Stretch): number => {
  const { actual = 0, expected = 0 } = meansOver(compared, stretch) ?? {};
  return actual - expected;
};

/**
 * The stretch with the largest difference in one direction, by its sum (Kadane). A score is a mean of residuals, which
 * weigh small values more: quiet hours above a profile may outweigh busy hours below it.
 */
const directedStretch = ({ activity, expected, usable }: Compared, sign: number): Stretch => {
  let best = { from: 0, to: activity.length, sum: 0 };
  let sum = 0;
  let from = 0;
  for (let slice = 0; slice < activity.length; slice += 1) {
    if (sum <= 0) [sum, from] = [0, slice];
    if (usable[slice]) sum += sign * (activity[slice]! - expected[slice]!);
    if (sum > best.sum) best = { from, to: slice + 1, sum };
  }
  return { from: best.from, to: best.to };
};

const limitFacts = (compared: ComparedDay, limit: ResidualLimit): LimitFacts => {
  const { limits, scores } = compared;
  const score = scoreOf(scores, limit);
  const allowed = scores.limits[limit];
  const stretch = stretchOf(scores, limit);
  const bounds = limitLevel(
    { model: scores.model, limits, stretch },
    limit,
    Math.sign(score) * allowed,
    scores.baseline,
  );
  const { actual = 0, expected: bound = 0 } = meansOver(comparedWith(compared, bounds), stretch) ?? {};
  return { limit, ...stretch, score, allowed, actual, bound };
};

/** The main stretch of a day: by the limits on the day itself, or when they are kept, by those on changes. */
const limitDeviation = (compared: ComparedDay, runs: readonly BrokenRun[]): Deviation | null => {
  const { model, limits, scores, rules } = compared;
  const { use } = scores;
  const own = residualLimits.filter(limit => use[limit] > 1 && !isOnChange(limit));
  const byChange = own.length === 0 && (use.windowChange > 1 || use.dayChange > 1);
  const expected = expectedValues(model, limits, scores, byChange);
  const changed: ResidualLimit = use.windowChange > 1 ? 'windowChange' : 'dayChange';
  const differences = comparedWith(compared, expected);
  const direction = rules.followsDirection ? directionOf(runs) : 'both';
  const wider = (byChange ? [changed] : own.filter(limit => limit !== 'slice')).flatMap(limit => {
    const stretch =
      rules.followsDay && (limit === 'window' || limit === 'windowChange')
        ? followedStretch(scores, limit)
        : stretchOf(scores, limit);
    const sign = Math.sign(scoreOf(scores, limit));
    if (direction !== 'both' && sign !== (direction === 'over' ? 1 : -1)) return [];
    const isContrary = rules.followsDirection && sign * differenceOver(differences, stretch) <= 0;
    return isContrary ? directedStretch(differences, sign) : stretch;
  });
  const outside = use.slice > 1 ? runs : [];
  const main = mainDeviation(differences, outside, wider.length + outside.length > 0 ? wider : runs);
  return main && { ...main, comparedWith: byChange && scores.baseline ? 'daysBefore' : 'model' };
};

/** Facts of a day outside the bounds of a model that people supplied. */
export const boundsFindingFacts = (
  day: Day,
  model: Model,
  runs: readonly BrokenRun[],
): Omit<FindingFacts, 'plannedAs'> => {
  const main = mainDeviation(comparedWith({ day }, model.activity), runs, []);
  const [largest] = [...runs].sort((a, b) => b.excess - a.excess);
  const bounds = largest?.direction === 'under' ? model.bottomTolerance : model.topTolerance;
  const means = largest && meansOver(comparedWith({ day }, bounds), largest);
  return {
    deviation: main && { ...main, comparedWith: 'model' },
    limits: means
      ? [
          {
            limit: 'slice',
            from: means.from,
            to: means.to,
            score: null,
            allowed: null,
            actual: means.actual,
            bound: means.expected,
          },
        ]
      : [],
    widening: 1,
  };
};

/** Facts of a flatline, over its own stretch. */
export const flatlineFacts = (
  day: Day,
  model: Model,
  { from, to }: Stretch,
  longest: number,
): Omit<FindingFacts, 'plannedAs'> => {
  const main = mainDeviation(comparedWith({ day }, model.activity), [], [{ from, to }]);
  return {
    deviation: main && { ...main, comparedWith: 'model' },
    limits: [],
    widening: 1,
    flatline: { value: day.activity[from] ?? 0, longest },
  };
};

/**
 * Slices of a day outside the widened bounds, as runs. When only a mean is outside its limit: the slices of that mean,
 * with the mean distance beyond what the limit allows.
 */
export const brokenRuns = (day: Day, model: Model, limits: Limits, compared: DayScores): BrokenRun[] => {
  const { normalised, limits: scoreLimits } = compared;
  const { profile, up, down } = compared.model;
  const excessAt = (slice: number): number => {
    const centre = profile[slice]!;
    const bound =
      normalised[slice]! > 0
        ? centre + scoreLimits.slice * up[slice]!
        : centre - scoreLimits.slice * down[slice]!;
    return Math.abs(day.activity[slice]! - fromScale(limits, bound));
  };
  const runsOf = (direction: 'over' | 'under'): BrokenRun[] =>
    runsWhere(normalised.length, slice =>
      direction === 'over' ? normalised[slice]! > scoreLimits.slice : normalised[slice]! < -scoreLimits.slice,
    ).map(([from, to]) => {
      let excess = 0;
      for (let slice = from; slice < to; slice += 1) excess = Math.max(excess, excessAt(slice));
      return { from, to, direction, excess };
    });
  const runs = [...runsOf('over'), ...runsOf('under')].sort((a, b) => a.from - b.from);
  return runs.length > 0 ? runs : [brokenMean(day, model, limits, compared)];
};

/** The window or day whose mean broke a limit. A broken limit on the mean itself goes before one on its change. */
const brokenMean = (day: Day, model: Model, limits: Limits, compared: DayScores): BrokenRun => {
  const { normalised, change, use, limits: scoreLimits } = compared;
  const byChange = use.window <= 1 && use.day <= 1;
  const scores = byChange && change ? change : compared.scores;
  const byWindow = (byChange ? use.windowChange : use.window) > 1;
  const { from, to } = byWindow ? scores.where : { from: 0, to: normalised.length };
  const [mean, limit] = byWindow
    ? [scores.window, byChange ? scoreLimits.windowChange : scoreLimits.window]
    : [scores.day, byChange ? scoreLimits.dayChange : scoreLimits.day];
  const expected = expectedValues(model, limits, compared, byChange);
  let total = 0;
  let count = 0;
  for (let slice = from; slice < to; slice += 1)
    if (normalised[slice]! === normalised[slice]!) {
      total += Math.abs(day.activity[slice]! - expected[slice]!);
      count += 1;
    }
  const excess = (total / Math.max(1, count)) * (1 - limit / Math.abs(mean));
  return { from, to, direction: mean > 0 ? 'over' : 'under', excess };
};

/**
 * Expected value by slice, in the unit of the source: the profile of the model, or that profile moved to the level of
 * the days before.
 */
const expectedValues = (
  { activity }: Model,
  limits: Limits,
  { baseline, model }: Pick<DayScores, 'baseline' | 'model'>,
  byChange: boolean,
): readonly number[] =>
  byChange && baseline ? valuesAt(model, limits, slice => baseline[slice]!) : activity;

/** Common direction of runs, `both` when they differ. */
export const directionOf = (slices: readonly BrokenRun[]): Direction => {
  const first = slices[0]?.direction ?? 'over';
  return slices.some(({ direction }) => direction !== first) ? 'both' : first;
};
