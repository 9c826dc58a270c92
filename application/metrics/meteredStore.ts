import type { DomainEvent } from '../../domain/events.js';
import type { Environment } from '../environment.js';
import { Conflict, OutcomeUnknown, StoreUnavailable, type EventStore } from '../eventStore.js';
import type { AppendOutcome, Metrics } from './metrics.js';

const outcomeOf = (error: unknown): AppendOutcome => {
  if (error instanceof Conflict) return 'conflict';
  if (error instanceof OutcomeUnknown) return 'unknown';
  return error instanceof StoreUnavailable ? 'unavailable' : 'failed';
};

/**
 * A store whose appends are recorded. Their events must have the newest versions, as the command handler writes them.
 */
export const meteredStore = <Store extends EventStore>(
  store: Store,
  metrics: Metrics,
  { elapsedMs }: Pick<Environment, 'elapsedMs'>,
): Store => ({
  ...store,
  append: async (stream, expected, events) => {
    const since = elapsedMs();
    const record = (outcome: AppendOutcome, stored: readonly DomainEvent[]): void =>
      metrics.appended({ outcome, seconds: (elapsedMs() - since) / 1000, events: stored });
    try {
      const revision = await store.append(stream, expected, events);
      record('stored', events as readonly DomainEvent[]);
      return revision;
    } catch (error) {
      record(outcomeOf(error), []);
      throw error;
    }
  },
});
