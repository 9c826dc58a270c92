import { usableDistance } from '../../analysis/checking/assignDays.js';
import { trial, type Trial } from '../../analysis/tuning/trial.js';
import type { Setting } from '../../analysis/learning/typicalDays.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import { usable, type Day, runsWhere } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import { weekdayMeans } from './baselines.js';
import type { Expected } from './definitions.js';
import { profileError, type Part } from './score.js';
import type { Series } from './series.js';
import { learn, type Learned } from '../../analysis/learning/learn.js';
import { withoutGaps } from '../../analysis/learning/profiles.js';
import { clustersOf, smoothedDays } from '../../analysis/learning/clustering/clusterRows.js';
import { chosenModelCount } from '../../analysis/learning/crossFitting.js';
import { outliers } from '../../analysis/learning/outliers.js';
import { prepare, type PreparedReference, referenceOf } from '../../analysis/learning/prepare.js';
import { presentRules } from '../../analysis/engine.js';
import { toScale } from '../../analysis/math/portableMath.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { sortedQuantile } from '../../analysis/math/statistics.js';

/** Tested numbers of models. */
export const modelCounts = [4, 6, 8] as const;

/** Accuracy of plans. Errors are those of ordinary days, as in `Score`. */
export type Planning = {
  readonly weekdayError: number | null;
  readonly weekdayErrorOfAll: number | null;
  /** Error of the day 364 days before. */
  readonly yearError: number | null;
  /** Whether most ordinary days have such a day. */
  readonly hasYear: boolean;
  /**
   * Share of days whose planned model was the nearest, for each of `modelCounts`; `byMonth` when the plan is the model
   * most frequent in the same month and weekday of the reference.
   */
  readonly hits: readonly { readonly days: Part; readonly byMonth: Part; readonly holidays: Part }[];
};

/** The nearest model that may be planned; of equal ones the smaller id. */
const nearestOf = (day: Day, models: readonly Model[]): number | null => {
  const flags = usable(day);
  let nearest: number | null = null;
  let least = Infinity;
  for (const { id, anomaly, activity } of models) {
    const distance = anomaly ? Infinity : usableDistance(day.activity, activity, flags);
    if (distance < least) [nearest, least] = [id, distance];
  }
  return nearest;
};

/** Most frequent model of a month and weekday; of the weekday when the month has no days. */
const monthPlan = (
  reference: readonly Day[],
  models: readonly Model[],
): ((date: string) => number | null) => {
  const weekdayOf = (date: string): string => String(weekday(dayNumber(date)));
  const monthOf = (date: string): string => `${date.slice(5, 7)}/${weekdayOf(date)}`;
  const votes = new Map<string, Map<number, number>>();
  for (const day of reference) {
    const nearest = nearestOf(day, models);
    if (nearest === null) continue;
    for (const kind of [weekdayOf(day.date), monthOf(day.date)]) {
      const counts = votes.get(kind) ?? new Map<number, number>();
      counts.set(nearest, (counts.get(nearest) ?? 0) + 1);
      votes.set(kind, counts);
    }
  }
  return date => {
    const counts = votes.get(monthOf(date)) ?? votes.get(weekdayOf(date)) ?? new Map<number, number>();
    const [most] = [...counts].sort(([a, x], [b, y]) => y - x || a - b);
    return most?.[0] ?? null;
  };
};

/** Planning results of a series under a setting, with other numbers of models. */
export const planningOf = (series: Series, expected: Expected, setting: Setting): Planning => {
  const byDate = new Map([...series.reference, ...series.recent].map(day => [day.date, day]));
  const yearBefore = ({ date }: Day): Day | undefined => byDate.get(dateOf(dayNumber(date) - 364));
  const means = weekdayMeans(series.reference);
  const { ordinary } = expected;
  const hits = modelCounts.map(modelCount => {
    // Plans depend on models and calendar only, so no recent day is checked.
    const { models, plan } = trial(series.reference, [], { ...setting, modelCount });
    const byMonth = monthPlan(series.reference, models);
    const hitsOf = (days: readonly Day[], planned: (date: string) => number | null): Part => ({
      count: days.filter(day => {
        const nearest = nearestOf(day, models);
        return nearest !== null && nearest === planned(day.date);
      }).length,
      of: days.length,
    });
    const byPlanning = (date: string): number | null => plan(date).modelId;
    return {
      days: hitsOf(expected.scored, byPlanning),
      byMonth: hitsOf(expected.scored, byMonth),
      holidays: hitsOf(expected.holidays, byPlanning),
    };
  });
  return {
    weekdayError: profileError(ordinary, means),
    weekdayErrorOfAll: profileError(expected.scored, means, series.reference),
    yearError: profileError(ordinary, day => {
      const before = yearBefore(day);
      if (before === undefined) return null;
      const flags = usable(before);
      return before.activity.map((value, slice) => (flags[slice] ? value : null));
    }),
    hasYear: ordinary.length > 0 && 2 * ordinary.filter(yearBefore).length >= ordinary.length,
    hits,
  };
};

/** Share of the samples that are lost, and times that other ones are lost. */
export const lostShare = 0.1;
const losses = 3;

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
 * The dates that have another model in a second plan. Models of the two plans are matched one to one, those that share
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
