import { memoryStore } from '../../../adapters/memoryStore.js';
import type { EventStore } from '../../../application/ports/eventStore.js';

/** A store in memory whose streams can be shortened, as those of EventStoreDB. */
export const sharedMemory = () => {
  const store = memoryStore();
  const begins = new Map<string, number>();
  const read: EventStore['read'] = (stream, from = 0) =>
    store.read(stream, Math.max(from, begins.get(stream) ?? 0));
  return {
    store: { append: store.append, read },
    log: store,
    truncate: async (stream: string, before: number): Promise<void> => void begins.set(stream, before),
    /** Number of events that a stream has. */
    count: async (stream: string): Promise<number> => {
      let count = 0;
      for await (const _ of read(stream)) count += 1;
      return count;
    },
  };
};
