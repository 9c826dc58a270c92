import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Comparison, DayBefore } from '../../analysis/checking/comparison.js';
import { checkDay } from '../../analysis/checking/checkDay.js';
import { driftDays } from '../../analysis/checking/levelShift.js';
import { engine } from '../../analysis/engine.js';
import type { AnalysisJob } from '../../analysis/worker.js';
import { checkCauses, type AlertsCommand, type CheckCause, type Knowledge } from '../../domain/alerts.js';
import type { Outcome } from '../../domain/findings.js';
import type { NamedDay } from '../../domain/calendar.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { sourceOf, type KnownEvent } from '../../domain/events.js';
import type { Model } from '../../domain/models.js';
import type { DayPlan } from '../../domain/planning.js';
import type { StoredDay } from '../../projections/days.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources.js';

// What analyses and checks come to, as a function of what is known: the reactor decides by it, and whoever verifies
// its decisions makes them again by it.

/** An event that makes a check necessary. */
export type CauseEvent = Extract<KnownEvent, { type: CheckCause['type'] }>;

/** Whether an event makes a check necessary: of an import's parts the last, with which it takes effect. */
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

/** What a check made of a day as one import brought it. */
export type Checked = { readonly date: string; readonly importId: string; readonly outcome: Outcome };

/** A part of a check: which of it, of which days, and what the parts before it in the same run came to. */
export type CheckPart = {
  readonly part: number;
  readonly last: boolean;
  readonly dates: readonly string[];
  readonly earlier: ReadonlyMap<string, Checked>;
};

/**
 * Days checked in one append. The worst day alternates over and under in all 144 slices: as many runs of some
 * 75 bytes, so that 50 such days with what else is said of them take about 600 of the 1024 KiB of an append.
 */
export const daysPerCheck = 50;

/** Days that are checked in one step; a part of more takes as many steps as it has days. */
export const daysPerStep = 3;

/** SHA-256 of what a check looks at, in 32 hex digits: the same digest is the same day. */
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
});

/** Sources whose models are kept as a check last read them. */
const keptMax = 100;

/** What read models come to in checks. */
export const checkDecider = (models: ReadModels) => {
  /** The recent days that a cause makes due. A cause that newer models have overtaken leaves all to theirs. */
  const dueDates = (event: CauseEvent, modelsVersion: number): readonly string[] => {
    switch (event.type) {
      case 'DaysImported':
        return models.days.ofImport(event.data.importId).map(day => day.date);
      case 'ModelsReset':
      case 'ModelsReplaced':
        return event.data.modelsVersion === modelsVersion
          ? models.days.recentDates(sourceOf(event.stream))
          : [];
      case 'DayPlanned':
      case 'DayPlanCleared':
      case 'SpecialDayNamed':
      case 'SpecialDayCleared':
        return [event.data.date];
    }
  };

  /** What a source's read models have come to: all of one moment of the log, so two of them are never crosswise. */
  const knowledgeOf = (sourceId: number, { version }: SourceSetup): Knowledge => ({
    source: version,
    days: models.days.revision(sourceId),
  });

  /** Models by the event that set them, with what a check makes of each (analysis/checking/checkDay.ts). */
  const kept = new LRUCache<string, readonly Model[]>({ max: keptMax });
  const modelsOf = (sourceId: number): readonly Model[] => {
    const setBy = models.planning.setBy(sourceId);
    if (setBy === undefined) return [];
    const list = kept.get(setBy) ?? models.models.list(sourceId);
    kept.set(setBy, list);
    return list;
  };

  /** What days are compared with, as the read models have it now. */
  const comparisonOf = (sourceId: number, { reference }: SourceSetup): Comparison => {
    const plans = new Map<string, DayPlan>();
    return {
      models: modelsOf(sourceId),
      checks: models.planning.checks(sourceId),
      completeness: reference.completeness,
      plan: date => {
        const plan = plans.get(date) ?? models.planning.day(sourceId, date);
        plans.set(date, plan);
        return plan;
      },
    };
  };

  /** The recent days of dates in order, and of so many days before each of them: in order, each read once. */
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
   * Checks days in order of date, each after those before it: these as the same check judged them, where it did, or
   * as the last check of the same models.
   */
  function* judge(
    sourceId: number,
    present: SourceSetup,
    dates: readonly string[],
    earlier: ReadonlyMap<string, Checked>,
  ): Generator<void, RecordCheck['days']> {
    const comparison = comparisonOf(sourceId, present);
    const judged = new Map(earlier);
    const isDrifting = ({ date, importId, check }: StoredDay): boolean => {
      const known = judged.get(date);
      const stored = check?.modelsVersion === present.modelsVersion ? check.outcome : null;
      return (known?.importId === importId ? known.outcome : stored) === 'drift';
    };
    const due = new Map(recentAround(sourceId, dates, 0).map(day => [day.date, day]));
    // Most days keep their limits: then nobody asks for those before them.
    let around: readonly StoredDay[] | undefined;
    const before = (date: string) => (): readonly DayBefore[] => {
      // The same objects: what a check makes of a day it keeps with it.
      around ??= recentAround(sourceId, dates, driftDays).map(day => due.get(day.date) ?? day);
      const first = dateOf(dayNumber(date) - driftDays);
      return around
        .filter(day => first <= day.date && day.date < date)
        .map(day => ({ day, drifting: isDrifting(day) }));
    };
    const inSteps = due.size > daysPerStep;
    if (inSteps) {
      // All is read now: what changes between the steps is of a later check.
      around = recentAround(sourceId, dates, driftDays).map(day => due.get(day.date) ?? day);
      for (const { date } of [...due.values(), ...around]) comparison.plan(date);
    }
    const days: RecordCheck['days'][number][] = [];
    for (const day of due.values()) {
      const { date, importId } = day;
      const { outcome, finding } = checkDay(day, comparison, before(date));
      judged.set(date, { date, importId, outcome });
      const plannedModelId = comparison.plan(date).modelId;
      days.push({ date, importId, dayDigest: digestOf(day), plannedModelId, outcome, finding });
      if (inSteps) yield;
    }
    return days;
  }

  /**
   * What a part of a cause's check comes to, worked out a day at a time from what is known at the first step;
   * `undefined` for a source that is not there.
   */
  function* checkSteps(
    event: CauseEvent,
    { part, last, dates, earlier }: CheckPart,
  ): Generator<void, RecordCheck | undefined> {
    const sourceId = sourceOf(event.stream);
    const present = models.sources.setup(sourceId);
    if (!present) return undefined;
    const knowledge = knowledgeOf(sourceId, present);
    const days = yield* judge(sourceId, present, dates, earlier);
    const cause = { id: event.id, type: event.type };
    const { modelsVersion } = present;
    return { type: 'RecordCheck', sourceId, cause, part, last, engine, modelsVersion, knowledge, days };
  }

  return {
    /** The dates whose check a cause still awaits, in order; none for a source that is not there. */
    awaitedDates: (event: CauseEvent): readonly string[] => {
      const present = models.sources.setup(sourceOf(event.stream));
      if (!present) return [];
      const checked = new Set(models.days.checkedDays(event.id).map(({ date }) => date));
      return dueDates(event, present.modelsVersion).filter(date => !checked.has(date));
    },

    checkSteps,
    /** The same at once. */
    checkCommand: (event: CauseEvent, part: CheckPart): RecordCheck | undefined => {
      const steps = checkSteps(event, part);
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return value;
      }
    },
  };
};
