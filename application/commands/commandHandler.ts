import { createHash } from 'node:crypto';
import { canonicalJson } from '../../auditing/eventBytes.js';
import { catalog } from '../../domain/catalog.js';
import { fold, type Decider } from '../../domain/decider.js';
import {
  eventVersions,
  processManagerName,
  type DomainEvent,
  type Proposed,
  type Recorded,
} from '../../domain/events.js';
import { Rejection } from '../../domain/rejection.js';
import { streams } from '../../domain/streams.js';
import { type Environment, pause } from '../ports/environment.js';
import { type EventStore, Conflict, Contention, storedEvent } from '../ports/eventStore.js';
import { eventLoopYielder } from '../ports/sharing/turns.js';
import { keyedQueue } from '../ports/sharing/fairQueue.js';
import { foldedStates, foldStored, type Folded } from './foldedStates.js';

/** Namespace of derived ids: a random UUID that never changes. */
const namespace = Buffer.from('6d0f0a35c1a94b52a7c5a6c0f3b1d2e4', 'hex');

/**
 * UUID of a name, version 5 (RFC 9562 §5.5): the same name gives the same id.
 * Event ids derive from the request or event that caused them, so a repeated append is recognised.
 */
export const derivedId = (...name: readonly (string | number)[]): string => {
  const hash = createHash('sha1').update(namespace).update(JSON.stringify(name)).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
};

/** Milliseconds after which an append that loses to other instances is no longer retried. */
export const retryMs = 10_000;

const firstMs = 10;
const longestMs = 500;

/**
 * Wait before a retry: exponential backoff with full jitter, so that colliding instances spread out.
 * @param retry  from 1
 * @param random in [0, 1)
 * @returns ms in [0, 500)
 */
const backoffMs = (retry: number, random: number): number =>
  random * Math.min(longestMs, firstMs * 2 ** (retry - 1));

/**
 * Retries an attempt that throws Conflict because another instance appended first.
 * @param since arrival of the command, in `elapsedMs`; at least one attempt is made
 * @throws Contention when the last conflict is `retryMs` after the arrival, else the error of the attempt
 */
export const retryOnConflict = async <Result>(
  attempt: () => Promise<Result>,
  environment: Pick<Environment, 'after' | 'elapsedMs' | 'randomBytes'>,
  since = environment.elapsedMs(),
): Promise<Result> => {
  for (let retry = 1; ; retry += 1)
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const waitMs = backoffMs(retry, environment.randomBytes(4).readUInt32LE() / 2 ** 32);
      if (environment.elapsedMs() + waitMs - since >= retryMs) throw new Contention(error);
      await pause(environment, waitMs);
    }
};

/** Command metadata: id, actor, cause, correlation and time of a command. */
export type CommandMetadata = {
  /** The ids of the command's events derive from it: a repeated command repeats its append. */
  readonly id: string;
  /**
   * Whether the command may have run before with this id. Its events are then searched in the stream, because the
   * state may have changed since.
   */
  readonly isRetry: boolean;
  /**
   * Whether another attempt may run now under the same id, on another instance: the command may then be refused because
   * of its own events.
   */
  readonly hasKey?: boolean;
  readonly by: string;
  readonly cause: string;
  readonly correlation: string;
  /** ISO 8601 UTC instant of the decision. */
  readonly at: string;
};

/** Outcome of a command: its events (`[]` when it stored none) and the state after them. */
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

/** The result of a decision, or its rejection. */
const orRejection = <Result>(decide: () => Result): Result | Rejection => {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
};

/** A log, and whether other instances append to it. */
export type CommandStore = EventStore & { readonly isShared?: boolean };

/**
 * A command handler on a store.
 * @param appended called after each append, also after one that failed: only its acknowledgement may be lost
 * @param states   states that are known already; later ones are added
 * @throws Rejection when a rule refuses the command, Contention when every retry lost to other instances, EventFault
 *   for an event of the stream that this build cannot read
 */
