import {
  brokenLimits,
  type BrokenRun,
  type Direction,
  type Finding,
  type Outcome,
} from '../../domain/alerts.js';
import { completeness, observed, runsWhere, usable, type Day } from '../../domain/day.js';
import type { CheckFacts, Limits, Model } from '../../domain/models.js';
import type { DayPlan } from '../../domain/planning.js';
import { usableDistance } from './nearestModels.js';
import {
  besideOf,
  gapShare,
  movedAsBefore,
  pastOf,
  residualsOf,
  scaledOf,
  withinOf,
  type Beside,
  type Comparison,
  type DayBefore,
} from './dayScores.js';
import { criticityOf, pValue } from './criticity.js';
import { longestRunOf } from './flatline.js';
import { jointScore, mostUsed, scoresOf, sharesOf } from './scores.js';
import { fromScale } from '../math/logScale.js';

/** What a check says of a day; outcomes `normal` and `notCompared` bring no finding. */
export type Checked = { readonly outcome: Outcome; readonly finding: Finding | null };

/** A frozen run is so many times the longest of the reference, and hours and slices at least. */
const frozenTimes = 1.5;
const frozenHours = 3;
const frozenSlices = 4;

/** How much wider limits are in a season that is as unseen as can be. */
const unseenWidening = 0.25;

const notCompared: Checked = { outcome: 'notCompared', finding: null };
const normal: Checked = { outcome: 'normal', finding: null };

/**
 * Compares a day with its planned model.
 *
 * A source without models compares nothing. A day with less than half of the reference's completeness is a `gap`, of
 * criticity 1 − completeness / reference's. Models that people supplied have bounds alone: one usable slice strictly
 * outside them makes the day `abnormal`, of criticity 1 − 1/z with z the largest distance from the curve in multiples
 * of the distance from the curve to the bound.
 *
 * Automatic models have limits beside their bounds (domain/models.ts), all of them up to a quarter wider in seasons
 * that the reference has not seen. A day that breaks one is `abnormal`, unless it would keep all of them were its
 * model moved as the 28 days before it were (drift.ts): then it is `drift`, with a finding on the first such day in
 * 28. The shift can take an alert away, it never raises one. A limit on the change from the days before (change.ts)
 * is one of these limits, and where it is broken no shift excuses the day. Criticity is that of the day's p-value
 * (criticity.ts). A day on which one value stands longer than one and a half times what the reference ever had, above
 * its minimum, is `frozen`.
 *
 * @param day    values finite, in the source's unit
 * @param before the recent days of the 28 days before, in order of date; asked for only where they can tell something
 * @throws RangeError when the planned model is none of the models, or lengths differ
 */
export const checkDay = (day: Day, comparison: Comparison, before: () => readonly DayBefore[]): Checked => {
  const { models, checks } = comparison;
  if (models.length === 0) return notCompared;
  const plan = comparison.plan(day.date);
  const complete = completeness(day);
  if (complete < gapShare * comparison.completeness)
    return gap(plan.modelId, 1 - complete / comparison.completeness);
  if (plan.modelId === null) return notCompared;
  const planned = modelOf(models, plan.modelId, day);
  const flags = usable(day);
  if (!flags.includes(true)) return notCompared;
  return checks && planned.limits
    ? checkLimits(day, comparison, checks, planned, planned.limits, plan, before)
    : checkBounds(day, models, planned, flags);
};

const modelOf = (models: readonly Model[], id: number, day: Day): Model => {
  const found = models.find(model => model.id === id);
  if (!found)
    throw new RangeError(
      `got planned model ${id}, expected one of ${models.map(model => model.id).join(', ')}`,
    );
  if (found.activity.length !== day.activity.length)
    throw new RangeError(
      `got ${day.activity.length} values on ${day.date}, expected ${found.activity.length} as the model has`,
    );
  return found;
};

const gap = (plannedModelId: number | null, criticity: number): Checked => ({
  outcome: 'gap',
  finding: {
    kind: 'gap',
    direction: null,
    criticity,
    slices: [],
    plannedModelId,
    closestModelId: null,
    betterModelId: null,
    looksLikeAnomaly: false,
  },
});

