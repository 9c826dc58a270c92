import type { Checked } from '../../analysis/checking/comparison.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { completeness, runsLength, type Day } from '../../domain/day.js';
import type { Series } from './series.js';

/** Kinds of known events that a check is to find; holidays and clock changes are told by calendars. */
const eventKinds: readonly string[] = [
  'labelled-anomaly',
  'storm',
  'frozen-source',
  'lockdown',
  'heat-wave',
  'cold-wave',
  'earthquake',
  'outage',
  'strike',
  'event',
];

/** An event is one to be found when its day lies outside these multiples of a usual day. */
const usualFrom = 0.75;
const usualTo = 1.33;

/**
 * Share of its slices that a day must have observed to be scored at all.
 *
 * Read word for word, the definitions give 87 entries in the 25 series, on 86 days (2018-01-02 of Florida is
 * two). The 81 of its table come of the rule of the studies before it, that days count with at least 90 % of their
 * slices: without the 2 days of Sandy in Washington (0.04 and 0.46 observed), and one day each of kpi 6a757df4
 * (0.82), kpi f0932edd (0.897) and Dodgers (0.69). It takes 21 of the 4653 ordinary days with it.
 */
export const observedFrom = 0.9;

/** The recent days of a series by what is expected of them. */
export type Expected = {
  /** All that are scored; a day of them may be in none of the lists below. */
  readonly scored: readonly Day[];
  /** Not within one day of anything known: an alert here is false. */
  readonly ordinary: readonly Day[];
  /** To be flagged; days that have several entries count once. */
  readonly events: readonly Day[];
  /** Planned right, they need no alert; those that are events as well are among the events alone. */
  readonly holidays: readonly Day[];
};

/**
 * Sorts the recent days of a series by the definitions of the analysis issue.
 * @param observed least share of slices observed, 0–1; days with less are in none of the lists
 */
export const expectedOf = (series: Series, observed = observedFrom): Expected => {
  const near = new Set<string>();
  const events = new Set<string>();
  const holidays = new Set<string>();
  for (const { date, until, kind, part, dayVsUsual } of series.knownEvents) {
    for (let day = dayNumber(date) - 1; day <= dayNumber(until ?? date) + 1; day += 1) near.add(dateOf(day));
    if (part !== series.checkedPart) continue;
    if (kind === 'holiday') holidays.add(date);
    const unusual = dayVsUsual !== null && (dayVsUsual < usualFrom || dayVsUsual > usualTo);
    if (eventKinds.includes(kind) && unusual) events.add(date);
  }
  const scored = series.recent.filter(
    day => completeness(day) >= observed && runsLength(day.gaps) < day.activity.length,
  );
  return {
    scored,
    ordinary: scored.filter(({ date }) => !near.has(date)),
    events: scored.filter(({ date }) => events.has(date)),
    holidays: scored.filter(({ date }) => holidays.has(date) && !events.has(date)),
  };
};

/** Kinds of findings that do not say that the day was unusual. */
const quiet: readonly string[] = ['gap', 'drift'];

/** Whether a check has flagged its day: an alert of any kind but a gap or drift. */
export const isFlagged = ({ finding }: Checked): boolean => finding !== null && !quiet.includes(finding.kind);
