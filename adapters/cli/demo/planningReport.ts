import { dateOf, dayNumber, month, monthNames, weekday } from '../../../domain/dates.js';
import type { Alert, Model, PlannedDay, RecentDay } from './client.js';
import { dayName, keysOf, margin, titled, type Style } from './report.js';
import { calendar, plain, wrap } from '../terminal/text.js';

/** Weeks in the calendar, and reasons in words under it, at most. */
const weeksShown = 4;
const reasonsShown = 3;

/** The Monday (day number) of the four weeks among the recent ones in which most models are planned. */
const liveliestMonday = (byDate: ReadonlyMap<string, PlannedDay>, first: string, last: string): number => {
  const mondayOf = (date: string) => dayNumber(date) - weekday(dayNumber(date));
  const kinds = (monday: number) => {
    const planned = Array.from(
      { length: 7 * weeksShown },
      (_, day) => byDate.get(dateOf(monday + day))?.modelId,
    );
    return new Set(planned.filter(id => id !== undefined && id !== null)).size;
  };
  let best = mondayOf(first);
  for (let monday = best; monday + 7 * (weeksShown - 1) <= mondayOf(last); monday += 7)
    if (kinds(monday) > kinds(best)) best = monday;
  return best;
};

/** Four weeks of the planning as a calendar, days with an alert marked, and some of its reasons in words. */
export const planningReport = (
  planned: readonly PlannedDay[],
  models: readonly Model[],
  recent: readonly RecentDay[],
  alerts: readonly Alert[],
  style: Style,
): string[] => {
  const { paint, width } = style;
  const first = recent[0]?.date;
  const last = recent.at(-1)?.date;
  if (first === undefined || last === undefined) return [];
  const byDate = new Map(planned.map(day => [day.date, day]));
  const keyOf = keysOf(models);
  const colors = new Map(models.map(({ id, color }) => [id, color]));
  const alerted = new Set(alerts.map(({ date }) => date));
  const monday = liveliestMonday(byDate, first, last);

  const weeks = Array.from({ length: weeksShown }, (_, week) => {
    const begins = monday + 7 * week;
    return {
      label: `${margin}${String(Number(dateOf(begins).slice(8))).padStart(2)} ${monthNames[month(begins)]}`,
      days: Array.from({ length: 7 }, (_, day) => {
        const date = dateOf(begins + day);
        const modelId = byDate.get(date)?.modelId;
        if (modelId === undefined) return undefined;
        const color = modelId === null ? undefined : colors.get(modelId);
        return {
          text: keyOf(modelId),
          mark: alerted.has(date) ? '!' : '',
          ...(color === undefined ? {} : { color }),
        };
      }),
    };
  });
  const days = Array.from({ length: 7 * weeksShown }, (_, day) => byDate.get(dateOf(monday + day))).filter(
    day => day !== undefined,
  );
  // The reasons of the models planned most, each at its first date here.
  const often = (modelId: number | null) => days.filter(day => day.modelId === modelId).length;
  const firsts = days
    .filter((day, index) => days.findIndex(({ modelId }) => modelId === day.modelId) === index)
    .sort((a, b) => often(b.modelId) - often(a.modelId))
    .slice(0, reasonsShown)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  const reasons = firsts.flatMap(({ date, modelId, reason }) => {
    const head = `${dayName(date)}  ${keyOf(modelId)}  `;
    return wrap(plain(reason), width - margin.length - head.length).map(
      (line, index) => `${margin}${index === 0 ? head : ' '.repeat(head.length)}${line}`,
    );
  });
  return [
    ...titled(
      `Planning: ${weeksShown} weeks from ${dateOf(monday)}`,
      'Which model each day is to follow; ! marks a day with an alert. Any date can be overridden.',
      style,
    ),
    ...calendar(weeks, paint),
    '',
    ...reasons,
  ];
};
