import type { Recorded } from '../domain/events.js';
import { chained } from '../auditing/eventBytes.js';
import { Conflict, isRepeat, written, type OpenEventStore } from '../application/ports/eventStore.js';

/** An event store in memory, for tests and trials. It passes the same contract tests as the others. */
export const memoryStore = (): OpenEventStore => {
  const log: Recorded[] = [];
  const streams = new Map<string, Recorded[]>();
  const ids = new Set<string>();

  return {
    append: async (stream, expected, events) => {
      const texts = written(stream, events);
      const there = streams.get(stream) ?? [];
      const actual = there.length === 0 ? 'absent' : there.length - 1;
      const next = expected === 'absent' ? 0 : expected + 1;
      if (actual !== expected) {
        const storedIds = there.slice(next, next + events.length).map(event => event.id);
        if (isRepeat(storedIds, events)) return next + events.length - 1;
        throw new Conflict(stream, expected, actual);
      }
      const clash = events.find(event => ids.has(event.id));
      if (clash) throw new Error(`event id ${clash.id} is in the log already`);
      const hashes = chained(stream, next, there.at(-1)?.hash ?? null, texts);
      for (const [index, { event, data, metadata }] of texts.entries()) {
        const { hash: _, ...rest } = event;
        const hash = hashes[index] ?? null;
        // Serialised and parsed, so that values are lost as in a store on disk.
        const recorded: Recorded = {
          ...rest,
          ...(hash !== null && { hash }),
          data: JSON.parse(data),
          metadata: JSON.parse(metadata),
          stream,
          revision: next + index,
          position: BigInt(log.length + 1),
        };
        ids.add(event.id);
        log.push(recorded);
        there.push(recorded);
      }
      streams.set(stream, there);
      return next + events.length - 1;
    },

    async *read(stream, from = 0) {
      const there = streams.get(stream) ?? [];
      for (let index = from, end = there.length; index < end; index += 1) {
        const event = there[index];
        if (event) yield event;
      }
    },

    async *all(after, types) {
      for (let index = Number(after), end = log.length; index < end; index += 1) {
        const event = log[index];
        if (event && (!types || types.includes(event.type))) yield event;
      }
    },

    close: async () => {},
  };
};
