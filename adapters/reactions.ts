import { createHash } from 'node:crypto';
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Logger } from 'pino';
import { checkDay, type Comparison, type DayBefore } from '../analysis/check.js';
import { driftDays } from '../analysis/drift.js';
import { alerts, type CheckCause, type Knowledge, type Outcome } from '../domain/alerts.js';
import { dateOf, dayNumber } from '../domain/dates.js';
import type { Day } from '../domain/day.js';
import { sourceOf, streams, type EventType, type KnownEvent } from '../domain/events.js';
import type { DayPlan } from '../domain/planning.js';
import { Rejection } from '../domain/rejection.js';
import { source } from '../domain/source.js';
import type { StoredDay } from '../projections/days.js';
import type { ReadModels } from '../projections/readModels.js';
import type { SourceSetup } from '../projections/sources.js';
import { QueueFull, type Analyst } from './analyst.js';
import { Conflict, StoreUnavailable } from './eventStore.js';
import type { Handle, Origin } from './handle.js';
import type { Waiting } from './waiting.js';

/** What is done about single events: an analysis or a check, whose outcome is events again. */
export type Reactions = {
  /** Whether anything is to be done about an event, as far as the read models know it. */
  readonly isDue: (event: KnownEvent) => boolean;
  /**
   * Does it. What is recorded already, found by its cause, is left alone, so an event may come again.
   * @throws AbortError (by name) when an analysis was ended; what `isPassing` tells may go well later
   */
  readonly react: (event: KnownEvent) => Promise<void>;
  /** Looks at events as they come: newer models, or a newer request for them, end an analysis under way. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  /** Ends all analyses, for good. */
  readonly end: () => void;
  /** Whether the analysis of a source is at work in this process. */
  readonly isAnalysing: (sourceId: number) => boolean;
};

export type ReactionParts = {
  readonly models: ReadModels;
  /** Resolves when the read models hold all that was in the log at the call. */
  readonly settled: () => Promise<void>;
  readonly handle: Handle;
  readonly analyst: Analyst;
  readonly waiting: Waiting;
  /** The present instant, ISO 8601 UTC. */
  readonly now: () => string;
  readonly log: Logger;
};

type CauseEvent = Extract<KnownEvent, { type: CheckCause['type'] }>;
type AnalysisEvent = Extract<KnownEvent, { type: 'SourceCreated' | 'ModelsResetRequested' }>;

/** The events that ask for an analysis. */
export const analysisTypes: readonly EventType[] = ['SourceCreated', 'ModelsResetRequested'];
/** The events that ask for a check, which waits for the analyses that were asked for before. */
export const checkTypes: readonly EventType[] = [
  'DaysImported',
  'ModelsReset',
  'ModelsReplaced',
  'DayPlanned',
  'DayPlanCleared',
  'SpecialDayNamed',
  'SpecialDayCleared',
];
/** The events that something may be done about. */
export const reactionTypes: readonly EventType[] = [...analysisTypes, ...checkTypes];

/**
 * Days checked in one append. The worst day alternates over and under in all 144 slices: as many runs of some
 * 75 bytes, so that 50 such days with what else is said of them take about 600 of the 1024 KiB of an append.
 */
export const daysPerCheck = 50;

/** How long a check waits for an analysis that was asked for before it. */
const analysisWaitMs = 60_000;

/** What a check made of a day as one import brought it. */
type Checked = { readonly date: string; readonly importId: string; readonly outcome: Outcome };

/** A check was ended that waited for an analysis. */
class AnalysisAwaited extends Error {
  readonly name = 'AnalysisAwaited';
}

/** Whether trying again later may help. */
export const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof Conflict || error instanceof QueueFull;

/** SHA-256 of what a check looks at, in 32 hex digits: the same digest is the same day. */
export const digestOf = (day: Pick<Day, 'activity' | 'gaps' | 'filled'>): string =>
  createHash('sha256')
    .update(JSON.stringify([day.activity, day.gaps, day.filled]))
    .digest('hex')
    .slice(0, 32);

