import { Conflict, type EventStore } from '../../application/ports/eventStore.js';
import type { Environment } from '../../application/ports/environment.js';
import { retryOnConflict } from '../../application/commands/commandHandler.js';
import {
  attemptsMax,
  type Attempt,
  type DeliveryState,
  type DeliveryStore,
} from '../../application/ports/deliveries.js';

/** Time after the last write of an instance at which another one may take its webhook over. */
const leaseMs = 60_000;

/** Progress in an event; JSON has no bigint. */
type StoredState = Omit<DeliveryState, 'cursor' | 'ahead'> & {
  readonly cursor: string;
  /** Used by older versions only. */
  readonly readFrom: '0';
  /** Absent in older events. */
  readonly ahead?: DeliveryState['ahead'];
};

/** An event in the stream of a webhook: the whole progress, the lease, and the attempt that led to it. */
type Entry = {
  readonly state: StoredState | null;
  /** Instance that works on the webhook; null for none. */
  readonly owner: string | null;
  readonly leaseUntilMs: number;
  readonly attempt: Attempt | null;
};

type Known = { readonly revision: number | 'absent'; readonly entry: Entry };

const nothing: Known = {
  revision: 'absent',
  entry: { state: null, owner: null, leaseUntilMs: 0, attempt: null },
};

const storedState = ({ cursor, ...state }: DeliveryState): StoredState => ({
  ...state,
  cursor: String(cursor),
  readFrom: '0',
});

const stateOf = ({ state: stored }: Entry): DeliveryState | undefined => {
  if (!stored) return undefined;
  const { readFrom, ...state } = stored;
  return { ahead: {}, ...state, cursor: BigInt(state.cursor) };
};

export type DeliveryStreamParts = {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  /** Limits a stream to its last events. */
  readonly keepLast: (stream: string, count: number) => Promise<void>;
  readonly deleteStream: (stream: string) => Promise<void>;
  readonly environment: Environment;
};

/**
 * Deliveries that all instances on one event store share, in one stream a webhook outside the log. Each event has the
 * whole progress. An instance works on a webhook while its lease lasts; a write of another instance ends it.
 */
export const deliveryStreams = ({
  store: { append, read },
  keepLast,
  deleteStream,
  environment,
}: DeliveryStreamParts): DeliveryStore => {
  const owner = environment.newId();
  const streamOf = (webhookId: string): string => `deliveries-${webhookId}`;
  /** Last entries of the webhooks that this instance works on. */
  const held = new Map<string, Known>();
  /** Revision of the last entry read of a stream, so that a reading does not begin at the first one. */
  const seen = new Map<string, number>();

  const last = async (stream: string): Promise<Known> => {
    let known = nothing;
    for await (const { revision, data } of read(stream, seen.get(stream) ?? 0))
      known = { revision, entry: data as Entry };
    if (known.revision !== 'absent') seen.set(stream, known.revision);
    return known;
  };

  /** Appends an entry after a known one. @throws Conflict */
  const add = async (stream: string, { revision }: Known, entry: Entry): Promise<Known> => {
    if (revision === 'absent') await keepLast(stream, attemptsMax);
    const id = environment.newId();
    const metadata = { by: 'webhooks', cause: id, correlation: id };
    const at = new Date(environment.nowMs()).toISOString();
    const event = { id, type: 'DeliveryNoted', v: 1, data: entry, metadata, at };
    return { revision: await append(stream, revision, [event]), entry };
  };

  /** Leases of other instances, with the instant of the monotonic clock at which this one saw them first. */
  const seenLeases = new Map<string, { readonly revision: Known['revision']; readonly sinceMs: number }>();
  /**
   * Milliseconds until the lease of another instance ends: by the wall clock, or a whole lease after it was seen, since
   * one of the clocks may be wrong.
   */
  const busyMs = (stream: string, { revision, entry }: Known): number => {
    const nowMs = environment.elapsedMs();
    const seen = seenLeases.get(stream);
    const sinceMs = seen?.revision === revision ? seen.sinceMs : nowMs;
    const leftMs = Math.min(entry.leaseUntilMs - environment.nowMs(), sinceMs + leaseMs - nowMs);
    if (entry.owner === null || entry.owner === owner || leftMs <= 0) {
      seenLeases.delete(stream);
      return 0;
    }
    seenLeases.set(stream, { revision, sinceMs });
    return leftMs;
  };
  const lease = () => ({ owner, leaseUntilMs: environment.nowMs() + leaseMs });

  return {
    claim: async webhookId => {
      const stream = streamOf(webhookId);
      const known = await last(stream);
      const leftMs = busyMs(stream, known);
      if (leftMs > 0) return { busyUntilMs: environment.nowMs() + leftMs };
      try {
        const entry = { ...known.entry, ...lease(), attempt: null };
        held.set(webhookId, await add(stream, known, entry));
        return { state: stateOf(known.entry) };
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        return { busyUntilMs: environment.nowMs() + leaseMs };
      }
    },
    save: async (webhookId, state, attempt) => {
      const known = held.get(webhookId);
      if (!known) return false;
      const entry = { state: storedState(state), ...lease(), attempt: attempt ?? null };
      try {
        held.set(webhookId, await add(streamOf(webhookId), known, entry));
        return true;
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        held.delete(webhookId);
        return false;
      }
    },
    release: async webhookId => {
      const known = held.get(webhookId);
      held.delete(webhookId);
      if (!known) return;
      const entry = { ...known.entry, owner: null, leaseUntilMs: 0, attempt: null };
      await add(streamOf(webhookId), known, entry).catch((error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
      });
    },
    note: async (webhookId, attempt) => {
      const stream = streamOf(webhookId);
      await retryOnConflict(async () => {
        const known = await last(stream);
        const added = await add(stream, known, { ...known.entry, attempt });
        // The worker of this instance goes on after this entry.
        if (held.has(webhookId) && known.entry.owner === owner) held.set(webhookId, added);
      }, environment);
    },
    state: async webhookId => stateOf((await last(streamOf(webhookId))).entry),
    attempts: async (webhookId, limit) => {
      const attempts: Attempt[] = [];
      for await (const { data } of read(streamOf(webhookId))) {
        const { attempt } = data as Entry;
        if (attempt) attempts.push(attempt);
      }
      return attempts.reverse().slice(0, limit);
    },
    forget: async webhookId => {
      held.delete(webhookId);
      seen.delete(streamOf(webhookId));
      seenLeases.delete(streamOf(webhookId));
      await deleteStream(streamOf(webhookId));
    },
    close: () => {},
  };
};
