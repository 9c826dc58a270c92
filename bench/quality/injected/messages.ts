import { trial, type Trial } from '../../../analysis/tuning/trial.js';
import type { Setting } from '../../../analysis/learning/setting.js';
import { dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { alertsOf, incidentsOf } from '../score.js';
import type { Series } from '../series.js';
import { causesFor } from './causes.js';
import { evenSample } from './injected.js';

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