/** The reactions of this process. */
export const reactions = ({
  models,
  settled,
  handle,
  analyst,
  waiting,
  now,
  log,
}: ReactionParts): Reactions => {
  const analyses = new Map<number, AbortController>();
  let ended = false;

  const origin = (event: KnownEvent, step: string): Origin => ({
    id: `${event.id}/${step}`,
    // What an event led to is known from the state, by its cause.
    again: false,
    by: 'reactor',
    cause: event.id,
    correlation: event.metadata.correlation,
    at: now(),
  });

  /** Whether the analysis that an event asks for is still the one that its source awaits. */
  const isPending = ({ stream, data }: AnalysisEvent): boolean =>
    models.sources.setup(sourceOf(stream))?.pendingRequestId === data.requestId;

  const analyse = async (event: AnalysisEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    const { requestId, seed, level = null } = event.data;
    const known = models.sources.setup(sourceId);
    if (!known || !isPending(event)) return;
    const modelCount = event.type === 'SourceCreated' ? null : event.data.modelCount;
    const ending = new AbortController();
    analyses.set(sourceId, ending);
    try {
      const days = models.days.reference(sourceId);
      const { calendarGiven: calendarCode, referenceYear } = known;
      const specials = models.planning.specialDays(sourceId);
      const job = {
        kind: 'typicalDays',
        days,
        modelCount,
        level,
        calendarCode,
        referenceYear,
        specials,
        seed,
      } as const;
      const learned = await analyst.run(job, ending.signal);
      const command = { type: 'ResetModels', requestId, learned } as const;
      await handle(source, streams.source(sourceId), command, origin(event, 'analysis'));
    } catch (error) {
      if (ending.signal.aborted || isPassing(error)) throw error;
      log.error({ err: error, sourceId }, 'analysis failed');
      const detail = error instanceof Error ? error.message : String(error);
      const command = { type: 'FailAnalysis', requestId, code: 'analysisFailed', detail } as const;
      await handle(source, streams.source(sourceId), command, origin(event, 'analysis'));
    } finally {
      analyses.delete(sourceId);
    }
  };

  /** The recent days that a cause makes due. A cause that newer models have overtaken leaves all to theirs. */
  const dueDates = (event: CauseEvent, sourceId: number, modelsVersion: number): readonly string[] => {
    switch (event.type) {
      case 'DaysImported':
        return models.days.ofImport(event.data.importId).map(day => day.date);
      case 'ModelsReset':
      case 'ModelsReplaced':
        return event.data.modelsVersion === modelsVersion ? models.days.recentDates(sourceId) : [];
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

  /** Whether no analysis that was asked for before the event is still to come. */
  const isAnalysed = ({ stream, position }: CauseEvent): boolean => {
    const pending = models.sources.setup(sourceOf(stream))?.pendingPosition ?? null;
    return pending === null || pending > position;
  };

  const check = async (event: CauseEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    // It may be at work in another instance: what comes after it is checked by what it brings. One that takes very
    // long, or was parked, keeps nobody for ever: when it comes, its models check all days again.
    await waiting.until(() => ended || isAnalysed(event) || undefined, analysisWaitMs);
    if (ended) throw new AnalysisAwaited(`the analysis of source ${sourceId} is still to come`);
    for (let again = true; again;) {
      again = false;
      const done = models.days.check(event.id);
      if (done.complete) return;
      const known = models.sources.setup(sourceId);
      if (!known) return;
      const checked = new Set(models.days.checkedDays(event.id).map(({ date }) => date));
      const dates = dueDates(event, sourceId, known.modelsVersion).filter(date => !checked.has(date));
      // What this run has recorded, which the read models may not have yet.
      const earlier = new Map<string, Checked>();
      for (let part = done.parts + 1, from = 0; !again; part += 1, from += daysPerCheck) {
        const last = from + daysPerCheck >= dates.length;
        const mine = dates.slice(from, from + daysPerCheck);
        const recorded = await recordPart(event, sourceId, part, last, mine, earlier);
        // Another instance was faster, or knew more: on with what is left, as it is now.
        again = recorded === null;
        if (last && !again) return;
        for (const day of recorded ?? []) earlier.set(day.date, day);
        await othersFirst();
      }
      await settled();
    }
  };

  /** What days are compared with, as the read models have it now. */
  const comparisonOf = (sourceId: number, { reference }: SourceSetup): Comparison => {
    const plans = new Map<string, DayPlan>();
    return {
      models: models.models.list(sourceId),
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
  const judge = (
    sourceId: number,
    present: SourceSetup,
    dates: readonly string[],
    earlier: ReadonlyMap<string, Checked>,
  ) => {
    const comparison = comparisonOf(sourceId, present);
    const due = new Set(dates);
    const before: DayBefore[] = [];
    // Where bounds alone decide, no day tells of another.
    return recentAround(sourceId, dates, comparison.checks ? driftDays : 0).flatMap(day => {
      const { date, importId, check } = day;
      const first = dayNumber(date) - driftDays;
      while (before[0] && dayNumber(before[0].day.date) < first) before.shift();
      if (!due.has(date)) {
        const known = earlier.get(date);
        const stored = check?.modelsVersion === present.modelsVersion ? check.outcome : null;
        const outcome = known?.importId === importId ? known.outcome : stored;
        before.push({ day, drifting: outcome === 'drift' });
        return [];
      }
      const { outcome, finding } = checkDay(day, comparison, before);
      before.push({ day, drifting: outcome === 'drift' });
      const plannedModelId = comparison.plan(date).modelId;
      return [{ date, importId, dayDigest: digestOf(day), plannedModelId, outcome, finding }];
    });
  };

  /** Checks days and records what came of them; null when the record is not this one's. */
  const recordPart = async (
    event: CauseEvent,
    sourceId: number,
    part: number,
    last: boolean,
    dates: readonly string[],
    earlier: ReadonlyMap<string, Checked>,
  ): Promise<readonly Checked[] | null> => {
    // Read anew for each part: an import or a reset may have come in between.
    const present = models.sources.setup(sourceId);
    if (!present) return null;
    const days = judge(sourceId, present, dates, earlier);
    const command = {
      type: 'RecordCheck',
      sourceId,
      cause: { id: event.id, type: event.type },
      part,
      last,
      modelsVersion: present.modelsVersion,
      knowledge: knowledgeOf(sourceId, present),
      days,
    } as const;
    try {
      const step = origin(event, `check/${part}`);
      const { events } = await handle(alerts, streams.alerts(sourceId), command, step);
      return events.length > 0 ? days : null;
    } catch (error) {
      if (error instanceof Rejection && error.code === 'checkOutdated') return null;
      throw error;
    }
  };

  const react = async (event: KnownEvent): Promise<void> => {
    switch (event.type) {
      case 'SourceCreated':
      case 'ModelsResetRequested':
        return analyse(event);
      case 'DaysImported':
      case 'ModelsReset':
      case 'ModelsReplaced':
      case 'DayPlanned':
      case 'DayPlanCleared':
      case 'SpecialDayNamed':
      case 'SpecialDayCleared':
        return check(event);
    }
  };

  const isDue = (event: KnownEvent): boolean => {
    switch (event.type) {
      case 'SourceCreated':
      case 'ModelsResetRequested':
        return isPending(event);
      case 'DaysImported':
        return (
          event.data.kind === 'recent' &&
          event.data.part === event.data.parts &&
          !models.days.check(event.id).complete
        );
      case 'ModelsReset':
      case 'ModelsReplaced':
      case 'DayPlanned':
      case 'DayPlanCleared':
      case 'SpecialDayNamed':
      case 'SpecialDayCleared':
        return !models.days.check(event.id).complete;
      default:
        return false;
    }
  };

  return {
    isDue,
    react,
    notice: events => {
      // Their results would be refused.
      for (const { type, stream } of events)
        if (type === 'ModelsResetRequested' || type === 'ModelsReplaced')
          analyses.get(sourceOf(stream))?.abort();
    },
    end: () => {
      ended = true;
      waiting.changed();
      for (const ending of analyses.values()) ending.abort();
    },
    isAnalysing: sourceId => analyses.has(sourceId),
  };
};
