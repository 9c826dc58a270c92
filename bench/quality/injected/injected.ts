import { trial } from '../../../analysis/tuning/trial.js';
import type { Setting } from '../../../analysis/learning/setting.js';
import type { Day } from '../../../domain/day.js';
import { isFlagged, type Expected } from '../definitions.js';
import type { Part } from '../score.js';
import type { Series } from '../series.js';
import { faultsFor } from './faults.js';
import { peers } from './peers.js';

/** Most ordinary days of a series that get each fault. */
const daysMax = 40;

/** Scores by a peer: larger for unusual days. */
export type PeerScores = {
  readonly ordinary: readonly number[];
  readonly events: readonly number[];
  /** By fault. */
  readonly faults: readonly (readonly number[])[];
};

/** Injected faults of one series: those that the engine finds, and scores by each peer. */
export type Injected = {
  readonly ordinary: Part;
  readonly events: Part;
  readonly faults: readonly Part[];
  readonly peers: readonly PeerScores[];
};

/** Some items at equal distances, at most `most`. */
export const evenSample = <Item>(items: readonly Item[], most: number): readonly Item[] =>
  items.length <= most
    ? items
    : Array.from({ length: most }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / most)]!);

/** Injects each fault into ordinary days of a series, and counts the days that are found. */
export const injectedOf = (
  series: Series,
  { ordinary, events }: Expected,
  setting: Setting,
  hasPeers: boolean,
): Injected => {
  const { days, recheck } = trial(series.reference, series.recent, setting);
  const flaggedDates = new Set(days.filter(isFlagged).map(({ day }) => day.date));
  const part = (some: readonly Day[], holds: (day: Day) => boolean): Part => ({
    count: some.filter(holds).length,
    of: some.length,
  });
  const isFound = ({ date }: Day): boolean => flaggedDates.has(date);
  const chosen = evenSample(ordinary, daysMax);
  const faulty = faultsFor(series, setting.seed).map(({ apply }) => chosen.flatMap(day => apply(day) ?? []));
  return {
    ordinary: part(ordinary, isFound),
    events: part(events, isFound),
    faults: faulty.map(some => part(some, day => isFlagged(recheck(day)))),
    peers: (hasPeers ? peers : []).map(({ fit }) => {
      const score = fit(series.reference);
      return {
        ordinary: ordinary.map(score),
        events: events.map(score),
        faults: faulty.map(some => some.map(score)),
      };
    }),
  };
};
