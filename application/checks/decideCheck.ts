import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Comparison, DayBefore } from '../../analysis/checking/comparison.js';
import { checkDay } from '../../analysis/checking/checkDay.js';
import { driftDays } from '../../analysis/checking/levelShift.js';
import { engine, rulesToUse, type EngineRules } from '../../analysis/engine.js';
import type { AnalysisJob } from '../../analysis/worker.js';
import { notAdapted, type Adaptation } from '../../domain/alerts/adaptation.js';
import { checkCauses, type CheckCause, type Knowledge } from '../../domain/alerts/checks.js';
import type { AlertsCommand } from '../../domain/alerts/alertsCommands.js';
import type { Finding, Outcome } from '../../domain/alerts/findings.js';
import type { NamedDay } from '../../domain/planning/calendar.js';
import type { CovariateReading } from '../../domain/source/covariates.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { sourceOf, type KnownEvent } from '../../domain/events.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { StoredDay } from '../../projections/days.js';
import type { ReadModels } from '../../projections/readModels.js';
import { explainedComparison, readingOn, type ExplainedComparison } from '../covariates/readings.js';
import { missingDates } from './missingDates.js';
import { checkedSilence } from './silence.js';
import type { SourceSetup } from '../../projections/sources/sources.js';

// Decisions of analyses and checks, computed from read models only. The process manager uses these functions, and
// `verify --decisions` repeats its decisions with them.

/** An event that makes a check necessary. */
export type CauseEvent = Extract<KnownEvent, { type: CheckCause['type'] }>;

/** Whether an event makes a check necessary. An import does with its last part, when it takes effect. */
export const isCause = (event: KnownEvent): event is CauseEvent =>
  event.type === 'DaysImported'
    ? event.data.kind === 'recent' && event.data.part === event.data.parts
    : (checkCauses as readonly string[]).includes(event.type);

/** The types of events that ask for an analysis. */
export const analysisTypes = ['SourceCreated', 'ModelsResetRequested'] as const;

/** An event that asks for an analysis. */
export type AnalysisEvent = Extract<KnownEvent, { type: (typeof analysisTypes)[number] }>;

/** Whether an event asks for an analysis. */
export const isAnalysis = (event: KnownEvent): event is AnalysisEvent =>
  (analysisTypes as readonly string[]).includes(event.type);

type RecordCheck = Extract<AlertsCommand, { type: 'RecordCheck' }>;

/** Outcome of a check of one imported day. */
export type Checked = {
  readonly date: string;
  readonly importId: string;
  readonly outcome: Outcome;
  readonly adaptation?: Adaptation;
};

/** A day that is checked; `missing` has no data. */
type CheckedDayData = Day & { readonly importId: string; readonly missing?: true };

/** Part of a check: its number from 1, its dates, and the outcomes of the earlier parts of the same run. */
export type CheckPart = {
  readonly part: number;
  readonly last: boolean;
  readonly dates: readonly string[];
  readonly earlier: ReadonlyMap<string, Checked>;
  /** Values of covariates by date that a recorded check knew; absent to read them now. */
  readonly covariates?: ReadonlyMap<string, readonly CovariateReading[]>;
};

/**
 * Maximum days of one append. A day whose 144 slices alternate over and under has 144 runs of 75 bytes; 50 such days
 * take about 600 of the 1024 KiB of an append.
 */
export const daysPerCheck = 50;

/** Maximum days that are checked in one step; a larger part takes one step per day. */
export const daysPerStep = 3;

/** First 32 hex digits of the SHA-256 of the parts of a day that a check uses. */
export const digestOf = (day: Pick<Day, 'activity' | 'gaps' | 'filled'>): string =>
  createHash('sha256')
    .update(JSON.stringify([day.activity, day.gaps, day.filled]))
    .digest('hex')
    .slice(0, 32);