const checkLimits = (
  day: Day,
  comparison: Comparison,
  checks: CheckFacts,
  planned: Model,
  limits: Limits,
  plan: DayPlan,
  before: () => readonly DayBefore[],
): Checked => {
  const widening = 1 + unseenWidening * plan.unseen;
  let known: ReturnType<typeof pastOf> | undefined;
  const past = () => (known ??= pastOf(day, plan, comparison, before()));
  const beside = besideOf(day, planned, limits, widening, past);
  const { used } = beside;
  const finding = (kind: Finding['kind'], criticity: number, slices: readonly BrokenRun[]): Finding => ({
    ...neighbours(day, comparison.models, planned, widening),
    kind,
    direction: directionOf(slices),
    criticity,
    slices,
    plannedModelId: planned.id,
    limits: brokenLimits.filter(of => used[of] > 1),
  });

  const frozen = frozenRun(day, checks);
  if (frozen) {
    const slices = [
      { from: frozen.from, to: frozen.from + frozen.length, direction: 'under', excess: 0 },
    ] as const;
    const criticity = 1 - checks.longestRun / frozen.length;
    return { outcome: 'abnormal', finding: { ...finding('frozen', criticity, slices), direction: null } };
  }
  const joint = mostUsed(used);
  if (joint <= 1) return normal;

  const runs = brokenRuns(day, planned, limits, beside);
  const criticity = criticityOf(pValue(joint, checks.scores));
  if (movedAsBefore(beside, past(), plan, limits))
    return {
      outcome: 'drift',
      finding: before().some(({ drifting }) => drifting) ? null : finding('drift', criticity, runs),
    };
  return { outcome: 'abnormal', finding: finding('activity', criticity, runs) };
};

const frozenRun = (day: Day, { longestRun, minimum }: CheckFacts): ReturnType<typeof longestRunOf> | null => {
  const run = longestRunOf(day.activity, observed(day));
  const least = Math.max(frozenTimes * longestRun, (frozenHours * day.activity.length) / 24, frozenSlices);
  return run.length > least && run.value > minimum ? run : null;
};

/** The model that a day is most like, and one beside the planned whose limits it keeps whole. */
const neighbours = (
  day: Day,
  models: readonly Model[],
  planned: Model,
  widening: number,
): Pick<Finding, 'closestModelId' | 'betterModelId' | 'looksLikeAnomaly'> => {
  const flags = usable(day);
  const nearest = models
    .map(model => ({ model, distance: usableDistance(day.activity, model.activity, flags) }))
    .sort((a, b) => (a.distance === b.distance ? a.model.id - b.model.id : a.distance < b.distance ? -1 : 1))
    .map(({ model }) => model);
  return {
    closestModelId: nearest[0]?.id ?? null,
    betterModelId:
      nearest.find(model => model.id !== planned.id && fits(day, model, flags, widening))?.id ?? null,
    looksLikeAnomaly: nearest[0]?.anomaly ?? false,
  };
};

const fits = (day: Day, model: Model, flags: readonly boolean[], widening: number): boolean => {
  const { limits } = model;
  if (!limits) return fitsBounds(day, model, flags);
  const shares = sharesOf(residualsOf(day, model, limits), scaledOf(model, limits));
  return jointScore(scoresOf(shares, limits.windowHours), null, withinOf(limits, widening)) <= 1;
};

/**
 * Slices outside the (widened) bounds as runs; where a mean alone is outside its limit, the stretch that it is of, with
 * the mean distance beyond what the limit allows.
 */
const brokenRuns = (day: Day, model: Model, limits: Limits, beside: Beside): BrokenRun[] => {
  const { shares, within } = beside;
  const { centre, up, down } = beside.reach;
  const excessAt = (slice: number): number => {
    const from = centre[slice]!;
    const bound = shares[slice]! > 0 ? from + within.slice * up[slice]! : from - within.slice * down[slice]!;
    return Math.abs(day.activity[slice]! - fromScale(limits, bound));
  };
  const beyond = (direction: 'over' | 'under'): BrokenRun[] =>
    runsWhere(shares.length, slice =>
      direction === 'over' ? shares[slice]! > within.slice : shares[slice]! < -within.slice,
    ).map(([from, to]) => {
      let excess = 0;
      for (let slice = from; slice < to; slice += 1) excess = Math.max(excess, excessAt(slice));
      return { from, to, direction, excess };
    });
  const runs = [...beyond('over'), ...beyond('under')].sort((a, b) => a.from - b.from);
  return runs.length > 0 ? runs : [brokenStretch(day, model, limits, beside)];
};

