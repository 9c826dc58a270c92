import { learn, type Learned } from '../../analysis/learning/learn.js';
import { withoutGaps } from '../../analysis/learning/completed.js';
import { clustersOf, smoothedDays } from '../../analysis/learning/clustering/smoothedDays.js';
import { chosenModelCount } from '../../analysis/learning/modelCount.js';
import { outliers } from '../../analysis/learning/outliers.js';
import { prepare, type PreparedReference } from '../../analysis/learning/prepare.js';
import { referenceOf } from '../../analysis/learning/reference.js';
import type { Setting } from '../../analysis/learning/setting.js';
import { presentRules } from '../../analysis/engine.js';
import { toScale } from '../../analysis/math/portableMath.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { sortedQuantile } from '../../analysis/math/statistics.js';
import { trial, type Trial } from '../../analysis/tuning/trial.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { runsWhere, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';

/** Share of the samples that are lost, and times that other ones are lost. */
export const lostShare = 0.1;
export const losses = 3;

/** Requested number of models; the second row of each series leaves the number to the engine. */
export const requestedCount = 5;

/** Dates that are planned, from the first reference day. */
const plannedDates = 730;

/** Effect of one loss of samples on the planning of a series. Shares are shares of the planned dates, 0–1. */
export type Loss = {
  /** Number of models chosen or requested. */
  readonly modelCount: number;
  /** Another model is planned. Models of the two references are matched by the dates that they share. */
  readonly other: number;
  /** The planned profile is not within the bounds that were planned before. */
  readonly outside: number;
  /**
   * Median distance of the planned profile from the one before on dates with another model, in multiples of the
   * distance to the bound, in the slice where it is largest; null without such dates.
   */
  readonly moved: number | null;
  /** As `other`, when each day keeps its cluster: without the effect of k-means. */
  readonly sameClusters: number;
};

/** Effects of lost samples with a number of models, or with the engine's choice (`requested` is null). */
export type LostSamples = {
  readonly requested: number | null;
  readonly modelCount: number;
  readonly losses: readonly Loss[];
};

/** Days without a random share of their slices. */
export const withLosses = (days: readonly Day[], share: number, seed: number): Day[] => {
  const random = seededRandom(seed);
  return days.map(day => {
    const lost = day.activity.map(() => random() < share);
    for (const [from, to] of day.gaps) lost.fill(true, from, to);
    return {
      ...day,
      activity: day.activity.map((value, slice) => (lost[slice] ? 0 : value)),
      gaps: runsWhere(lost.length, slice => lost[slice] === true),
    };
  });
};

/** Largest distance of a profile from that of a model, in multiples of the distance to its bound. */
export const boundsApart = (model: Model, { activity }: Pick<Model, 'activity'>): number => {
  const { limits } = model;
  if (!limits) return Number.POSITIVE_INFINITY;
  return activity.reduce((most, value, slice) => {
    const centre = toScale(limits, model.activity[slice]!);
    const by = toScale(limits, value) - centre;
    const bound = toScale(limits, (by > 0 ? model.topTolerance : model.bottomTolerance)[slice]!) - centre;
    return Math.max(most, Math.abs(by) < 1e-9 ? 0 : by / bound);
  }, 0);
};

/**
 * Which dates have another model in a second plan. Models of the two plans are matched one to one, those that share
 * the most dates first.
 * @param before a model for each date
 * @param after  a model for each of the same dates
 */
export const otherModels = (before: readonly number[], after: readonly number[]): boolean[] => {
  const shared = new Map<string, { readonly from: number; readonly to: number; count: number }>();
  before.forEach((from, at) => {
    const to = after[at]!;
    const pair = shared.get(`${from}/${to}`) ?? { from, to, count: 0 };
    pair.count += 1;
    shared.set(`${from}/${to}`, pair);
  });
  const matched = new Map<number, number>();
  const taken = new Set<number>();
  for (const { from, to } of [...shared.values()].sort((a, b) => b.count - a.count)) {
    if (matched.has(from) || taken.has(to)) continue;
    matched.set(from, to);
    taken.add(to);
  }
  return before.map((from, at) => matched.get(from) !== after[at]);
};

const share = (flags: readonly boolean[]): number => flags.filter(Boolean).length / flags.length;

/** Plans of a series before and after samples are lost. */
export const lostSamplesOf = (
  reference: readonly Day[],
  setting: Setting,
  requested: number | null,
): LostSamples => {
  const first = Math.min(...reference.map(({ date }) => dayNumber(date)));
  const dates = Array.from({ length: plannedDates }, (_, index) => dateOf(first + index));
  const learnedFrom = (days: readonly Day[]): Trial => trial(days, [], { ...setting, modelCount: requested });
  const whole = learnedFrom(reference);
  const before = dates.map(date => plannedModel(whole, date));
  const modelCount = chosenModelCount(whole.learned.choice);
  const kept = clustered(reference, setting, modelCount);
  const keptPlan = plansOf(kept, dates);
  return {
    requested,
    modelCount,
    losses: Array.from({ length: losses }, (_, index) => {
      const days = withLosses(reference, lostShare, setting.seed + index);
      const holed = learnedFrom(days);
      const after = dates.map(date => plannedModel(holed, date));
      const ids = (models: readonly Model[]): number[] => models.map(({ id }) => id);
      const other = otherModels(ids(before), ids(after));
      const apart = before.map((model, at) => boundsApart(model, after[at]!));
      const moved = Float64Array.from(apart.filter((_, at) => other[at])).sort();
      const keeping = clustered(days, setting, modelCount, kept.clusters);
      return {
        modelCount: chosenModelCount(holed.learned.choice),
        other: share(other),
        outside: share(apart.map(distance => distance > 1)),
        moved: moved.length > 0 ? sortedQuantile(moved, 0.5) : null,
        sameClusters: share(otherModels(keptPlan, plansOf(keeping, dates))),
      };
    }),
  };
};

const plannedModel = ({ models, plan }: Trial, date: string): Model => {
  const { modelId } = plan(date);
  return models.find(({ id }) => id === modelId)!;
};

/** Models before their limits are computed, and the cluster of each day by its date. */
type Clustered = {
  readonly prepared: PreparedReference;
  readonly learned: Learned;
  readonly clusters: ReadonlyMap<string, number>;
};

/** Learns profiles as `typicalDays` does; with given clusters, days that have none join the first one. */
const clustered = (
  reference: readonly Day[],
  { calendar, seed }: Setting,
  modelCount: number,
  given?: ReadonlyMap<string, number>,
): Clustered => {
  const planningCalendar = { holidays: calendar?.holidays ?? null, specials: [] };
  const prepared = withoutGaps(prepare(referenceOf(reference), planningCalendar), presentRules);
  const { days } = prepared;
  const excluded = outliers(
    prepared,
    days.map(() => true),
  );
  const smoothed = smoothedDays(
    prepared,
    days.map((_, index) => !excluded.has(index)),
  );
  const labels = given
    ? smoothed.indices.map(index => given.get(days[index]!.date) ?? 0)
    : clustersOf(smoothed, modelCount, seed);
  return {
    prepared,
    learned: learn(prepared, smoothed, labels),
    clusters: new Map(smoothed.indices.map((index, at) => [days[index]!.date, labels[at]!])),
  };
};

const plansOf = ({ prepared, learned }: Clustered, dates: readonly string[]): number[] =>
  dates.map(date => learned.plan(prepared.weightsFor(dayNumber(date))));
