import { usable, type Day } from '../../domain/day.js';
import { trial, type CheckedDay, type TrialDay } from '../../analysis/tuning/trial.js';
import type { Setting } from '../../analysis/learning/typicalDays.js';
import type { Baseline } from './baselines.js';
import {
  changesFor,
  type Change,
  isFlagged,
  type Expected,
  attainableEvents,
  statedChangesFound,
  type StatedChanges,
} from './definitions.js';
import type { Series } from './series.js';
import { rankingOf, type Ranking } from './ranking.js';
import { dayNumber } from '../../domain/dates.js';
import { groupingRules, spanOf, type GroupedAlert } from '../../domain/incidents/connections.js';
import { group } from '../../domain/incidents/grouping.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { sortedQuantile } from '../../analysis/math/statistics.js';

/** A count and its total. */
export type Part = { readonly count: number; readonly of: number };

/** Both ends of a range. */
export type Interval = readonly [low: number, high: number];

/** Guarantees of the bounds of a series; null for baselines. */
export type Stated = {
  readonly coverage: number;
  readonly falseAlertsPerYear: number | null;
  readonly range: Interval | null;
  /** Stated changes of a time of day, and those that are found (definitions.ts); null without one. */
  readonly changes: StatedChanges | null;
};

/** Results of a method on one series. */
export type Score = {
  readonly ordinary: Part;
  readonly events: Part;
  /** Runs of event days, found when one of their days is. */
  readonly eventRuns: Part;
  /** Alerts without event days among all, and the same of incidents, which people handle. */
  readonly alerts: Part;
  readonly incidents: Part;
  /** Event days that a threshold set in hindsight would find (definitions.ts); null for baselines. */
  readonly attainable: number | null;
  readonly stated: Stated | null;
  /** null for baselines, and pooled. */
  readonly ranking: Ranking | null;
  readonly holidays: Part;
  /** Share of ordinary days flagged after each change; empty without ordinary days. */
  readonly power: readonly number[];
  /** Mean absolute error of the planned profile on ordinary days over their mean; null without either. */
  readonly error: number | null;
  /**
   * The same for all scored days, over the mean of the reference. Earlier studies count so: for the weekday mean on
   * the 25 series they give 0.286, which is 0.257 on ordinary days.
   */
  readonly errorOfAll: number | null;
};

const runsPart = (events: readonly Day[], flagged: (day: Day) => boolean): Part => {
  const runs = eventRuns(events);
  return { count: runs.filter(run => run.some(flagged)).length, of: runs.length };
};

/** Alerts of checked days of one source, as the service groups them. */
export const alertsOf = (days: readonly CheckedDay[]): readonly GroupedAlert[] =>
  days.flatMap(({ day, finding }): GroupedAlert | [] =>
    finding
      ? {
          alertId: day.date,
          sourceId: 1,
          date: day.date,
          state: 'open',
          kind: finding.kind,
          criticity: finding.criticity,
          span: spanOf(finding, day.activity.length, { places: [], rules: groupingRules }),
        }
      : [],
  );

/** Alerts of one source by incident. */
export const incidentsOf = (alerts: readonly GroupedAlert[]): readonly (readonly GroupedAlert[])[] => {
  const { after } = group(alerts, { members: [], incidents: [], isTaken: () => false });
  return [...after.values()].filter(members => members.length > 0);
};

/** Alerts and incidents of checked days, and those of them without an event day or a holiday. */
const alertParts = (
  days: readonly TrialDay[],
  { ordinary }: Expected,
): Pick<Score, 'alerts' | 'incidents'> => {
  const isOrdinary = new Set(ordinary.map(({ date }) => date));
  const alerts = alertsOf(days);
  const groups = incidentsOf(alerts);
  return {
    alerts: { count: alerts.filter(({ date }) => isOrdinary.has(date)).length, of: alerts.length },
    incidents: {
      count: groups.filter(members => members.every(({ date }) => isOrdinary.has(date))).length,
      of: groups.length,
    },
  };
};

/** Scores flags of unchanged days (`flagged`) and after a change (`flaggedChanged`). */
const scored = (
  { ordinary, events, holidays }: Expected,
  changes: readonly Change[],
  flagged: (day: Day) => boolean,
  flaggedChanged: (day: Day) => boolean,
): Omit<Score, 'error' | 'errorOfAll' | 'attainable' | 'stated' | 'ranking' | 'alerts' | 'incidents'> => {
  const part = (days: readonly Day[], holds: (day: Day) => boolean): Part => ({
    count: days.filter(holds).length,
    of: days.length,
  });
  return {
    ordinary: part(ordinary, flagged),
    events: part(events, flagged),
    eventRuns: runsPart(events, flagged),
    holidays: part(holidays, flagged),
    power:
      ordinary.length === 0
        ? []
        : changes.map(
            change => part(ordinary, day => flaggedChanged(change.apply(day))).count / ordinary.length,
          ),
  };
};

/**
 * Distance of profiles from days: the mean absolute error over the mean absolute value of the same slices, or of
 * `base`.
 */