export const commandHandler = (
  store: CommandStore,
  appended: () => void,
  environment: Environment,
  states = foldedStates(),
): CommandHandler => {
  const queue = keyedQueue();

  /**
   * Present state of a stream, folded from the cached state and the new events.
   * @param seen called with the new events
   */
  const load = async <Command, Event extends DomainEvent, State>(
    decider: Decider<Command, Event, State>,
    stream: string,
    seen: (event: Recorded) => void = () => {},
  ): Promise<Folded<State>> => {
    const known = states.get(stream);
    let state = known ? (known.state as State) : decider.initial;
    let revision = known?.revision ?? 'absent';
    const yieldToEventLoop = eventLoopYielder(environment);
    for await (const event of store.read(stream, revision === 'absent' ? 0 : revision + 1)) {
      state = foldStored(decider, state, event);
      seen(event);
      revision = event.revision;
      // The embedded stores never wait, so a long stream would block the event loop.
      await yieldToEventLoop();
    }
    states.set(stream, { state, revision });
    return { state, revision };
  };

  const attempt: CommandHandler = async (decider, stream, command, metadata) => {
    const { state, revision } = await load(decider, stream);
    const { id, isRetry, hasKey, at, ...causes } = metadata;
    const wasRun = async () =>
      (await storedEvent(store, stream, eventId(stream, id, 0), eventLoopYielder(environment))) !== undefined;
    // Another instance may have run this command after the state was read.
    if (isRetry && (await wasRun())) return { events: [], state: (await load(decider, stream)).state };
    const decided = orRejection(() => decider.decide(command, state));
    if (decided instanceof Rejection) {
      if (hasKey && (await wasRun())) return { events: [], state };
      throw decided;
    }
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
    const events = decided.map((event, index) => ({ ...event, id: proposed[index]?.id ?? '' }));
    const after = fold(decider, state, decided);
    // Another instance may have decided otherwise under the same ids, which the store takes as a repeated append.
    if (store.isShared && (hasKey || causes.by === processManagerName)) {
      const datas = new Map<string, unknown>();
      const seen = ({ id, data }: Recorded): void => void datas.set(id, data);
      // The events are stored, whether or not they can be read now.
      const stored = await load(decider, stream, seen).catch(() => undefined);
      const isOurs = ({ id, data }: Proposed): boolean =>
        datas.has(id) && canonicalJson(datas.get(id)) === canonicalJson(data);
      if (!stored) return { events, state: after };
      return { events: proposed.every(isOurs) ? events : [], state: stored.state };
    }
    states.set(stream, { state: after, revision: newRevision });
    return { events, state: after };
  };

  return async (decider, stream, command, metadata) => {
    const since = environment.elapsedMs();
    // Commands to one stream run one after the other, so only other instances can win a race.
    return queue.run(stream, () =>
      retryOnConflict(() => attempt(decider, stream, command, metadata), environment, since),
    );
  };
};

/**
 * A command handler that begins an empty log with an event of its catalog, by which stores find the log: what another
 * stream had before its catalog would be lost in a rebuild.
 * @param isEmpty whether the log had no event; may be late
 */
export const logBeginner = (handle: CommandHandler, isEmpty: () => boolean): CommandHandler => {
  let mayBeEmpty = true;
  return async (decider, stream, command, metadata) => {
    mayBeEmpty &&= isEmpty();
    if (mayBeEmpty && stream !== streams.catalog && metadata !== noCommand)
      await handle(catalog, streams.catalog, { type: 'BeginLog', requestId: metadata.id }, metadata);
    return handle(decider, stream, command, metadata);
  };
};

const noCommand: CommandMetadata = { id: '', isRetry: false, by: '', cause: '', correlation: '', at: '' };

/** State of a stream as the log has it now. Nothing is appended. */
export const stateOf = async <Command, Event extends DomainEvent, State>(
  { handle }: { readonly handle: CommandHandler },
  decider: Decider<Command, Event, State>,
  stream: string,
): Promise<State> => (await handle({ ...decider, decide: () => [] }, stream, undefined, noCommand)).state;
