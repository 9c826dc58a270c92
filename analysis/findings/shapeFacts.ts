import { minutesPerDay } from '../../domain/dates.js';
import { observed, runsWhere, usable, type Day } from '../../domain/day.js';
import { mainDeviation, meansOver, type Compared } from '../../domain/alerts/deviation.js';
import type {
  BrokenRun,
  FindingFacts,
  LimitFacts,
  ShapeDifference,
  Stretch,
} from '../../domain/alerts/findings.js';
import type { CheckFacts, Model } from '../../domain/planning/models.js';
import { changedProfile } from '../changes/changedModel.js';
import { bestFactor, squares, type LikeDay } from '../changes/detectChange.js';
import type { EngineRules } from '../engine.js';
import { explainedRun, flatlineAbove, type FlatlineRule } from '../checking/stretches.js';
import { mean } from '../math/statistics.js';

type LevelRule = Pick<EngineRules, 'levelsAboveZero'>;

/** A day whose shape score breaks its limit, with its planned model. */
export type ComparedShape = {
  readonly day: Day;
  readonly model: Model;
  readonly residuals: Float64Array;
  readonly checks: Pick<CheckFacts, 'longestRun' | 'minimum'>;
  readonly rules: FlatlineRule & LevelRule;
  readonly score: number;
  readonly allowed: number;
};

/** Shortest repeated value that is named, in hours. */
const frozenHoursMin = 2;

/** Farthest and smallest shift that is named, in minutes, and the most that it may leave of the squares. */
const shift = { most: 360, least: 30, remainderMax: 0.5 } as const;

/** Noise: least von Neumann ratio of the residuals, and largest share of one difference in their squares. */
const noise = { ratioMin: 1, shareMax: 0.25 } as const;

/** The repeated value of a day that is longer than any of the reference; undefined without one. */
const frozenOf = ({ day, checks, rules }: ComparedShape): ShapeDifference | undefined => {
  const { activity } = day;
  const { from, length, value } = flatlineAbove({ activity, observed: observed(day) }, checks.minimum, rules);
  const lengthMin = Math.max(explainedRun(checks, rules) + 1, (frozenHoursMin * day.activity.length) / 24);
  return length >= lengthMin && value > checks.minimum
    ? { type: 'frozen', flatline: { from, to: from + length, value } }
    : undefined;
};

/** A profile at the level that fits a day best; the profile itself where a factor would turn it round. */
const atLevelOf = (
  day: LikeDay,
  profile: readonly number[],
  { levelsAboveZero }: LevelRule,
): readonly number[] => {
  const factor = bestFactor([{ ...day, expected: profile }]);
  const isLevel = Number.isFinite(factor) && (!levelsAboveZero || factor > 0);
  return isLevel ? profile.map(value => value * factor) : profile;
};

const likeDayOf = ({ day, model }: Pick<ComparedShape, 'day' | 'model'>): LikeDay => ({
  date: day.date,
  values: day.activity,
  expected: model.activity,
  flags: usable(day),
  modelId: model.id,
});

/** The shift of what was expected that leaves least of the day unexplained; undefined when it leaves too much. */
const clockOf = (compared: ComparedShape): ShapeDifference | undefined => {
  const like = likeDayOf(compared);
  const { values, expected } = like;
  const restOf = (profile: readonly number[]): number =>
    squares(like, atLevelOf(like, profile, compared.rules));
  const slice = minutesPerDay / values.length;
  const most = Math.floor(shift.most / slice);
  let minutes = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let slices = -most; slices <= most; slices += 1) {
    const size = slices * slice;
    const rest = restOf(changedProfile({ type: 'clock', size }, expected));
    if (rest < least) [least, minutes] = [rest, size];
  }
  const isNamed = Math.abs(minutes) >= shift.least && least <= shift.remainderMax * restOf(expected);
  return isNamed ? { type: 'clock', minutes } : undefined;
};

