import type { Setting } from '../../analysis/learning/typicalDays.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { trial, type Trial } from '../../analysis/tuning/trial.js';
import { dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { isFlagged, type Expected, attainableEvents } from './definitions.js';
import { causesFor } from './injected/causes.js';
import { faultsFor } from './injected/faults.js';
import { peers } from './injected/peers.js';
import { type Part, alertsOf, incidentsOf } from './score.js';
import type { Series } from './series.js';

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
const evenSample = <Item>(items: readonly Item[], most: number): readonly Item[] =>
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

/** Most causes of a kind in a series. */
const causesMax = 6;

/** First messages about causes of one kind: of single alerts, and of incidents. */
export type Messages = {
  readonly causes: number;
  /** Causes with an alert. */
  readonly seen: number;
  readonly alerts: number;
  readonly incidents: number;
};

/** Stretches of consecutive recent days without an alert, by their first day, at most six at equal distances. */
export const quietStretches = (
  { days }: Pick<Trial, 'days'>,
  length: number,
): readonly (readonly Day[])[] => {
  const stretches = days.flatMap((first, at): (readonly Day[])[] => {
    const some = days.slice(at, at + length);
    const span = dayNumber(some.at(-1)?.day.date ?? '') - dayNumber(first.day.date) + 1;
    const isQuiet =
      some.length === length && span === length && some.every(({ finding }) => finding === null);
    return isQuiet ? [some.map(({ day }) => day)] : [];
  });
  return evenSample(stretches, causesMax);
};

/**
 * Injects causes into stretches of recent days that raise no alert, each alone, checks these days in their order and
 * groups their alerts as the service does.
 * @returns by kind, in the order of `causeNames`
 */
export const messagesOf = (series: Series, setting: Setting): readonly Messages[] => {
  const tried = trial(series.reference, series.recent, setting);
  const profiles = new Map(tried.models.map(({ id, activity }) => [id, activity]));
  const profileOf = (date: string) => profiles.get(tried.plan(date).modelId ?? -1) ?? null;
  return causesFor(series, profileOf, setting.seed).map(({ length, apply }) => {
    const changed = quietStretches(tried, length).flatMap(days => {
      const after = apply(days);
      return after ? [after] : [];
    });
    const alerts = changed.map(days => alertsOf(tried.recheckAll(days)));
    return {
      causes: changed.length,
      seen: alerts.filter(some => some.length > 0).length,
      alerts: alerts.flat().length,
      incidents: alerts.flatMap(incidentsOf).length,
    };
  });
};

/** Shares of the reference days that are bad, the first without any. */
export const contaminatedShares = [0, 0.02, 0.05, 0.1] as const;

/** Fewest known events of a series whose reference is contaminated. */
const eventsMin = 4;

/** Results of one series with bad days in its reference. */
export type Contaminated = {
  readonly ordinary: Part;
  readonly events: Part;
  readonly attainable: number;
  /** Bad days that were left out of learning as outliers, and other days that were. */
  readonly found: Part;
  readonly others: number;
  /** Factor of the guard; 1 without one. */
  readonly guard: number;
};

const scaled =
  (factor: number) =>
  (day: Day): Day => ({ ...day, activity: day.activity.map(value => value * factor) });

/** Bad days in turn: closed, less, more, and three hours late; a day with gaps cannot be late and is the next one. */
const badDays = (series: Series, seed: number): ((day: Day, place: number) => Day) => {
  const fault = (name: string) => {
    const found = faultsFor(series, seed).find(one => one.name.startsWith(name));
    return (day: Day): Day | null => found?.apply(day) ?? null;
  };
  const kinds = [fault('closed day'), scaled(0.4), scaled(1.8), fault('shifted by 3 h')];
  return (day, place) => kinds[place % kinds.length]!(day) ?? kinds[(place + 1) % kinds.length]!(day) ?? day;
};

/** A series with a share of bad days at random places of its reference, and their dates. */
export const contaminated = (
  series: Series,
  share: number,
  seed: number,
): { readonly series: Series; readonly dates: ReadonlySet<string> } => {
  const random = seededRandom(seed);
  const order = series.reference.map(({ date }) => ({ date, at: random() })).sort((a, b) => a.at - b.at);
  const chosen = order.slice(0, Math.round(share * order.length)).map(({ date }) => date);
  const spoiled = badDays(series, seed);
  const places = new Map(chosen.map((date, place) => [date, place]));
  const reference = series.reference.map(day => {
    const place = places.get(day.date);
    return place === undefined ? day : spoiled(day, place);
  });
  return { series: { ...series, reference }, dates: new Set(chosen) };
};

/** Events found with each share of bad days; null for a series with few events. */
export const contaminatedOf = (
  series: Series,
  expected: Expected,
  setting: Setting,
): readonly Contaminated[] | null => {
  if (expected.events.length < eventsMin) return null;
  return contaminatedShares.map(share => {
    const bad = contaminated(series, share, setting.seed);
    const tried = trial(bad.series.reference, series.recent, setting);
    const flagged = new Set(tried.days.filter(isFlagged).map(({ day }) => day.date));
    const part = (days: readonly Day[]): Part => ({
      count: days.filter(({ date }) => flagged.has(date)).length,
      of: days.length,
    });
    const { leftOut: all, bounds } = tried.learned;
    const leftOut = all.filter(({ reason }) => reason.startsWith('unusual'));
    const count = leftOut.filter(({ date }) => bad.dates.has(date)).length;
    return {
      ordinary: part(expected.ordinary),
      events: part(expected.events),
      attainable: attainableEvents(tried, expected),
      found: { count, of: bad.dates.size },
      others: leftOut.length - count,
      guard: bounds.guard?.factor ?? 1,
    };
  });
};
