import {
  isCause,
  type CauseEvent,
  isAnalysis,
  isAppliedDecision,
  isGrouped,
} from '../../domain/followUps.js';
import type { KnownEvent, EventType } from '../../domain/events.js';
import { decisionApplier, alertGrouper, type AlertGrouper } from './groupAlerts.js';
import { analyses, createRelearned, isRelearned } from './analyses.js';
import { hasApplied, type FollowUpParts, metadataFor, requireHeld } from './followUpParts.js';
import { alerts } from '../../domain/alerts/alerts.js';
import { sourceOf, streams } from '../../domain/streams.js';
import { Rejection } from '../../domain/rejection.js';
import { checkDecider } from './checks/decideCheck.js';
import {
  daysPerCheck,
  daysPerStep,
  nextPart,
  withOutcomes,
  type DayOutcome,
  type CheckPart,
} from './checks/checkPart.js';
import { covariateNoter, isDataChange } from './covariates.js';
import { runSteps, turns as turnsOf } from '../ports/sharing/turns.js';

/** Milliseconds that a check waits for an earlier analysis of its source. */
const analysisWaitMs = 60_000;

/** Causes that make all recent days of a source due. */
const checksAllDays: readonly EventType[] = [
  'ModelsReset',
  'ModelsReplaced',
  'ModelAnomalyChanged',
  'SourceRestored',
  'CalendarRuleApplied',
  'CalendarRuleWithdrawn',
  'ChangeAccepted',
  'ChangeWithdrawn',
];

/** Whether a check waits for a turn of the event loop. Short checks do not, so that they share commits. */
export const isLong = ({ type, data }: CauseEvent): boolean => {
  // The days of an event that has waited are gone.
  if (type === 'DaysImported')
    return data.parts > 1 || (data.summary?.days ?? data.days.length) > daysPerStep;
  if (type === 'CovariateDaysImported') return data.dates.length > daysPerStep;
  return checksAllDays.includes(type);
};

/** A check was cancelled while it waited for an analysis. */
class AnalysisAwaited extends Error {
  readonly name = 'AnalysisAwaited';
}

