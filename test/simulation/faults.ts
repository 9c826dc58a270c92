import type { Chance } from '../helpers/crash/chance.js';

/** How often each kind of fault happens: shares of its occasions, 0 for never. */
export type FaultRates = {
  /** An append, or a read, that takes seconds. */
  readonly slow: number;
  /** An append that the store refuses before it takes effect; a read that fails. */
  readonly refused: number;
  /** An append whose acknowledgement is lost: it took effect, takes effect later, or never does. */
  readonly lostAppend: number;
  /** An append whose acknowledgement is lost, and which the connection sends again. */
  readonly resent: number;
  /** An event that a subscription brings twice, or whose answer is lost. */
  readonly redelivered: number;
  /** A notice of an append that is lost. */
  readonly lostWake: number;
  /** An instance that ends between two steps. */
  readonly crash: number;
  /** A crash that takes the last commits of the read models too. */
  readonly powerCut: number;
  /** The store is away for all, or for one instance. */
  readonly outage: number;
  /** The disk of an instance's read models is full for a while. */
  readonly fullDisk: number;
  /** That disk refuses every write for a while, also those that would write again what a failed commit undid. */
  readonly brokenDisk: number;
  /** An answer that does not reach its client. */
  readonly lostAnswer: number;
  /** A request with a key that arrives twice. */
  readonly twice: number;
  /** An analysis whose thread dies. */
  readonly deadThread: number;
};

/** At most. */
const rates: FaultRates = {
  slow: 0.02,
  refused: 0.03,
  lostAppend: 0.05,
  redelivered: 0.1,
  lostWake: 0.3,
  crash: 0.002,
  powerCut: 0.5,
  outage: 0.0015,
  fullDisk: 0.001,
  brokenDisk: 0.001,
  lostAnswer: 0.1,
  twice: 0.15,
  deadThread: 0,
  resent: 0.05,
};

export type Faults = {
  /** Whether a fault of a kind happens now. Never, once all is healed. */
  readonly happens: (kind: keyof FaultRates) => boolean;
  /** No fault begins from now on. */
  readonly heal: () => void;
  readonly begin: () => void;
  readonly healed: () => boolean;
};

/** Kinds with random numbers of their own: a seed without them is the same run as before they were added. */
const addedKinds: readonly string[] = ['resent'];

/**
 * The faults of one seed. Each seed has half of the kinds (swarm testing: Groce et al. 2012): a fault that always comes
 * with all others hides what it does alone.
 * @param added random numbers of the kinds that were added later
 */
export const faultsOf = (random: Chance, added: Chance): Faults => {
  const randomOf = (kind: string): Chance => (addedKinds.includes(kind) ? added : random);
  const mine = Object.fromEntries(
    Object.entries(rates).map(([kind, most]) => {
      const { happens, next } = randomOf(kind);
      return [kind, happens(0.5) ? most * next() : 0];
    }),
  ) as FaultRates;
  let healed = false;
  return {
    happens: kind => !healed && mine[kind] > 0 && randomOf(kind).happens(mine[kind]),
    heal: () => void (healed = true),
    begin: () => void (healed = false),
    healed: () => healed,
  };
};