const brokenStretch = (day: Day, model: Model, limits: Limits, beside: Beside): BrokenRun => {
  const { shares, scores, change, level, within, used, reach } = beside;
  const changed = used.window <= 1 && used.day <= 1;
  const of = changed && change ? change : scores;
  const expectedAt = (slice: number): number => {
    if (!changed || !level) return model.activity[slice]!;
    const width = level[slice]! > 0 ? reach.up[slice]! : reach.down[slice]!;
    return fromScale(limits, reach.centre[slice]! + level[slice]! * width);
  };
  const byWindow = (changed ? used.windowChange : used.window) > 1;
  const { from, to } = byWindow ? of.where : { from: 0, to: shares.length };
  const [mean, limit] = byWindow
    ? [of.window, changed ? within.windowChange : within.window]
    : [of.day, changed ? within.dayChange : within.day];
  let [total, count] = [0, 0];
  for (let slice = from; slice < to; slice += 1)
    if (shares[slice]! === shares[slice]!) {
      total += Math.abs(day.activity[slice]! - expectedAt(slice));
      count += 1;
    }
  const excess = (total / Math.max(1, count)) * (1 - limit / Math.abs(mean));
  return { from, to, direction: mean > 0 ? 'over' : 'under', excess };
};

const directionOf = (slices: readonly BrokenRun[]): Direction => {
  const first = slices[0]?.direction ?? 'over';
  return slices.some(({ direction }) => direction !== first) ? 'both' : first;
};

const fitsBounds = ({ activity }: Day, model: Model, flags: readonly boolean[]): boolean => {
  const { topTolerance: top, bottomTolerance: bottom } = model;
  for (let slice = 0; slice < activity.length; slice += 1) {
    const value = activity[slice] ?? 0;
    if (flags[slice] && (value > (top[slice] ?? value) || value < (bottom[slice] ?? value))) return false;
  }
  return true;
};

const checkBounds = (
  day: Day,
  models: readonly Model[],
  planned: Model,
  flags: readonly boolean[],
): Checked => {
  if (fitsBounds(day, planned, flags)) return normal;
  const slices = [
    ...outsideRuns(day, planned, flags, 'over'),
    ...outsideRuns(day, planned, flags, 'under'),
  ].sort((a, b) => a.from - b.from);
  return {
    outcome: 'abnormal',
    finding: {
      ...neighbours(day, models, planned, 1),
      kind: 'activity',
      direction: directionOf(slices),
      criticity: farthest(day, planned, slices),
      slices,
      plannedModelId: planned.id,
    },
  };
};

/** How far a value lies beyond a model's bound in one direction; > 0 where it breaks it. */
const excessAt = (day: Day, model: Model, slice: number, direction: 'over' | 'under'): number => {
  const value = day.activity[slice] ?? 0;
  return direction === 'over'
    ? value - (model.topTolerance[slice] ?? value)
    : (model.bottomTolerance[slice] ?? value) - value;
};

const outsideRuns = (
  day: Day,
  model: Model,
  flags: readonly boolean[],
  direction: 'over' | 'under',
): BrokenRun[] =>
  runsWhere(
    day.activity.length,
    slice => flags[slice] === true && excessAt(day, model, slice, direction) > 0,
  ).map(([from, to]) => {
    let excess = 0;
    for (let slice = from; slice < to; slice += 1)
      excess = Math.max(excess, excessAt(day, model, slice, direction));
    return { from, to, direction, excess };
  });

/** 1 − 1/z with 1/z counted directly, so that a bound on the curve (z infinite) needs no case of its own. */
const farthest = (day: Day, model: Model, slices: readonly BrokenRun[]): number => {
  let least = 1;
  for (const { from, to, direction } of slices) {
    const bounds = direction === 'over' ? model.topTolerance : model.bottomTolerance;
    for (let slice = from; slice < to; slice += 1) {
      const curve = model.activity[slice] ?? 0;
      const toBound = Math.abs((bounds[slice] ?? curve) - curve);
      least = Math.min(least, toBound / Math.abs((day.activity[slice] ?? 0) - curve));
    }
  }
  return 1 - least;
};
