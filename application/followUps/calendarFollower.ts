import type { KnownEvent } from '../../domain/events.js';
import { isBehind } from '../../domain/planning/calendarRules.js';
import { Rejection } from '../../domain/rejection.js';
import { source } from '../../domain/source/source.js';
import { sourceOf, streams, tenantOf } from '../../domain/streams.js';
import { derivedId } from '../commands/commandHandler.js';
import { instantOf, repeatedly } from '../ports/environment.js';
import { tenantQueues } from '../ports/sharing/fairQueue.js';
import { eventLoopYielder } from '../ports/sharing/turns.js';
import type { Waiters } from '../reading/freshness.js';
import { ownMetadata, reportedAs, type FollowUpParts } from './followUpParts.js';

/** Applies the rules of tenants for labels to their sources. */
export type CalendarFollower = {
  /** Applies the rules of a tenant to all its sources; waits for that as long as a request does. */
  readonly follow: (tenant: string) => Promise<void>;
  /** To be called with new events. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
};

type FollowerParts = Pick<
  FollowUpParts,
  'models' | 'parking' | 'caughtUp' | 'handle' | 'environment' | 'log'
>;

/** A source that may lack rules. */
type Due = { readonly tenant: string; readonly sourceId: number };

/** Pause after an error, in ms. */
const retryMs = 10_000;

/**
 * Returns a function that gives a source the rules for its labels, as the read models know them; its result is whether
 * something changed.
 */
const sourceFollower =
  ({ models, parking, handle, environment }: FollowerParts) =>
  async (sourceId: number): Promise<boolean> => {
    const setup = models.sources.setup(sourceId);
    const calendar = setup && models.calendarRules.calendarOf(setup.tenant);
    if (!calendar || setup.archivedAt !== null || models.parked.source(sourceId)) return false;
    const { labels } = setup;
    if (!isBehind(calendar, { specials: models.planning.namesOf(sourceId), labels })) return false;
    // The revision of the source tells the same rules after other labels from a repeated command.
    const requestId = derivedId('calendar', sourceId, calendar.revision, setup.version);
    const command = { type: 'FollowCalendar', requestId, ...calendar } as const;
    const metadata = ownMetadata(requestId, instantOf(environment));
    try {
      const outcome = await parking.guard(() => handle(source, streams.source(sourceId), command, metadata));
      return outcome !== undefined;
    } catch (error) {
      // The source was archived meanwhile.
      if (!(error instanceof Rejection)) throw error;
      return false;
    }
  };

/**
 * The follower of the calendars of all tenants, which are served in turns. A source gets the rules for its labels
 * after each change of either, and at the start of the service. On several instances each of them may append; the
 * source takes a change once.
 */
export const calendarFollower = (parts: FollowerParts & { readonly waiters: Waiters }): CalendarFollower => {
  const { models, caughtUp, environment, log, waiters } = parts;
  const followSource = sourceFollower(parts);
  const queues = tenantQueues<Due>();
  const due = new Set<number>();
  let working: Due | undefined;
  const stopping = new AbortController();

  const push = (one: Due): void => {
    if (due.has(one.sourceId)) return;
    due.add(one.sourceId);
    queues.push(one.tenant, one);
  };
  const next = (): Due | undefined => {
    working = stopping.signal.aborted ? undefined : queues.shift();
    if (working) due.delete(working.sourceId);
    return working;
  };

  const followDue = async (): Promise<undefined> => {
    // Events are noticed while they are applied.
    await environment.nextTurn();
    const yieldToEventLoop = eventLoopYielder(environment);
    const changed = new Set<string>();
    for (let one = next(); one; one = next()) {
      const { tenant, sourceId } = one;
      try {
        if (await followSource(sourceId)) changed.add(tenant);
        if (queues.countOf(tenant) === 0 && changed.delete(tenant)) await caughtUp();
      } catch (error) {
        push(one);
        throw error;
      }
      await yieldToEventLoop();
      working = undefined;
      if (queues.countOf(tenant) === 0) waiters.notify();
    }
    return undefined;
  };

  const failed = reportedAs(log, 'calendar rules cannot be applied; retrying');
  const follower = repeatedly({ environment, failed, retryMs, stopping }, followDue);
  const wake = async (): Promise<void> => {
    if (queues.count() > 0) await follower.wake();
  };

  const add = (tenant: string): void => {
    for (const sourceId of models.sources.presentIds(tenant)) push({ tenant, sourceId });
  };
  const addSource = (sourceId: number): void => {
    const tenant = models.sources.setup(sourceId)?.tenant;
    if (tenant !== undefined) push({ tenant, sourceId });
  };

  return {
    follow: async tenant => {
      add(tenant);
      void wake();
      const isFollowed = (): boolean => working?.tenant !== tenant && queues.countOf(tenant) === 0;
      await waiters.outcome(() => isFollowed() || undefined);
    },
    notice: events => {
      for (const event of events)
        switch (event.type) {
          case 'SourceCreated':
          case 'SourceDescribed':
          case 'SourceRestored':
          case 'CalendarRuleApplied':
          case 'CalendarRuleWithdrawn':
            addSource(sourceOf(event.stream));
            break;
          case 'CalendarRuleSaved':
          case 'CalendarRuleDeleted':
            add(tenantOf(event.stream) ?? '');
        }
      void wake();
    },
    start: () => {
      for (const tenant of models.calendarRules.tenants()) add(tenant);
      void wake();
    },
    stop: follower.stop,
  };
};
