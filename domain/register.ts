import { secondsPerDay } from './dates.js';

/** A rise of a register between two consecutive readings, at instants in seconds since 1970. */
export type Rise = {
  readonly from: number;
  readonly to: number;
  /** Reading at `from`. */
  readonly before: number;
  readonly amount: number;
};

/** Readings so many slices apart, or more, know only the amount of all slices between them. */
export const stretchFrom = 2;
/** Readings further apart belong to two data sets: a month, and a day for its clock. In seconds. */
export const stretchSecondsMax = 32 * secondsPerDay;
/** A rise this many times faster than every other one is a jump: another meter, or a wrong reading. */
export const jumpFactor = 100;
/** Jumps are rare: at most one rise in so many is one, but one may always be. */
const risesPerJump = 100;
/** Fewest rises that show how fast a register can be. */
const risesMin = 20;
/** Most jumps of an import. */
const jumpsMax = 100;
/** Rises that `fastestRises` keeps: the jumps, and the fastest other one. */
const keptMax = jumpsMax + 1;
/** A register passes 10^n by at most this share of it between two readings. */
const rollOverShareMax = 0.01;
/** Largest register of which an exact amount is known: every whole number up to it is a double. */
const registerMax = Number.MAX_SAFE_INTEGER;
/** A rise through a power of ten is at most this many times faster than the fastest other one. */
const rollOverFactor = 2;
/** Fewest falls of values that are no register, and the fewest of them for each change of the value. */
const fallsMin = 3;
const fallsPerChangeMin = 1 / 3;

/** Amount of a register that passed a power of ten between two readings; undefined when that is not plausible. */
export const rollOver = (before: number, after: number): number | undefined => {
  if (!(before > 0 && before <= registerMax && after >= 0)) return undefined;
  let end = 10;
  while (end <= before) end *= 10;
  const amount = end - before + after;
  return amount <= rollOverShareMax * end ? amount : undefined;
};

/** Whether readings fall so often that they are no register. @param changes falls and rises, without equal readings */
export const fallsTooOften = (falls: number, changes: number): boolean =>
  falls >= fallsMin && falls >= fallsPerChangeMin * changes;

/**
 * Keeps the fastest rises of a series. The speed of a rise is its amount over its duration, or over the typical step
 * when it is shorter: two readings a second apart show the resolution of a register, not its speed.
 */
export const fastestRises = (): {
  /** Amount per second above which a rise is kept. */
  slowest: () => number;
  /** Takes a rise. @param step typical seconds between two readings so far */
  add: (rise: Rise, step: number) => void;
  /** The rises that were kept, fastest first. @param step typical seconds between two readings */
  ranked: (step: number) => readonly Rise[];
} => {
  const kept: { readonly rise: Rise; readonly speed: number }[] = [];
  return {
    slowest: () => (kept.length < keptMax ? 0 : (kept[0]?.speed ?? 0)),
    add: (rise, step) => {
      const speed = speedOf(rise, step);
      let index = kept.findIndex(other => other.speed >= speed);
      if (index < 0) index = kept.length;
      kept.splice(index, 0, { rise, speed });
      if (kept.length > keptMax) kept.shift();
    },
    ranked: step =>
      kept.map(({ rise }) => rise).sort((a, b) => speedOf(b, step) - speedOf(a, step) || a.from - b.from),
  };
};

/** Amount per second of a rise, or of one of `step` seconds when it is shorter. */
export const speedOf = ({ from, to, amount }: Omit<Rise, 'before'>, step: number): number =>
  amount / Math.max(to - from, step);

/** How fast a register can be: what its own rises show, and the source, when it has data. */
export type Speeds = {
  /** Rises above zero. */
  readonly rises: number;
  /** Typical seconds between two readings. */
  readonly step: number;
  /** Most that the source expects in a slice, per second, and the seconds of its slices; undefined for a new source. */
  readonly known?: { readonly speed: number; readonly sliceSeconds: number } | undefined;
};

/** Whether a rise is beyond `factor` times what a source with data expects of a slice. */
const isBeyondKnown = (rise: Rise, { known }: Speeds, factor: number): boolean =>
  known === undefined || speedOf(rise, known.sliceSeconds) > factor * known.speed;

/**
 * Number of the fastest rises that are jumps: each is over a hundred times faster than the fastest rise that is none,
 * and than the source expects. Without a source 20 rises are needed to tell.
 * @param ranked by speed, fastest first
 */
export const countJumps = (ranked: readonly Rise[], speeds: Speeds): number => {
  if (speeds.known === undefined && speeds.rises < risesMin) return 0;
  const most = Math.min(jumpsMax, Math.max(1, Math.floor(speeds.rises / risesPerJump)), ranked.length);
  for (let count = most; count > 0; count -= 1) {
    const slowest = ranked[count - 1];
    const fastest = ranked[count];
    if (slowest === undefined || (fastest === undefined && speeds.known === undefined)) continue;
    const usual = fastest === undefined ? 0 : speedOf(fastest, speeds.step);
    if (
      speedOf(slowest, speeds.step) > jumpFactor * usual &&
      ranked.slice(0, count).every(rise => isBeyondKnown(rise, speeds, jumpFactor))
    )
      return count;
  }
  return 0;
};

/** Whether a rise through 10^n is at most twice as fast as the fastest other one, or as the source expects. */
export const isUsual = (rise: Rise, fastest: Rise | undefined, speeds: Speeds): boolean =>
  (fastest !== undefined && speedOf(rise, speeds.step) <= rollOverFactor * speedOf(fastest, speeds.step)) ||
  (speeds.known !== undefined && !isBeyondKnown(rise, speeds, rollOverFactor));
