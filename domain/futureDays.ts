import { dateOf, dayMs } from './dates.js';
import type { EventOf } from './events.js';

// A recent day after tomorrow, by the clock of its source, is a future day. It says nothing about the present.

const hourMs = dayMs / 24;
/** Largest distances of a local clock from UTC, in hours. */
const hoursAhead = 14;
const hoursBehind = 12;

/** Tomorrow of a clock that is some hours ahead of UTC. */
const tomorrowAhead = (at: string, hours: number): string =>
  dateOf(Math.floor((Date.parse(at) + hours * hourMs) / dayMs) + 1);

/** Tomorrow at an instant by the clock that is furthest ahead: no date up to it is in the future everywhere. */
export const latestTomorrow = (at: string): string => tomorrowAhead(at, hoursAhead);

/** Whether a date is tomorrow by some clock at an instant. */
export const isTomorrow = (date: string, at: string): boolean =>
  tomorrowAhead(at, -hoursBehind) <= date && date <= latestTomorrow(at);

/** The days up to tomorrow; all days when it is undefined, as in events of earlier builds. */
export const upTo = <Dated extends { readonly date: string }>(
  days: readonly Dated[],
  tomorrow: string | undefined,
): readonly Dated[] => (tomorrow === undefined ? days : days.filter(({ date }) => date <= tomorrow));

/**
 * Last date of an import that was no future day when it came; undefined when all were. Imports of earlier builds do
 * not name it: there it is the last date of the last part that is not after tomorrow of all clocks.
 * @param event last part of an import
 */
export const lastPresentDate = ({
  at,
  data: { days, summary },
}: Pick<EventOf<'DaysImported'>, 'at' | 'data'>): string | undefined =>
  summary?.countedTo === undefined
    ? upTo(days, latestTomorrow(at)).at(-1)?.date
    : (summary.countedTo ?? undefined);
