import type { Finding, Outcome } from '../../domain/alerts/findings.js';
import {
  dayTypes,
  type Calendar,
  type NamedDay,
  type PlanningCalendar,
} from '../../domain/planning/calendar.js';
import { dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import type { CovariateSeries, ExplainedBy, ExplainedFacts } from '../../domain/source/covariates.js';
import type { Assignment, BoundsFacts, CheckFacts, CountTried, Model } from '../../domain/planning/models.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { presentRules } from '../engine.js';
import { withoutGaps } from '../learning/completed.js';
import { scaledRows } from '../learning/clustering/clusterRows.js';
import { rowsOf } from '../math/flatRows.js';
import { mean } from '../math/statistics.js';
import { prepare } from '../learning/prepare.js';
import { referenceOf } from '../learning/reference.js';
import { smoothedDays } from '../learning/clustering/smoothedDays.js';
import { silhouettes } from './silhouettes.js';
import { trial } from './trial.js';

/** The options that a sweep varies. */
export type Asked = {
  /** Number of models; null to choose it from the data. */
  readonly modelCount: number | null;
  /** Target coverage; null for the default limits. */
  readonly coverage: number | null;
};

/** Data of a sweep: days as in `trial`, the same for all settings. */
export type TuneData = {
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
  /** The entry of `counts` for the number of models taken. */
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
  { reference, recent, calendar, specials = [], covariates, seed }: TuneData,
  asked: Asked,
  checkStop: CheckStop = neverStops,
): TriedSetting => {
  const { modelCount, coverage } = asked;
  const setting = { modelCount, coverage, calendar, specials, seed, ...(covariates && { covariates }) };
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
    fit: fitOf(learned.choice, models.length),
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

/** Measurements of the number of models found. It can be below the number tried, since empty clusters are dropped. */
const fitOf = (counts: readonly CountTried[], found: number): CountTried =>
  counts.find(({ modelCount }) => modelCount >= found) ??
  counts.at(-1) ?? { modelCount: found, loss: 0, predictability: null, stability: null };
