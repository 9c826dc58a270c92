import type { Environment } from '../../application/ports/environment.js';
import type { EventStore } from '../../application/ports/eventStore.js';

/** An event of a stream of the buffer. `atMs` is the instant of the instance that appended it. */
export type StreamEvent = { readonly type: string; readonly data: object; readonly atMs: number };

/** A stream outside the log whose events are folded in memory. */
export type FoldedStream = {
  /** Revision of the last event that was folded, -1 for none. */
  readonly revision: () => number;
  /** Folds the events that were appended since, by any instance. @throws StoreUnavailable */
  readonly refresh: () => Promise<void>;
  /** Appends an event after the last one that was folded, and folds it. @throws Conflict, StoreUnavailable */
  readonly append: (type: string, data: object) => Promise<void>;
};

/** A stream of a store. @param apply called with each event once, in order */
export const foldedStream = (
  store: Pick<EventStore, 'append' | 'read'>,
  stream: string,
  apply: (event: StreamEvent) => void,
  environment: Pick<Environment, 'newId' | 'nowMs'>,
): FoldedStream => {
  let revision = -1;
  return {
    revision: () => revision,
    refresh: async () => {
      for await (const event of store.read(stream, revision + 1)) {
        apply({ type: event.type, data: event.data as object, atMs: Date.parse(event.at) });
        revision = event.revision;
      }
    },
    append: async (type, data) => {
      const id = environment.newId();
      const atMs = environment.nowMs();
      const metadata = { by: 'points', cause: id, correlation: id };
      const event = { id, type, v: 1, data, metadata, at: new Date(atMs).toISOString() };
      revision = await store.append(stream, revision < 0 ? 'absent' : revision, [event]);
      apply({ type, data, atMs });
    },
  };
};

/** A part of a list that is too long for one event; it takes effect with its last part. */
export type Part<One> = {
  readonly list: string;
  /** From 1. */
  readonly part: number;
  readonly parts: number;
  readonly items: readonly One[];
};

/** Cuts a list into parts. @param list an id of the list; @param itemsMax most items of a part */
export const partsOf = <One>(list: string, items: readonly One[], itemsMax: number): Part<One>[] => {
  const parts = Math.max(1, Math.ceil(items.length / itemsMax));
  return Array.from({ length: parts }, (_, index) => ({
    list,
    part: index + 1,
    parts,
    items: items.slice(index * itemsMax, (index + 1) * itemsMax),
  }));
};

/** Joins parts that follow each other; a list that another event interrupts has no effect. */
export const partJoiner = <One>() => {
  let staged: { readonly list: string; readonly items: One[]; part: number } | undefined;
  return {
    /** The whole list with its last part, else undefined. */
    add: ({ list, part, parts, items }: Part<One>): readonly One[] | undefined => {
      if (part === 1) staged = { list, items: [], part: 0 };
      if (staged?.list !== list || staged.part !== part - 1) {
        staged = undefined;
        return undefined;
      }
      for (const item of items) staged.items.push(item);
      staged.part = part;
      if (part < parts) return undefined;
      const whole = staged.items;
      staged = undefined;
      return whole;
    },
    interrupt: (): void => {
      staged = undefined;
    },
  };
};
