import type { Chance } from '../helpers/crash/chance.js';

/** Probability of each kind of fault, 0 to 1. */
export type FaultRates = {
  /** An append or a read takes seconds. */
  readonly slow: number;
  /** An append fails before it takes effect, or a read fails. */
  readonly refused: number;
  /** The acknowledgement of an append is lost; the append took effect, takes effect later, or never does. */
  readonly lostAppend: number;
  /** The acknowledgement of an append is lost; the connection sends it again. */
  readonly resent: number;
  /** The server of a shared log loses the group of its subscribers. */
  readonly lostGroup: number;
  /** A subscription delivers an event twice, or loses its acknowledgement. */
  readonly redelivered: number;
  /** The notification of an append is lost. */
  readonly lostWake: number;
  /** An instance crashes between two steps. */
  readonly crash: number;
  /** A crash also loses the last commits of the read models. */
  readonly powerCut: number;
  /** The store is unreachable for all instances or for one. */
  readonly outage: number;
  /** The disk of an instance's read models is full for some time. */
  readonly fullDisk: number;
  /** That disk refuses all writes for some time, including those that repeat a rolled-back commit. */
  readonly brokenDisk: number;
  /** An answer does not reach its client. */
  readonly lostAnswer: number;
  /** A request with a key arrives twice. */
  readonly twice: number;
  /** The thread of an analysis dies. */
  readonly deadThread: number;
};

/** Maximum probabilities. */
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
  lostGroup: 0.001,
};

export type Faults = {
  /** Whether a fault of this kind happens now; false after `heal`. */
  readonly happens: (kind: keyof FaultRates) => boolean;
  /** Prevents further faults. */
  readonly heal: () => void;
  readonly begin: () => void;
  readonly healed: () => boolean;
};

/** Kinds with separate random numbers, so that older seeds reproduce their runs. */
const addedKinds: readonly string[] = ['resent', 'lostGroup'];

/**
 * The faults of one seed. Each seed has half of the kinds (swarm testing, Groce et al. 2012), since faults that always
 * occur together hide the effects of single ones.
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
