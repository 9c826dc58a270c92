import { processManagerName, type KnownEvent } from '../../domain/events.js';
import { isBehind } from '../../domain/planning/calendarRules.js';
import { Rejection } from '../../domain/rejection.js';
import { source } from '../../domain/source/source.js';
import { sourceOf, streams, tenantOf } from '../../domain/streams.js';
import { derivedId } from '../commands/ids.js';
import { instantOf } from '../ports/environment.js';
import { EventFault } from '../ports/eventStore.js';
import { isTransient, type FollowUpParts } from './followUpParts.js';

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
    const at = instantOf(environment);
    const causes = { by: processManagerName, cause: requestId, correlation: requestId };
    try {
      await handle(source, streams.source(sourceId), command, {
        id: requestId,
        isRetry: false,
        ...causes,
        at,
      });
      return true;
    } catch (error) {
      if (error instanceof EventFault) parking.park(error.event, error);
      // The source was archived meanwhile.
      else if (!(error instanceof Rejection)) throw error;
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
  let stopped = false;
  let working: Promise<void> | undefined;
  let cancelRetry = (): void => {};

  const work = async (): Promise<void> => {
    // Events are noticed while they are applied.
    await environment.nextTurn();
    let isChanged = false;
    for (const sourceId of due) {
      if (stopped) return;
      due.delete(sourceId);
      try {
        if (await followSource(sourceId)) isChanged = true;
        else continue;
      } catch (error) {
        due.add(sourceId);
        throw error;
      }
      await environment.nextTurn();
    }
    if (isChanged) await caughtUp();
  };

  const wake = (): void => {
    if (stopped || working || due.size === 0) return;
    cancelRetry();
    working = work()
      .catch((error: unknown) => {
        if (stopped) return;
        if (!isTransient(error)) log.error({ err: error }, 'calendar rules cannot be applied; retrying');
        cancelRetry = environment.after(retryMs, wake);
      })
      .finally(() => (working = undefined))
      .then(wake);
  };

  const add = (tenant: string): void => {
    for (const sourceId of models.sources.presentIds(tenant)) due.add(sourceId);
  };

  return {
    follow: async tenant => {
      add(tenant);
      wake();
      await working;
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
      wake();
    },
    start: () => {
      for (const tenant of models.calendarRules.tenants()) add(tenant);
      wake();
    },
    stop: async () => {
      stopped = true;
      cancelRetry();
      await working;
    },
  };
};
