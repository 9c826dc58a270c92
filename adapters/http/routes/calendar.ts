import type { Service } from '../../../application/service.js';
import { clearSpecialDay, nameSpecialDay } from '../../../application/useCases/changePlan.js';
import { smallBodyBytesMax, type Route } from '../route.js';
import { calendarYearSchema, specialDaySchema } from '../schemas/days/calendar.js';
import { planChangeRoute, yearRoute } from './byDate.js';

export const calendarRoutes = (service: Service): readonly Route[] => [
  yearRoute(service, {
    path: '/v1/calendar/list/{source_id}/{year}',
    operationId: 'listCalendar',
    summary: 'List public holidays, bridge days, days around Christmas and special days of a year',
    description: 'The days that are not ordinary, by date',
    schema: calendarYearSchema,
    read: ({ service: { models } }, sourceId, year) => models.planning.calendar(sourceId, year),
  }),
  planChangeRoute(service, {
    method: 'put',
    path: '/v1/calendar/{source_id}/{date}',
    operationId: 'nameSpecialDay',
    summary: 'Name a date a special day, which is planned like other days of that name',
    body: { kind: 'json', schema: specialDaySchema, bytesMax: smallBodyBytesMax },
    problems: ['tooManySpecialDays'],
    change: (requester, date, { name }) => nameSpecialDay(service, requester, date, name),
  }),
  planChangeRoute(service, {
    method: 'delete',
    path: '/v1/calendar/{source_id}/{date}',
    operationId: 'clearSpecialDay',
    summary: 'Remove the name of a special day',
    body: { kind: 'none' },
    change: (requester, date) => clearSpecialDay(service, requester, date),
  }),
];