/** Whether the residuals go up and down from slice to slice (von Neumann 1941), not in a few slices only. */
const isNoise = ({ residuals }: ComparedShape): boolean => {
  const known = residuals.filter(value => value === value);
  const middle = mean(known);
  let total = 0;
  let largest = 0;
  let spread = 0;
  for (let at = 0; at < known.length; at += 1) {
    spread += (known[at]! - middle) ** 2;
    if (at === 0) continue;
    const square = (known[at]! - known[at - 1]!) ** 2;
    total += square;
    largest = Math.max(largest, square);
  }
  return total >= noise.ratioMin * spread && largest <= noise.shareMax * total;
};

/** How the shape of a day differs from all others. */
export const shapeDifference = (compared: ComparedShape): ShapeDifference =>
  frozenOf(compared) ?? clockOf(compared) ?? { type: isNoise(compared) ? 'noise' : 'shape' };

/** Share of the largest difference to what was expected from which on a slice belongs to a run. */
const runShare = 0.5;

/** A day and what it is compared with: another course with what was expected at its own level. */
const comparedWith = ({ day, model, rules }: ComparedShape, { type }: ShapeDifference): Compared => ({
  activity: day.activity,
  expected: type === 'shape' ? atLevelOf(likeDayOf({ day, model }), model.activity, rules) : model.activity,
  usable: usable(day),
});

/** Stretches of a day whose shape is like that of no other day. */
const stretchesOf = (compared: Compared, { type, flatline }: ShapeDifference): Stretch[] => {
  const size = compared.activity.length;
  if (flatline) return [{ from: flatline.from, to: flatline.to }];
  if (type !== 'shape') return [{ from: 0, to: size }];
  const differences = compared.activity.map((value, slice) =>
    compared.usable[slice] ? value - compared.expected[slice]! : 0,
  );
  const least = runShare * Math.max(...differences.map(Math.abs));
  return ([1, -1] as const).flatMap(side =>
    runsWhere(size, slice => least > 0 && side * differences[slice]! >= least).map(([from, to]) => ({
      from,
      to,
    })),
  );
};

/** Runs of a day that breaks no other limit. `excess` is the mean difference beyond the allowed part of the score. */
export const shapeRuns = (shape: ComparedShape, difference: ShapeDifference): BrokenRun[] => {
  const compared = comparedWith(shape, difference);
  const stretches = stretchesOf(compared, difference);
  return (stretches.length > 0 ? stretches : [{ from: 0, to: shape.day.activity.length }])
    .map(({ from, to }): BrokenRun => {
      const { actual = 0, expected = 0 } = meansOver(compared, { from, to }) ?? {};
      const excess = Math.abs(actual - expected) * (1 - shape.allowed / shape.score);
      return { from, to, direction: actual < expected ? 'under' : 'over', excess };
    })
    .sort((a, b) => a.from - b.from);
};

/** The limit on the shape as a fact of a finding, over the whole day. `bound` is the mean of what was expected. */
export const shapeLimitFacts = ({ day, model, score, allowed }: ComparedShape): LimitFacts => {
  const whole = { from: 0, to: day.activity.length };
  const values = { activity: day.activity, expected: model.activity, usable: usable(day) };
  const { actual = 0, expected: bound = 0 } = meansOver(values, whole) ?? {};
  return { limit: 'shape', ...whole, score, allowed, actual, bound };
};

/** Facts of a day that breaks the limit on the shape only. */
export const shapeFindingFacts = (
  compared: ComparedShape,
  shape: ShapeDifference,
  runs: readonly BrokenRun[],
): Pick<FindingFacts, 'deviation' | 'limits' | 'shape'> => {
  const expected = comparedWith(compared, shape);
  const main = mainDeviation(expected, runs, []);
  const isLevel =
    shape.type === 'shape' &&
    (!compared.rules.levelsAboveZero || expected.expected !== compared.model.activity);
  return {
    deviation: main && { ...main, comparedWith: isLevel ? 'dayLevel' : 'model' },
    limits: [shapeLimitFacts(compared)],
    shape,
  };
};
