import type { Database } from 'better-sqlite3';
import {
  dayTypes,
  type Calendar,
  type NamedDay,
  type PlanningCalendar,
} from '../../domain/planning/calendar.js';
import { datesOfYear, dayNumber } from '../../domain/dates.js';
import { parsed } from '../readModel.js';

/** A calendar without its dates, as clients see it. */
export type ShownCalendar = Omit<Calendar, 'holidays'>;

/** Removes the dates of a calendar. */
export const shownCalendar = ({ code, origin, evidence, library }: Calendar): ShownCalendar => ({
  code,
  origin,
  evidence,
  library,
});

/** A date of a calendar that is not ordinary. */
export type CalendarDay = {
  readonly date: string;
  readonly type: 'holiday' | 'bridge' | 'christmas' | 'special';
  readonly name: string | null;
};

/** Queries on calendars and special days. */
export const calendarQueries = (db: Database) => {
  const calendar = db
    .prepare<[number], string>('select calendar from planning_calendars where source_id = ?')
    .pluck();
  const specialDays = db.prepare<[number], NamedDay>(
    'select date, name from special_days where source_id = ? order by date',
  );
  const calendarOf = (sourceId: number): Calendar | null => {
    const text = calendar.get(sourceId);
    return text === undefined ? null : parsed<Calendar>(text);
  };
  return {
    calendarOf,
    /** Special days of a source, by date. */
    specialDays: (sourceId: number): NamedDay[] => specialDays.all(sourceId),
    planningCalendar: (sourceId: number): PlanningCalendar => ({
      holidays: calendarOf(sourceId)?.holidays ?? null,
      specials: specialDays.all(sourceId),
    }),
  };
};

/** Dates of a year that are not ordinary. */
export const markedDates = (year: number, { holidays, specials }: PlanningCalendar): CalendarDay[] => {
  const typeOf = dayTypes(holidays, specials);
  return datesOfYear(year).flatMap((date): CalendarDay[] => {
    const day = typeOf(dayNumber(date));
    return day.type === 'ordinary' ? [] : [{ date, type: day.type, name: 'name' in day ? day.name : null }];
  });
};
