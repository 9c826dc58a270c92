import { LRUCache } from 'lru-cache';
import { fold, type Decider } from '../domain/decider.js';
import { decode, eventVersions, type DomainEvent, type Proposed } from '../domain/events.js';
import { untilWon } from './conflictRetry.js';
import type { Environment } from './environment.js';
import type { EventStore } from './eventStore.js';
import { derivedId } from './ids.js';
import { eventLoopYielder } from './chunks.js';

/** Who commands, why, and when: what goes into every event beside its data. */
export type CommandMetadata = {
  /** Seed of the events' ids: the same command under the same `id` is the same append. */
  readonly id: string;
  /**
   * The command may have run under this id before, its answer lost. Then its events are looked for first:
   * the state alone cannot tell, when others have changed since what it did.
   */
  readonly isRetry: boolean;
  readonly by: string;
  readonly cause: string;
  readonly correlation: string;
  /** ISO 8601 UTC instant of the decision. */
  readonly at: string;
};

/** What a command came to: its events (`[]` when nothing need happen) and the state after them. */
export type CommandOutcome<Event, State> = {
  readonly events: readonly (Event & { readonly id: string })[];
  readonly state: State;
};

/** Runs commands against streams: load → fold → decide → append. */
export type CommandHandler = <Command, Event extends DomainEvent, State>(
  decider: Decider<Command, Event, State>,
  stream: string,
  command: Command,
  metadata: CommandMetadata,
) => Promise<CommandOutcome<Event, State>>;

/** Id of the nth event (from 0) that the command under `originId` appends to `stream`. */
export const eventId = (stream: string, originId: string, index: number): string =>
  derivedId(stream, originId, index);

/** Streams whose folded state is kept, so that a command reads only what is new. */
const cachedStreamsMax = 500;

type Cached = { readonly state: unknown; readonly revision: number | 'absent' };

/**
 * A `Handle` on a store. `appended` is called after each append, a failed one too: its acknowledgement
 * may be what was lost.
 * @throws Rejection when the rule says no, Contention when other instances were faster at every retry
 */
export const commandHandler = (
  store: EventStore,
  appended: () => void,
  environment: Environment,
): CommandHandler => {
  const cache = new LRUCache<string, Cached>({ max: cachedStreamsMax });
  const queues = new Map<string, Promise<unknown>>();

  const isThere = async (stream: string, id: string): Promise<boolean> => {
    const yieldToEventLoop = eventLoopYielder(environment);
    for await (const event of store.read(stream)) {
      if (event.id === id) return true;
      await yieldToEventLoop();
    }
    return false;
  };

  /** The state of a stream as it is now, folded on from where it was known. */
  const load = async <Command, Event extends DomainEvent, State>(
    decider: Decider<Command, Event, State>,
    stream: string,
  ): Promise<{ readonly state: State; readonly revision: number | 'absent' }> => {
    const known = cache.get(stream);
    let state = known ? (known.state as State) : decider.initial;
    let revision = known?.revision ?? 'absent';
    const yieldToEventLoop = eventLoopYielder(environment);
    for await (const event of store.read(stream, revision === 'absent' ? 0 : revision + 1)) {
      const understood = decode(event);
      // A stream holds the events of its own decider only, so the cast is the stream's name read as a type.
      if (understood) state = fold(decider, state, [understood as never]);
      revision = event.revision;
      // The embedded stores never wait: without this a long stream would starve every request.
      await yieldToEventLoop();
    }
    cache.set(stream, { state, revision });
    return { state, revision };
  };

  const attempt: CommandHandler = async (decider, stream, command, metadata) => {
    const { state, revision } = await load(decider, stream);
    const { id, isRetry, at, ...causes } = metadata;
    // What another instance did under this id may have come after the state was read.
    if (isRetry && (await isThere(stream, eventId(stream, id, 0))))
      return { events: [], state: (await load(decider, stream)).state };
    const decided = decider.decide(command, state);
    if (decided.length === 0) return { events: [], state };
    const proposed = decided.map((event, index): Proposed => ({
      id: eventId(stream, id, index),
      type: event.type,
      v: eventVersions[event.type],
      data: event.data,
      metadata: causes,
      at,
    }));
    const newRevision = await store.append(stream, revision, proposed).finally(appended);
    const after = fold(decider, state, decided);
    cache.set(stream, { state: after, revision: newRevision });
    return {
      events: decided.map((event, index) => ({ ...event, id: proposed[index]?.id ?? '' })),
      state: after,
    };
  };

  return async (decider, stream, command, metadata) => {
    const since = environment.elapsedMs();
    // Commands of this process to one stream wait for each other: each lost race was won by another instance.
    const before = queues.get(stream) ?? Promise.resolve();
    const mine = before
      .catch(() => undefined)
      .then(() => untilWon(() => attempt(decider, stream, command, metadata), environment, since));
    queues.set(stream, mine);
    try {
      return await mine;
    } finally {
      if (queues.get(stream) === mine) queues.delete(stream);
    }
  };
};
