import type { Finding, Outcome } from '../../domain/alerts/findings.js';
import { dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import {
  dayTypes,
  type Calendar,
  type NamedDay,
  type PlanningCalendar,
} from '../../domain/planning/calendar.js';
import type { Assignment, BoundsFacts, CheckFacts, CountTried, Model } from '../../domain/planning/models.js';
import type { CovariateSeries, ExplainedBy, ExplainedFacts } from '../../domain/source/covariates.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { presentRules } from '../engine.js';
import { chosenModelCount } from '../learning/crossFitting.js';
import { scaledRows, smoothedDays } from '../learning/clustering/clusterRows.js';
import { prepare, referenceOf } from '../learning/prepare.js';
import { withoutGaps } from '../learning/profiles.js';
import { rowsOf } from '../math/flatRows.js';
import { mean } from '../math/statistics.js';
import { trial, type CheckedSource } from './trial.js';

/**
 * Silhouette of each row (Rousseeuw 1987, J. Comput. Appl. Math. 20): (b − a) / max(a, b), where a is its mean
 * distance to the other rows of its cluster and b the least mean distance to the rows of another cluster. Distances
 * are Euclidean. Near 1 the row fits its cluster, near 0 it is between two, below 0 another cluster is nearer. A row
 * that is alone in its cluster has 0.
 * @param rows   n × m finite values, scaled as for clustering (scaledRows)
 * @param labels the cluster of each row, integers from 0
 * @returns      n values, −1 to 1; null when there are fewer than two clusters
 * @throws RangeError when the number of labels is not n
 */
export const silhouettes = (
  rows: readonly (readonly number[])[],
  labels: readonly number[],
): number[] | null => {
  if (labels.length !== rows.length)
    throw new RangeError(`got ${labels.length} labels, expected ${rows.length}, one a row`);
  const sizes = sizesOf(labels);
  if (sizes.filter(size => size > 0).length < 2) return null;

  return distanceSums(rows, labels, sizes.length).map((sums, index) => {
    const own = labels[index] ?? 0;
    const size = sizes[own] ?? 0;
    if (size < 2) return 0;
    const within = (sums[own] ?? 0) / (size - 1);
    let between = Number.POSITIVE_INFINITY;
    sums.forEach((sum, label) => {
      const count = sizes[label] ?? 0;
      if (label !== own && count > 0) between = Math.min(between, sum / count);
    });
    const larger = Math.max(within, between);
    return larger > 0 ? (between - within) / larger : 0;
  });
};

/** Number of rows of each cluster. */
const sizesOf = (labels: readonly number[]): number[] => {
  const count = labels.reduce((most, label) => Math.max(most, label), -1) + 1;
  const sizes = Array<number>(count).fill(0);
  for (const label of labels) sizes[label]! += 1;
  return sizes;
};

/** For each row the sum of its distances to the rows of each cluster. Each distance is computed once. */
const distanceSums = (
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  clusters: number,
): number[][] => {
  const sums = rows.map(() => Array<number>(clusters).fill(0));
  rows.forEach((row, index) => {
    for (let other = index + 1; other < rows.length; other += 1) {
      const apart = distance(row, rows[other] ?? []);
      add(sums[index], labels[other], apart);
      add(sums[other], labels[index], apart);
    }
  });
  return sums;
};

const add = (sums: number[] | undefined, label: number | undefined, value: number): void => {
  if (sums && label !== undefined) sums[label] = (sums[label] ?? 0) + value;
};

/** Half of the time of a sweep's silhouettes is spent here: no fallback for missing values. */
const distance = (a: readonly number[], b: readonly number[]): number => {
  let total = 0;
  for (let slice = 0; slice < a.length; slice += 1) {
    const difference = a[slice]! - b[slice]!;
    total += difference * difference;
  }
  return Math.sqrt(total);
};

/** The options that a sweep varies. */
export type Asked = {
  /** Number of models; null to choose it from the data. */
  readonly modelCount: number | null;
  /** Target coverage; null for the default limits. */
  readonly coverage: number | null;
};

/** Data of a sweep: days as in `trial`, the same for all settings. */
export type TuneData = CheckedSource & {
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  readonly calendar: Calendar | null;
  /** Special days named by people; absent means none. */
  readonly specials?: readonly NamedDay[];
  /** Series that may explain the days, with values on reference and recent dates; absent means none. */
  readonly covariates?: readonly CovariateSeries[];
  readonly seed: number;
};

/** A recent day under a setting. */
export type TriedDay = {
  readonly date: string;
  readonly outcome: Outcome;
  readonly plannedModelId: number | null;
  /** Why the model was planned, in words. */
  readonly reason: string;
  /** An ordinary or bridge day. Coverage is a share of these. */
  readonly ordinary: boolean;
  readonly finding: Finding | null;
  /** How covariates changed what was expected; absent where none is used. */
  readonly explainedBy?: ExplainedFacts;
};

/** Result of one setting: plain data for threads and files. */
export type TriedSetting = {
  readonly asked: Asked;
  readonly engine: string;
  /** With ids from 1, largest first. */
  readonly models: readonly Model[];
  /** By date, for the reference days that were learned from. */
  readonly assignments: readonly Required<Assignment>[];
  readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  readonly calendar: Calendar | null;
  readonly bounds: BoundsFacts;
  /** Measurements of every number of models that was tried. */
  readonly counts: readonly CountTried[];
  /** The entry of `counts` for the number that was clustered, which a reset needs; fewer models may be learned. */
  readonly fit: CountTried;
  readonly hitRate: number | null;
  readonly checks: CheckFacts | null;
  /** Result for each covariate, in their order; absent without covariates. */
  readonly explainedBy?: readonly ExplainedBy[];
  /** Mean silhouettes: of all reference days learned from, and of the days of each model; null for a single model. */
  readonly silhouette: { readonly mean: number; readonly models: readonly (number | null)[] } | null;
  /** By date. */
  readonly days: readonly TriedDay[];
};

/**
 * Learns and checks with one setting, and measures how far its models are apart. Silhouettes are computed on the rows
 * that k-means clusters, each labelled with its planned model: they describe how distinct the predicted kinds of days
 * are. The variation of single days is described by the loss.
 * @param checkStop called between steps
 * @throws RangeError as `trial` does
 */
export const trySetting = (
  { reference, recent, specials = [], ...given }: TuneData,
  asked: Asked,
  checkStop: CheckStop = neverStops,
): TriedSetting => {
  const setting = { ...given, ...asked, specials };
  const { learned, models, assignments, days } = trial(reference, recent, setting, checkStop);
  const planningCalendar = { holidays: learned.calendar?.holidays ?? null, specials };
  const typeOf = dayTypes(planningCalendar.holidays, specials);
  const labels = learned.assignments.map(({ model, planned = model }) => planned);
  const each = silhouettes(clusteredRows(reference, planningCalendar, learned.assignments), labels);
  return {
    asked,
    engine: learned.engine,
    models,
    assignments: assignments.map(assigned => ({
      ...assigned,
      plannedId: assigned.plannedId ?? assigned.modelId,
    })),
    leftOut: learned.leftOut,
    calendar: learned.calendar,
    bounds: learned.bounds,
    counts: learned.choice,
    fit: fitOf(learned.choice),
    hitRate: learned.hitRate,
    checks: learned.checks,
    ...(learned.explainedBy && { explainedBy: learned.explainedBy }),
    silhouette: each && {
      mean: mean(each),
      models: models.map((_, model) => {
        const own = each.filter((_, index) => labels[index] === model);
        return own.length > 0 ? mean(own) : null;
      }),
    },
    days: days.map(({ day: { date }, plan, outcome, finding, explainedBy }) => ({
      date,
      outcome,
      plannedModelId: plan.modelId,
      reason: plan.reason,
      ordinary: ['ordinary', 'bridge'].includes(typeOf(dayNumber(date)).type),
      finding,
      ...(explainedBy && { explainedBy }),
    })),
  };
};

/** The rows that k-means clusters, of the days that were learned from, in the order of their assignments. */
const clusteredRows = (
  days: readonly Day[],
  calendar: PlanningCalendar,
  assignments: readonly { readonly date: string }[],
): number[][] => {
  const learned = new Set(assignments.map(({ date }) => date));
  const prepared = withoutGaps(prepare(referenceOf(days), calendar), presentRules);
  const included = prepared.days.map(({ date }) => learned.has(date));
  return rowsOf(scaledRows(smoothedDays(prepared, included).rows));
};

/** Measurements of the number of models that was clustered. Empty clusters are dropped, so fewer may be found. */
const fitOf = (counts: readonly CountTried[]): CountTried => {
  const clustered = chosenModelCount(counts);
  return (
    counts.find(({ modelCount }) => modelCount === clustered) ?? {
      modelCount: clustered,
      loss: 0,
      predictability: null,
      stability: null,
    }
  );
};
