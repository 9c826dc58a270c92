import type { Environment } from '../../application/ports/environment.js';
import type { Chance } from '../helpers/crash/chance.js';

/** Owner of timers: an instance until it crashes, a client, or the network. */
export type Owner = { readonly name: string; alive: boolean };

type Entry = {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner;
  run: (() => void) | undefined;
};

/** Virtual time. All timers are here; the seed decides the order of timers that are due together. */
export type Scheduler = {
  /** Virtual milliseconds since the start. */
  readonly nowMs: () => number;
  /** Calls `run` after `ms`, unless its owner is dead then. Returns a function that cancels it. */
  readonly after: (owner: Owner, ms: number, run: () => void) => () => void;
  /** Resolves after `ms`; never if its owner dies before. */
  readonly sleep: (owner: Owner, ms: number) => Promise<void>;
  /** Runs the next timer and all promises that it resolves; false if there is no timer. */
  readonly step: () => Promise<boolean>;
  readonly steps: () => number;
  /** Sets all wall clocks forward, as if the machines had slept: timers keep their virtual time. */
  readonly leap: (ms: number) => void;
  /** Wall clock of an instance without an error, in ms since 1970. */
  readonly wallMs: () => number;
};

/** Start of the wall clock of every simulation. */
export const beginning = Date.parse('2026-01-01T00:00:00.000Z');

/** Maximum delay of timers of a real event loop, in ms. */
const latenessMs = 0.5;

/** Waits one turn of the real event loop, so that all resolved promises have continued. */
export const drained = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A scheduler that draws all choices from `random`. */
export const scheduler = (random: Chance): Scheduler => {
  const heap: Entry[] = [];
  let now = 0;
  let steps = 0;
  let leapt = 0;

  const isBefore = (one: Entry, other: Entry): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);
  const at = (index: number): Entry => heap[index] as Entry;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [at(other), at(one)];
  };
  const push = (entry: Entry): void => {
    let index = heap.push(entry) - 1;
    for (
      let parent = (index - 1) >> 1;
      index > 0 && isBefore(at(index), at(parent));
      parent = (index - 1) >> 1
    ) {
      swap(index, parent);
      index = parent;
    }
  };
  const pop = (): Entry | undefined => {
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < heap.length && isBefore(at(left), at(least))) least = left;
      if (right < heap.length && isBefore(at(right), at(least))) least = right;
      if (least === index) return first;
      swap(index, least);
      index = least;
    }
  };

  const after: Scheduler['after'] = (owner, ms, run) => {
    const entry: Entry = {
      at: now + Math.max(0, ms) + random.next() * latenessMs,
      order: random.next(),
      owner,
      run,
    };
    push(entry);
    return () => (entry.run = undefined);
  };

  return {
    nowMs: () => now,
    after,
    sleep: (owner, ms) => new Promise(resolve => after(owner, ms, resolve)),
    step: async () => {
      for (let next = pop(); next; next = pop()) {
        if (!next.run || !next.owner.alive) continue;
        now = next.at;
        steps += 1;
        next.run();
        await drained();
        return true;
      }
      return false;
    },
    steps: () => steps,
    leap: ms => void (leapt += ms),
    wallMs: () => beginning + now + leapt,
  };
};

/**
 * Environment of a simulated instance.
 * @param skewMs error of its wall clock, in ms
 */
export const environmentOf = (
  { nowMs, wallMs, after, sleep }: Scheduler,
  owner: Owner,
  random: Chance,
  skewMs: number,
): Environment => {
  const randomBytes = (count: number) => Buffer.from(Array.from({ length: count }, () => random.below(256)));
  return {
    nowMs: () => Math.floor(wallMs() + skewMs),
    elapsedMs: nowMs,
    after: (ms, run) => after(owner, ms, run),
    nextTurn: () => sleep(owner, 0),
    newId: () => {
      const hex = randomBytes(16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    randomBytes,
  };
};
