import { dateOf, dayNumber, month, monthNames, weekday } from '../../../domain/dates.js';
import { calendar, type CalendarCell, type CalendarWeek } from '../terminal/calendar.js';
import { dayName, modelKeys } from '../terminal/labels.js';
import { plain, wrap } from '../terminal/text.js';
import type { Alert, Model, PlannedDay, RecentDay } from './answers.js';
import { margin, sectionHead, type Style } from './section.js';

const daysPerWeek = 7;
/** Weeks in the calendar. */
const weeksShown = 4;
/** Dates whose planning is explained in words. */
const reasonsShown = 3;

type PlanningByDate = ReadonlyMap<string, PlannedDay>;

const weekOffsets = (weeks: number): number[] =>
  Array.from({ length: daysPerWeek * weeks }, (_, offset) => offset);

/** The Monday (day number) of the four weeks with the most different models. */
const mostVariedMonday = (byDate: PlanningByDate, first: string, last: string): number => {
  const mondayOf = (date: string) => dayNumber(date) - weekday(dayNumber(date));
  const modelCount = (monday: number) => {
    const ids = weekOffsets(weeksShown).map(offset => byDate.get(dateOf(monday + offset))?.modelId);
    return new Set(ids.filter(id => id !== undefined && id !== null)).size;
  };
  let best = mondayOf(first);
  for (let monday = best; monday + daysPerWeek * (weeksShown - 1) <= mondayOf(last); monday += daysPerWeek)
    if (modelCount(monday) > modelCount(best)) best = monday;
  return best;
};

/** First dates of the models that are planned most often, in order of date. */
const explainedDays = (days: readonly PlannedDay[]): PlannedDay[] => {
  const frequency = (modelId: number | null) => days.filter(day => day.modelId === modelId).length;
  return days
    .filter((day, index) => days.findIndex(({ modelId }) => modelId === day.modelId) === index)
    .sort((a, b) => frequency(b.modelId) - frequency(a.modelId))
    .slice(0, reasonsShown)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
};

/** Data of the planning section. */
export type PlanningFound = {
  readonly planned: readonly PlannedDay[];
  readonly models: readonly Model[];
  readonly recent: readonly RecentDay[];
  readonly alerts: readonly Alert[];
};

/** Four weeks of the planning as a calendar, and some of its reasons in words. Empty without recent days. */
export const planningReport = (
  { planned, models, recent, alerts }: PlanningFound,
  style: Style,
): string[] => {
  const first = recent[0]?.date;
  const last = recent.at(-1)?.date;
  if (first === undefined || last === undefined) return [];
  const byDate = new Map(planned.map(day => [day.date, day]));
  const keyOf = modelKeys(models);
  const colors = new Map(models.map(({ id, color }) => [id, color]));
  const alertDates = new Set(alerts.map(({ date }) => date));
  const monday = mostVariedMonday(byDate, first, last);

  const calendarDay = (date: string): CalendarCell | undefined => {
    const modelId = byDate.get(date)?.modelId;
    if (modelId === undefined) return undefined;
    const color = modelId === null ? undefined : colors.get(modelId);
    return {
      text: keyOf(modelId),
      mark: alertDates.has(date) ? '!' : '',
      ...(color === undefined ? {} : { color }),
    };
  };
  const weeks = Array.from({ length: weeksShown }, (_, week): CalendarWeek => {
    const start = monday + daysPerWeek * week;
    return {
      label: `${margin}${String(Number(dateOf(start).slice(8))).padStart(2)} ${monthNames[month(start)]}`,
      days: weekOffsets(1).map(offset => calendarDay(dateOf(start + offset))),
    };
  });
  const days = weekOffsets(weeksShown).flatMap(offset => byDate.get(dateOf(monday + offset)) ?? []);
  const reasons = explainedDays(days).flatMap(({ date, modelId, reason }) => {
    const head = `${dayName(date)}  ${keyOf(modelId)}  `;
    return wrap(plain(reason), style.width - margin.length - head.length).map(
      (line, index) => `${margin}${index === 0 ? head : ' '.repeat(head.length)}${line}`,
    );
  });
  return [
    ...sectionHead(
      `Planning: ${weeksShown} weeks from ${dateOf(monday)}`,
      'The model predicted for each day; ! marks a day with an alert. Users can override any date.',
      style,
    ),
    ...calendar(weeks, style.paint, style.width),
    '',
    ...reasons,
  ];
};