/** The analysis that an event asks for. */
export const analysisJob = (
  { type, data }: AnalysisEvent,
  { calendarGiven: calendarCode, referenceYear }: Pick<SourceSetup, 'calendarGiven' | 'referenceYear'>,
  days: readonly Day[],
  specials: readonly NamedDay[],
): Extract<AnalysisJob, { kind: 'typicalDays' }> => ({
  kind: 'typicalDays',
  days,
  modelCount: type === 'SourceCreated' ? null : data.modelCount,
  coverage: data.coverage ?? null,
  calendarCode,
  referenceYear,
  specials,
  seed: data.seed,
  ...(data.covariates && { covariates: data.covariates }),
});

/** Maximum sources whose models are cached. */
const cachedMax = 100;

/** A finding as an engine stores it. */
const asStored = (finding: Finding | null, { facts: storesFacts }: EngineRules): Finding | null => {
  if (finding === null || storesFacts) return finding;
  const { facts: _, ...older } = finding;
  return older;
};

/** The read models that checks read. */
export type CheckedModels = {
  readonly sources: Pick<ReadModels['sources'], 'setup'>;
  readonly days: Pick<
    ReadModels['days'],
    | 'byImport'
    | 'checkCount'
    | 'recentDates'
    | 'hasRecent'
    | 'revision'
    | 'between'
    | 'checkedDays'
    | 'adaptedBefore'
    | 'covariates'
    | 'recent'
  >;
  readonly models: Pick<ReadModels['models'], 'list'>;
  readonly rhythms: Pick<ReadModels['rhythms'], 'of'>;
  readonly planning: Pick<ReadModels['planning'], 'modelsKey' | 'checks' | 'day'>;
};