export const profileError = (
  days: readonly Day[],
  profileOf: (day: Day) => readonly (number | null)[] | null,
  base: readonly Day[] | null = null,
): number | null => {
  let error = 0;
  let size = 0;
  let count = 0;
  for (const day of days) {
    const profile = profileOf(day);
    if (profile === null) continue;
    const flags = usable(day);
    day.activity.forEach((value, slice) => {
      const expected = profile[slice] ?? null;
      if (!flags[slice] || expected === null) return;
      error += Math.abs(value - expected);
      size += Math.abs(value);
      count += 1;
    });
  }
  const mean = base ? meanSize(base) : size / count;
  return count > 0 && mean > 0 ? error / count / mean : null;
};

/** Mean absolute value of all observed slices. */
const meanSize = (days: readonly Day[]): number => {
  let size = 0;
  let count = 0;
  for (const day of days) {
    const flags = usable(day);
    day.activity.forEach((value, slice) => {
      if (!flags[slice]) return;
      size += Math.abs(value);
      count += 1;
    });
  }
  return size / count;
};

const rangeOf = (range: { readonly low: number; readonly high: number } | undefined): Interval | null =>
  range ? [range.low, range.high] : null;

/** Scores the engine under a setting. */
export const scoreOf = (series: Series, expected: Expected, setting: Setting): Score => {
  const tried = trial(series.reference, series.recent, setting);
  const { learned, models, days, recheck } = tried;
  const byDate = new Map(days.map(day => [day.day.date, day]));
  const profiles = new Map(models.map(({ id, activity }) => [id, activity]));
  const flagged = ({ date }: Day): boolean => {
    const checked = byDate.get(date);
    return checked !== undefined && isFlagged(checked);
  };
  const planned = ({ date }: Day) => profiles.get(byDate.get(date)?.plan.modelId ?? -1) ?? null;
  return {
    ...scored(expected, changesFor(series.reference), flagged, day => isFlagged(recheck(day))),
    ...alertParts(days, expected),
    attainable: attainableEvents(tried, expected),
    stated: {
      coverage: learned.bounds.measuredCoverage,
      falseAlertsPerYear: learned.bounds.falseAlertsPerYear,
      range: rangeOf(learned.bounds.falseAlertsRange),
      changes: statedChangesFound(tried, series.reference, expected),
    },
    ranking: rankingOf(tried, expected),
    error: profileError(expected.ordinary, planned),
    errorOfAll: profileError(expected.scored, planned, series.reference),
  };
};

/** Scores a baseline, which uses neither a calendar nor earlier days. */
export const baselineScoreOf = (series: Series, expected: Expected, { fit }: Baseline): Score => {
  const flags = fit(series.reference);
  const scores = scored(expected, changesFor(series.reference), flags, flags);
  const none = { count: 0, of: 0 };
  return {
    ...scores,
    ...{ alerts: none, incidents: none, attainable: null, stated: null, ranking: null },
    ...{ error: null, errorOfAll: null },
  };
};

/** Scores of several series together: days and events are summed, power and errors are means over series. */
export const pooled = (scores: readonly Score[]): Score => {
  const add = (part: (score: Score) => Part): Part => ({
    count: scores.reduce((sum, score) => sum + part(score).count, 0),
    of: scores.reduce((sum, score) => sum + part(score).of, 0),
  });
  const power = scores.filter(score => score.power.length > 0).map(score => score.power);
  return {
    ordinary: add(score => score.ordinary),
    events: add(score => score.events),
    eventRuns: add(score => score.eventRuns),
    alerts: add(score => score.alerts),
    incidents: add(score => score.incidents),
    attainable: sumOf(scores.map(({ attainable }) => attainable)),
    stated: null,
    ranking: null,
    holidays: add(score => score.holidays),
    power: (power[0] ?? []).map((_, change) => meanOf(power.map(values => values[change] ?? 0)) ?? 0),
    error: meanOf(scores.map(({ error }) => error)),
    errorOfAll: meanOf(scores.map(({ errorOfAll }) => errorOfAll)),
  };
};

/** Sum of the values; null when one is not known. */
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0);

/** Mean of the known values, null without any. */
export const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter(value => value !== null);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
};

/** Runs of event days on consecutive dates. */
export const eventRuns = (events: readonly Day[]): Day[][] => {
  const runs: Day[][] = [];
  for (const day of events) {
    const last = runs.at(-1)?.at(-1);
    if (last && dayNumber(day.date) - dayNumber(last.date) === 1) runs.at(-1)?.push(day);
    else runs.push([day]);
  }
  return runs;
};

const resamples = 2000;
const probabilities = [0.025, 0.975] as const;

/**
 * 95 % bootstrap interval over series (Efron 1979, percentiles): how far a pooled number would move with other series
 * of this kind. Null when it is not known for most resamples.
 * @param value the pooled number of some series; null when it is not known
 */
export const intervalOf = <Item>(
  series: readonly Item[],
  value: (sample: readonly Item[]) => number | null,
  seed: number,
): Interval | null => {
  const random = seededRandom(seed);
  const values: number[] = [];
  for (let round = 0; round < resamples; round += 1) {
    const drawn = series.map(() => series[Math.floor(random() * series.length)]!);
    const found = value(drawn);
    if (found !== null) values.push(found);
  }
  if (2 * values.length < resamples) return null;
  const sorted = Float64Array.from(values).sort();
  return [sortedQuantile(sorted, probabilities[0]), sortedQuantile(sorted, probabilities[1])];
};
