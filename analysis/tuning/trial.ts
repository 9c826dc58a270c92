import { notAdapted, type Adaptation } from '../../domain/alerts/checks.js';
import { dateAfter } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import type { CovariateReading, ExplainedFacts } from '../../domain/source/covariates.js';
import type { MinChange } from '../../domain/source/minChange.js';
import { withIds, type Assignment, type Model, type TypicalDays } from '../../domain/planning/models.js';
import { planner, type DayPlan } from '../../domain/planning/planning.js';
import { referenceFacts } from '../../domain/source/sourceState.js';
import { changedDates } from '../changes/changedModel.js';
import { checkDay } from '../checking/checkDay.js';
import type { Checked, Comparison, DayBefore } from '../checking/comparison.js';
import { proposedMinChange } from '../checking/floor.js';
import { referenceGaps } from '../checking/stretches.js';
import { referenceShapes } from '../checking/shape.js';
import { driftDays } from '../checking/recentLevel.js';
import { explainedDates } from '../covariates/effectOn.js';
import { presentRules } from '../engine.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { type Setting, typicalDays } from '../learning/typicalDays.js';

/** State of a source that its days are checked with; a new source has none. */
export type CheckedSource = {
  /** Null for no floor; absent for the one that the reference proposes. */
  readonly floor?: MinChange | null;
  /** In the order in which they apply; absent for none. */
  readonly accepted?: readonly AcceptedChange[];
  /** Usual completeness of its days, those that people left out included; absent for that of the reference. */
  readonly completeness?: number;
};

/** A recent day with its plan and its check. */
export type TrialDay = Checked & {
  readonly day: Day;
  readonly plan: DayPlan;
  /** How covariates move the planned model; absent without a model or without covariates that are used. */
  readonly explainedBy?: ExplainedFacts;
};

/** Result of learning from a reference and checking recent days. */
export type Trial = {
  readonly learned: TypicalDays;
  /** The models of `learned` with ids from 1, in the same order. */
  readonly models: readonly Model[];
  readonly assignments: readonly Assignment[];
  readonly plan: (date: string) => DayPlan;
  readonly days: readonly TrialDay[];
  /** Everything that the days were compared with. */
  readonly comparison: Comparison;
  /** Recent days of the 28 days before a date. */
  readonly before: (date: string) => readonly DayBefore[];
  /** Checks another version of a recent day; the other recent days stay as they are. */
  readonly recheck: (day: Day) => Checked;
  /** Checks other versions of some recent days in order of date, each after the ones before it. */
  readonly recheckAll: (days: readonly Day[]) => readonly CheckedDay[];
};

/** A day with its check. */
export type CheckedDay = Checked & { readonly day: Day };

/**
 * Learns, plans and checks as the service does, but without a service. Recent days are checked in order of date.
 * @param reference days of one length, each date once, values in the unit of the source
 * @param recent    days of that length, each date once; may be empty
 * @param setting   its covariates may have values on reference and recent dates
 * @param checkStop called between steps of learning
 * @throws RangeError as `typicalDays` does
 */
export const trial = (
  reference: readonly Day[],
  recent: readonly Day[],
  setting: Setting & CheckedSource,
  checkStop: CheckStop = neverStops,
): Trial => {
  const learned = typicalDays(reference, setting, checkStop);
  const { models, assignments } = withIds(learned, 1);
  const plan = planner(models, assignments, {
    holidays: learned.calendar?.holidays ?? null,
    specials: setting.specials ?? [],
    ...(learned.cycles && { cycles: learned.cycles }),
  });
  const plans = new Map<string, DayPlan>();
  const planOnce = (date: string): DayPlan => {
    const known = plans.get(date) ?? plan(date);
    plans.set(date, known);
    return known;
  };
  const explained = explainedBySetting(models, learned, setting);
  const {
    floor = proposedMinChange(reference),
    accepted = [],
    completeness = referenceFacts([...reference].sort(byDate)).completeness,
  } = setting;
  const comparison: Comparison = {
    models,
    checks: learned.checks,
    completeness,
    referenceGaps: referenceGaps(reference, assignments),
    plan: planOnce,
    floor,
    rules: presentRules,
    ...shapesOf(reference, learned),
    ...(explained && { explained }),
    ...(accepted.length > 0 && { changed: changedDates(accepted) }),
  };
  const explainedBy = (date: string): Pick<TrialDay, 'explainedBy'> => {
    const planned = models.find(({ id }) => id === planOnce(date).modelId);
    return planned && explained ? { explainedBy: explained(date).facts(planned) } : {};
  };
  const days: TrialDay[] = [];
  const checkAfter = (earlier: readonly CheckedDay[], day: Day): Checked => {
    const adaptation = learned.checks?.adaptive ? adaptationBefore(earlier, day.date) : null;
    return checkDay(day, comparison, () => daysBefore(earlier, day.date), adaptation);
  };
  const recheck = (day: Day): Checked => checkAfter(days, day);
  const recheckAll = (changed: readonly Day[]): readonly CheckedDay[] => {
    const ordered = [...changed].sort(byDate);
    const first = ordered[0]?.date ?? '';
    const earlier: CheckedDay[] = days.filter(({ day }) => day.date < first);
    const unchanged = earlier.length;
    for (const day of ordered) earlier.push({ day, ...checkAfter(earlier, day) });
    return earlier.slice(unchanged);
  };
  for (const day of [...recent].sort(byDate))
    days.push({ day, plan: planOnce(day.date), ...recheck(day), ...explainedBy(day.date) });
  const before = (date: string): readonly DayBefore[] => daysBefore(days, date);
  return { learned, models, assignments, plan, days, comparison, before, recheck, recheckAll };
};

const adaptationBefore = (days: readonly CheckedDay[], date: string): Adaptation =>
  days.findLast(({ day }) => day.date < date)?.adaptation ?? notAdapted;

/** Checked days within the 28 days before a date. */
const daysBefore = (days: readonly CheckedDay[], date: string): readonly DayBefore[] => {
  const from = dateAfter(date, -driftDays);
  return days.flatMap(({ day: other, outcome }): DayBefore | [] =>
    other.date >= from && other.date < date ? { day: other, drifting: outcome === 'drift' } : [],
  );
};

/** Reference days that shapes are compared with; nothing without a limit on shapes. */
const shapesOf = (
  reference: readonly Day[],
  { checks, models }: TypicalDays,
): Pick<Comparison, 'referenceShapes'> => {
  const limits = models[0]?.limits;
  if (!checks?.shape || !limits) return {};
  const shapes = referenceShapes(reference, checks.shape, limits);
  return { referenceShapes: () => shapes };
};

/** Models as the covariates of a setting move them, by date; undefined when none is used. */
const explainedBySetting = (
  models: readonly Model[],
  { checks }: TypicalDays,
  { covariates = [] }: Setting,
): Comparison['explained'] => {
  if (!checks?.covariates) return undefined;
  const values = covariates.map(({ sourceId, revision, values }) => ({
    sourceId,
    revision,
    byDate: new Map(values.map(({ date, value }) => [date, value])),
  }));
  const readingsOn = (date: string): readonly CovariateReading[] =>
    values.map(({ byDate, ...one }) => ({ ...one, value: byDate.get(date) ?? null }));
  return explainedDates(models, checks.covariates, readingsOn);
};

const byDate = (a: Day, b: Day): number => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0);