/** The checks of this process. @param group groups the alerts of a check into incidents */
export const checks = (
  {
    models,
    parking,
    caughtUp,
    handle,
    waiters,
    environment,
    turns = turnsOf(environment),
  }: Omit<FollowUpParts, 'analyst' | 'log'>,
  group: AlertGrouper,
) => {
  const decider = checkDecider(models);
  const noteCovariateDays = covariateNoter({ models, parking, handle, environment });
  let ended = false;

  /** Whether no analysis requested before the event is pending. */
  const isAnalysed = ({ stream, position }: CauseEvent): boolean => {
    const pending = models.sources.setup(sourceOf(stream))?.pendingPosition ?? null;
    return pending === null || pending > position;
  };

  /** A service that stops does not wait for long checks: the next start goes on with them. */
  const requireGoingOn = (): void => {
    if (ended) throw new DOMException('the check goes on at the next start', 'AbortError');
  };

  const run = async (event: CauseEvent): Promise<void> => {
    const sourceId = sourceOf(event.stream);
    if (isDataChange(event)) await noteCovariateDays(event);
    // The analysis may run in another instance. After the timeout the check goes on: new models check all days again.
    await waiters.until(() => ended || isAnalysed(event) || undefined, analysisWaitMs);
    if (ended) throw new AnalysisAwaited(`the analysis of source ${sourceId} is pending`);
    for (;;) {
      if (isLong(event)) await turns.take(tenantOf(event));
      requireGoingOn();
      requireHeld(models, event);
      const { complete, parts } = models.days.check(event.id);
      if (complete || !models.sources.setup(sourceId)) return;
      if (await recordRemaining(event, parts)) return;
    }
  };

  /**
   * Checks the remaining dates of a cause part by part, after `parts` recorded ones.
   * @returns false when another instance recorded a part or knew more: the dates that remain then are to be checked
   */
  const recordRemaining = async (event: CauseEvent, parts: number): Promise<boolean> => {
    const dates = decider.awaitedDates(event);
    // Days recorded by this run.
    let earlier: ReadonlyMap<string, DayOutcome> = new Map();
    for (let part = parts + 1, from = 0; ; part += 1, from += daysPerCheck) {
      const next = nextPart(part, dates.slice(from), earlier);
      const recorded = await recordPart(event, next);
      earlier = withOutcomes(earlier, recorded ?? []);
      // The next check adapts its limits to the recorded ones.
      await caughtUp();
      await group(sourceOf(event.stream), event);
      if (next.last && recorded !== null) return true;
      requireGoingOn();
      await turns.nextTurn();
      if (recorded === null) return false;
    }
  };

  const tenantOf = ({ stream }: KnownEvent): string => models.sources.setup(sourceOf(stream))?.tenant ?? '';

  /** Checks days and records the outcomes; null when this command recorded nothing. */
  const recordPart = async (event: CauseEvent, part: CheckPart): Promise<readonly DayOutcome[] | null> => {
    // Each part is decided from the present read models: an import or a reset may have come in between.
    const yieldToEventLoop = turns.yielderFor(tenantOf(event));
    const command = await runSteps(decider.checkSteps(event, part), yieldToEventLoop);
    if (!command) return null;
    try {
      const step = metadataFor(environment, event, `check/${part.part}`);
      const { events } = await handle(alerts, streams.alerts(command.sourceId), command, step);
      return events.length > 0 ? command.days : null;
    } catch (error) {
      if (error instanceof Rejection && error.code === 'checkOutdated') return null;
      throw error;
    }
  };

  return {
    /** Checks the days that an event requires, part by part. @throws as `FollowUps.run` */
    run,
    /** Ends the waits for analyses, and checks after their present part: these throw an AbortError (by name). */
    end: (): void => {
      ended = true;
      waiters.notify();
    },
  };
};

/** The work that events ask for: an analysis, a check, the creation of a source. Its outcome is appended as events. */
export type FollowUps = {
  /** Whether an event asks for work that is not done yet, as far as the read models know. */
  readonly isDue: (event: KnownEvent) => boolean;
  /**
   * Does the work. Results that are already recorded, found by their cause, are skipped, so an event may be repeated.
   * @throws AbortError (by name) when an analysis was cancelled or a check ended; errors that satisfy `isTransient` may
   *             be retried
   */
  readonly run: (event: KnownEvent) => Promise<void>;
  /** To be called with new events: newer models, or a newer request for models, cancel a running analysis. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  /** Cancels all analyses and waits, and ends checks after their present part. */
  readonly end: () => void;
  /** Whether an analysis of the source runs in this process. */
  readonly isAnalysing: (sourceId: number) => boolean;
};

/** The work of this process. */
export const followUps = (parts: FollowUpParts): FollowUps => {
  const { models } = parts;
  const incidentParts = { ...parts, turns: parts.turns ?? turnsOf(parts.environment) };
  const group = alertGrouper(incidentParts);
  const applyDecision = decisionApplier(incidentParts, group);
  const analysing = analyses(parts);
  const checking = checks(parts, group);
  return {
    isDue: event => !hasApplied(models, event) || models.followUps.isDue(event.position),
    run: async event => {
      if (isRelearned(event)) await createRelearned(parts, event);
      else if (isAnalysis(event)) await analysing.run(event);
      else if (isCause(event)) await checking.run(event);
      else if (isGrouped(event)) await group(sourceOf(event.stream), event);
      else if (isAppliedDecision(event)) await applyDecision(event);
    },
    notice: analysing.notice,
    end: () => {
      checking.end();
      analysing.cancelAll();
    },
    isAnalysing: analysing.isRunning,
  };
};
