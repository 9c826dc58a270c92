import { chained } from '../../auditing/eventBytes.js';
import {
  Conflict,
  isRepeat,
  OutcomeUnknown,
  StoreUnavailable,
  written,
  type EventStore,
} from '../../application/ports/eventStore.js';
import type { Proposed, Recorded } from '../../domain/events.js';
import { isLogStream } from '../../domain/streams.js';
import type { Chance } from '../helpers/crash/chance.js';
import type { Faults } from './faults.js';
import type { Owner, Scheduler } from './scheduler.js';

/** Data of a server: the log, and separate streams that can be deleted. Its functions neither wait nor fail. */
export type Disk = {
  readonly log: readonly Recorded[];
  readonly streams: ReadonlyMap<string, readonly Recorded[]>;
  readonly append: (stream: string, expected: number | 'absent', events: readonly Proposed[]) => number;
  readonly vanish: (stream: string) => void;
  /** Called after each append to the log. */
  readonly watchers: Set<() => void>;
};

/** An empty server. */
export const emptyDisk = (): Disk => {
  const log: Recorded[] = [];
  const streams = new Map<string, Recorded[]>();
  const watchers = new Set<() => void>();
  return {
    log,
    streams,
    watchers,
    append: (stream, expected, events) => {
      const texts = written(stream, events);
      const there = streams.get(stream) ?? [];
      const actual = there.length === 0 ? 'absent' : there.length - 1;
      const next = expected === 'absent' ? 0 : expected + 1;
      if (actual !== expected) {
        const ids = there.slice(next, next + events.length).map(({ id }) => id);
        if (isRepeat(ids, events)) return next + events.length - 1;
        throw new Conflict(stream, expected, actual);
      }
      const isLog = isLogStream(stream);
      const hashes = chained(stream, next, there.at(-1)?.hash ?? null, texts);
      for (const [index, { event, data, metadata }] of texts.entries()) {
        const { hash: _, ...rest } = event;
        const recorded = {
          ...rest,
          hash: hashes[index] ?? '',
          data: JSON.parse(data) as unknown,
          metadata: JSON.parse(metadata) as Recorded['metadata'],
          stream,
          revision: next + index,
          position: BigInt(log.length + 1),
        };
        if (isLog) log.push(recorded);
        there.push(recorded);
      }
      streams.set(stream, there);
      if (isLog) for (const watcher of watchers) watcher();
      return next + events.length - 1;
    },
    vanish: stream => void streams.delete(stream),
  };
};

export type ConnectionParts = {
  readonly disk: Disk;
  readonly owner: Owner;
  readonly scheduler: Scheduler;
  readonly random: Chance;
  readonly faults: Faults;
  /** Whether the server is unreachable now. */
  readonly away: () => boolean;
  readonly trace: (line: string) => void;
  /** An embedded store always reports the outcome of an append. */
  readonly embedded: boolean;
};

const usualMs = 4;
const slowMs = 4000;
/** Maximum delay of an append without acknowledgement, in ms. */
const inFlightMs = 3000;
/** Maximum time until an append fails with an unknown outcome, in ms. */
const unknownMs = 2000;

/** Connection of an instance to a server: calls take time, and can fail before or after their effect. */
export const connection = ({
  disk,
  owner,
  scheduler,
  random,
  faults,
  away,
  trace,
  embedded,
}: ConnectionParts) => {
  const { sleep, after } = scheduler;
  const wire = () => sleep(owner, random.next() * (faults.happens('slow') ? slowMs : usualMs));
  const reachable = (call: string): void => {
    if (!away() && !faults.happens('refused')) return;
    trace(`${owner.name}: ${call} refused`);
    throw new StoreUnavailable('the simulated store is unreachable');
  };
  /** The network loses an append or its acknowledgement; it can still take effect. */
  const lose = async (stream: string, expected: number | 'absent', events: readonly Proposed[]) => {
    // Owned by the network: an append on its way survives a crash of its sender.
    const network = { name: 'network', alive: true };
    const takeEffect = (): void => {
      try {
        disk.append(stream, expected, events);
        trace(`${owner.name}: an unacknowledged append to ${stream} took effect`);
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
      }
    };
    const chance = random.next();
    if (chance < 0.4) takeEffect();
    else if (chance < 0.7) after(network, random.next() * inFlightMs, takeEffect);
    await sleep(owner, random.next() * unknownMs);
    trace(`${owner.name}: the outcome of an append to ${stream} is unknown`);
    throw new OutcomeUnknown('the simulated store did not acknowledge the append');
  };

  /** Sends an append again after its acknowledgement was lost, like the client of a server. The result is the same. */
  const resend = async (stream: string, expected: number | 'absent', events: readonly Proposed[]) => {
    trace(`${owner.name}: the acknowledgement of an append to ${stream} is lost, the append is sent again`);
    await wire();
    if (away()) throw new OutcomeUnknown('the simulated store became unreachable');
    return disk.append(stream, expected, events);
  };

  async function* paged(events: () => readonly Recorded[], from: number): AsyncGenerator<Recorded> {
    await wire();
    reachable('read');
    const end = events().length;
    for (let index = from; index < end; index += 1) {
      const event = events()[index];
      // Page size of a real server.
      if (index > from && index % 50 === 0) {
        await wire();
        reachable('read');
      }
      if (event) yield event;
    }
  }

  const store: EventStore = {
    append: async (stream, expected, events) => {
      written(stream, events);
      await wire();
      reachable(`append to ${stream}`);
      if (!embedded && faults.happens('lostAppend')) return lose(stream, expected, events);
      const revision = disk.append(stream, expected, events);
      trace(`${owner.name}: ${events.map(({ type }) => type).join()} to ${stream} at ${revision}`);
      await wire();
      if (!embedded && faults.happens('resent')) return resend(stream, expected, events);
      if (embedded || !away()) return revision;
      throw new OutcomeUnknown('the simulated store became unreachable');
    },
    read: (stream, from = 0) => paged(() => disk.streams.get(stream) ?? [], from),
    all: async function* (position, types) {
      for await (const event of paged(() => disk.log, Number(position)))
        if (!types || types.includes(event.type)) yield event;
    },
  };
  return {
    ...store,
    deleteStream: async (stream: string): Promise<void> => {
      await wire();
      reachable(`delete ${stream}`);
      disk.vanish(stream);
      await wire();
    },
    wire,
  };
};
