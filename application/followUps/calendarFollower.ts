import type { KnownEvent } from '../../domain/events.js';
import { isBehind } from '../../domain/planning/calendarRules.js';
import { Rejection } from '../../domain/rejection.js';
import { source } from '../../domain/source/source.js';
import { sourceOf, streams, tenantOf } from '../../domain/streams.js';
import { derivedId } from '../commands/commandHandler.js';
import { instantOf, repeatedly } from '../ports/environment.js';
import { ownMetadata, reportedAs, type FollowUpParts } from './followUpParts.js';

/** Applies the rules of tenants for labels to their sources. */
export type CalendarFollower = {
  /** Applies the rules of a tenant to all its sources. */
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
 * The follower of the calendars of all tenants. A source gets the rules for its labels after each change of either, and
 * at the start of the service. On several instances each of them may append; the source takes a change once.
 */
export const calendarFollower = (parts: FollowerParts): CalendarFollower => {
  const { models, caughtUp, environment, log } = parts;
  const followSource = sourceFollower(parts);
  const due = new Set<number>();
  const stopping = new AbortController();

  const followDue = async (): Promise<undefined> => {
    // Events are noticed while they are applied.
    await environment.nextTurn();
    let isChanged = false;
    for (const sourceId of due) {
      if (stopping.signal.aborted) return undefined;
      due.delete(sourceId);
      try {
        if (!(await followSource(sourceId))) continue;
      } catch (error) {
        due.add(sourceId);
        throw error;
      }
      isChanged = true;
      await environment.nextTurn();
    }
    if (isChanged) await caughtUp();
    return undefined;
  };

  const failed = reportedAs(log, 'calendar rules cannot be applied; retrying');
  const follower = repeatedly({ environment, failed, retryMs, stopping }, followDue);
  const wake = async (): Promise<void> => {
    if (due.size > 0) await follower.wake();
  };

  const add = (tenant: string): void => {
    for (const sourceId of models.sources.presentIds(tenant)) due.add(sourceId);
  };

  return {
    follow: async tenant => {
      add(tenant);
      await wake();
    },
    notice: events => {
      for (const event of events)
        switch (event.type) {
          case 'SourceCreated':
          case 'SourceDescribed':
          case 'SourceRestored':
          case 'CalendarRuleApplied':
          case 'CalendarRuleWithdrawn':
            due.add(sourceOf(event.stream));
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
