import { seededRandom } from '../../../analysis/math/seededRandom.js';
import type { Setting } from '../../../analysis/learning/setting.js';
import { trial } from '../../../analysis/tuning/trial.js';
import type { Day } from '../../../domain/day.js';
import { isFlagged, type Expected } from '../definitions.js';
import { attainableEvents } from '../attainable.js';
import type { Part } from '../score.js';
import type { Series } from '../series.js';
import { faultsFor } from './faults.js';

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

/** Bad days in turn: closed, less, more, and three hours late. */
const badDays = (series: Series, seed: number): readonly ((day: Day) => Day)[] => {
  const fault = (name: string) => {
    const found = faultsFor(series, seed).find(one => one.name.startsWith(name));
    return (day: Day): Day => found?.apply(day) ?? day;
  };
  return [fault('closed day'), scaled(0.4), scaled(1.8), fault('shifted by 3 h')];
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
  const kinds = badDays(series, seed);
  const places = new Map(chosen.map((date, place) => [date, place]));
  const reference = series.reference.map(day => {
    const place = places.get(day.date);
    return place === undefined ? day : kinds[place % kinds.length]!(day);
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
    const { leftOut, bounds } = tried.learned;
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