/** Decides checks from read models. */
export const checkDecider = (models: CheckedModels) => {
  /** Dates of an import, and missing dates between them of which there are no data. */
  const importedDates = (event: Extract<CauseEvent, { type: 'DaysImported' }>, by: string) => {
    const dates = models.days.byImport(event.data.importId).map(day => day.date);
    const missing = rulesToUse(by).missingDates ? missingDates(dates) : [];
    if (missing.length === 0) return dates;
    const isKnown = (date: string) => models.days.hasRecent(sourceOf(event.stream), date);
    return [...dates, ...missing.filter(date => !isKnown(date))].sort();
  };

  /**
   * Dates that a cause requires to be checked; none when newer models will check all days, or in an archived source.
   */
  const dueDates = (
    event: CauseEvent,
    { modelsVersion, archivedAt }: SourceSetup,
    by: string,
  ): readonly string[] => {
    if (archivedAt !== null) return [];
    switch (event.type) {
      case 'DaysImported':
        return importedDates(event, by);
      case 'ClockTicked':
        return [];
      case 'ModelsReset':
      case 'ModelsReplaced':
      case 'ModelAnomalyChanged':
        return event.data.modelsVersion === modelsVersion
          ? models.days.recentDates(sourceOf(event.stream))
          : [];
      case 'DayPlanned':
      case 'DayPlanCleared':
      case 'SpecialDayNamed':
      case 'SpecialDayCleared':
        return [event.data.date];
      case 'SourceRestored':
        return models.days.recentDates(sourceOf(event.stream));
      case 'CovariateDaysImported':
        return event.data.dates.filter(date => models.days.hasRecent(sourceOf(event.stream), date));
    }
  };

  /** Versions of a source's read models. Readers in log order see totally ordered versions. */
  const knowledgeOf = (sourceId: number, { version }: SourceSetup): Knowledge => ({
    source: version,
    days: models.days.revision(sourceId),
  });

  /** Models by their key. Checks cache values per model object (analysis/checking/checkDay.ts). */
  const cache = new LRUCache<string, readonly Model[]>({ max: cachedMax });
  const modelsOf = (sourceId: number): readonly Model[] => {
    const key = models.planning.modelsKey(sourceId);
    if (key === undefined) return [];
    const list = cache.get(key) ?? models.models.list(sourceId);
    cache.set(key, list);
    return list;
  };

  /** Models, limits and plan that days are compared with. */
  const comparisonOf = (
    { id: sourceId, reference }: SourceSetup,
    rules: EngineRules,
    { dates, covariates }: Pick<CheckPart, 'dates' | 'covariates'>,
  ): Comparison & ExplainedComparison => {
    const plans = new Map<string, DayPlan>();
    const current = modelsOf(sourceId);
    const checks = models.planning.checks(sourceId);
    const isChecked = new Set(dates);
    // Days before the checked ones keep the values that their own check knew.
    const explained = explainedComparison(current, checks, (date, ids) =>
      isChecked.has(date)
        ? covariates
          ? (covariates.get(date) ?? [])
          : ids.map(id => readingOn(models, id, date))
        : models.days.covariates(sourceId, date),
    );
    return {
      models: current,
      checks,
      ...explained,
      rules,
      completeness: reference.completeness,
      plan: date => {
        const plan = plans.get(date) ?? models.planning.day(sourceId, date);
        plans.set(date, plan);
        return plan;
      },
    };
  };

  /** Recent days of ascending dates and of `daysBefore` days before each: in order, each once. */
  const recentAround = (sourceId: number, dates: readonly string[], daysBefore: number): StoredDay[] => {
    const stretches: { readonly from: number; to: number }[] = [];
    for (const date of dates) {
      const number = dayNumber(date);
      const last = stretches.at(-1);
      if (last && number - daysBefore <= last.to) last.to = number + 1;
      else stretches.push({ from: number - daysBefore, to: number + 1 });
    }
    return stretches.flatMap(({ from, to }) =>
      models.days.between(sourceId, 'recent', dateOf(from), dateOf(to)),
    );
  };

  /**
   * States of the adaptive factor before ascending dates: that of the latest checked day before the date with the same
   * models, which may be a day of this check. Stored states are read now; null when the limits do not adapt.
   */
  const adaptationsOf = (
    sourceId: number,
    { modelsVersion }: SourceSetup,
    { checks }: Comparison,
    { dates, judged }: { readonly dates: readonly string[]; readonly judged: ReadonlyMap<string, Checked> },
  ): {
    readonly before: (date: string) => Adaptation | null;
    readonly judge: (date: string, adaptation: Adaptation | undefined) => void;
  } => {
    if (!checks?.adaptive) return { before: () => null, judge: () => {} };
    const stored = new Map(
      dates.map(date => [date, models.days.adaptedBefore(sourceId, modelsVersion, date)]),
    );
    let last: { readonly date: string; readonly adaptation: Adaptation } | undefined;
    const judge = (date: string, adaptation: Adaptation | undefined): void => {
      if (adaptation && (!last || date > last.date)) last = { date, adaptation };
    };
    for (const { date, adaptation } of judged.values()) judge(date, adaptation);
    const before = (date: string): Adaptation => {
      const known = stored.get(date);
      return (last && (!known || last.date >= known.date) ? last : known)?.adaptation ?? notAdapted;
    };
    return { before, judge };
  };

  /**
   * Checks days in order of date. The outcomes of earlier days are those of this check, or of the last check with the
   * same models.
   */
  function* judge(
    event: CauseEvent,
    comparison: Comparison & ExplainedComparison,
    present: SourceSetup,
    { dates, earlier }: Pick<CheckPart, 'dates' | 'earlier'>,
  ): Generator<void, RecordCheck['days']> {
    const { id: sourceId } = present;
    const judged = new Map(earlier);
    const isDrifting = ({ date, importId, check }: StoredDay): boolean => {
      const known = judged.get(date);
      const stored = check?.modelsVersion === present.modelsVersion ? check.outcome : null;
      return (known?.importId === importId ? known.outcome : stored) === 'drift';
    };
    const due = new Map(recentAround(sourceId, dates, 0).map(day => [day.date, day]));
    // Read on demand: days inside their limits do not need the days before them.
    let around: readonly StoredDay[] | undefined;
    const before = (date: string) => (): readonly DayBefore[] => {
      // The same objects, because checks cache values per day object.
      around ??= recentAround(sourceId, dates, driftDays).map(day => due.get(day.date) ?? day);
      const first = dateOf(dayNumber(date) - driftDays);
      return around
        .filter(day => first <= day.date && day.date < date)
        .map(day => ({ day, drifting: isDrifting(day) }));
    };
    const inSteps = due.size > daysPerStep;
    if (inSteps) {
      // All days are read before the first step: changes between steps belong to a later check.
      around = recentAround(sourceId, dates, driftDays).map(day => due.get(day.date) ?? day);
      for (const { date } of [...due.values(), ...around]) {
        comparison.plan(date);
        comparison.readingsOn?.(date);
      }
    }
    const adaptations = adaptationsOf(sourceId, present, comparison, {
      dates: [...due.keys()],
      judged,
    });
    const days: RecordCheck['days'][number][] = [];
    for (const date of dates) {
      const day: CheckedDayData | undefined = due.get(date) ?? missingDay(event, present, date);
      if (!day) continue;
      const { importId, missing } = day;
      const { adaptation, ...checked } = checkDay(day, comparison, before(date), adaptations.before(date));
      const { outcome, finding } = checked;
      const adapted = adaptation && { adaptation };
      judged.set(date, { date, importId, outcome, ...adapted });
      adaptations.judge(date, adaptation);
      const plannedModelId = comparison.plan(date).modelId;
      days.push({
        ...{ date, importId, dayDigest: digestOf(day), plannedModelId, outcome },
        finding: asStored(finding, comparison.rules),
        ...adapted,
        ...(missing ? { missing } : comparison.readingsOn && { covariates: comparison.readingsOn(date) }),
      });
      if (inSteps) yield;
    }
    return days;
  }

  /** A date without data inside an import, as a day without a value; undefined for other causes. */
  const missingDay = (
    event: CauseEvent,
    { activitySize }: SourceSetup,
    date: string,
  ): CheckedDayData | undefined =>
    event.type === 'DaysImported'
      ? {
          ...{ date, importId: event.data.importId, missing: true },
          ...{ activity: Array<number>(activitySize).fill(0), gaps: [[0, activitySize]], filled: [] },
        }
      : undefined;

  /**
   * Computes the command that records a part of a check, one day per step, from the read models at the first step.
   * Returns `undefined` for an unknown source.
   * @param by name of the engine whose rules are used
   */
  function* checkSteps(
    event: CauseEvent,
    { part, last, dates, earlier, covariates }: CheckPart,
    by = engine,
  ): Generator<void, RecordCheck | undefined> {
    const sourceId = sourceOf(event.stream);
    const present = models.sources.setup(sourceId);
    if (!present) return undefined;
    const knowledge = knowledgeOf(sourceId, present);
    const checksKnown = models.days.checkCount(sourceId);
    const silence =
      last && present.archivedAt === null ? checkedSilence(event, models.rhythms.of(sourceId)) : {};
    const comparison = comparisonOf(present, rulesToUse(by), { dates, ...(covariates && { covariates }) });
    const days = yield* judge(event, comparison, present, { dates, earlier });
    const cause = { id: event.id, type: event.type };
    const { modelsVersion } = present;
    const adaptive = comparison.checks?.adaptive ? { checksKnown } : {};
    const versions = { engine: by, modelsVersion, knowledge, keepsAlerts: true, ...adaptive };
    return { type: 'RecordCheck', sourceId, cause, part, last, ...versions, days, ...silence };
  }

  return {
    /** Dates that a cause requires and that are not checked yet, ascending; none for an unknown source. */
    awaitedDates: (event: CauseEvent, by = engine): readonly string[] => {
      const present = models.sources.setup(sourceOf(event.stream));
      if (!present) return [];
      const checked = new Set(models.days.checkedDays(event.id).map(({ date }) => date));
      return dueDates(event, present, by).filter(date => !checked.has(date));
    },

    checkSteps,
    /** Runs all steps at once. */
    checkCommand: (event: CauseEvent, part: CheckPart, by = engine): RecordCheck | undefined => {
      const steps = checkSteps(event, part, by);
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return value;
      }
    },
  };
};
