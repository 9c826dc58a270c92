import Type from 'typebox';
import type { Service } from '../../../application/service.js';
import { knowingSourceThen, noFields, ownSource, replanned } from '../resources.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

export const calendarRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/calendar/list/{source_id}/{year}',
    operationId: 'listCalendar',
    summary: 'Public holidays, bridges, days round Christmas and special days of a year',
    scope: 'read',
    params: schemas.yearParams,
    query: schemas.knownAt,
    body: { kind: 'none' },
    answers: {
      200: { description: 'The days that are not ordinary, by date', schema: schemas.calendarYear },
    },
    run: async call => {
      const {
        actor,
        params: { source_id: sourceId, year },
      } = call;
      const then = await knowingSourceThen(service, call, sourceId);
      ownSource(then, actor, sourceId);
      return { status: 200, body: then.models.planning.calendar(sourceId, year) };
    },
  }),
  route({
    method: 'put',
    path: '/v1/calendar/{source_id}/{date}',
    operationId: 'nameSpecialDay',
    summary: 'Makes a date a special day: planned like others of its name; its recent day is checked again',
    scope: 'planning',
    params: schemas.dateParams,
    query: noFields,
    body: {
      kind: 'json',
      schema: Type.Object({ name: schemas.specialName }, schemas.strict),
      bytesMax: 65_536,
    },
    answers: schemas.replannedAnswers,
    run: async call => {
      const { id } = ownSource(service, call.actor, call.params.source_id);
      const { date } = call.params;
      const { name } = call.body;
      return replanned(service, call, id, date, requestId => ({
        type: 'NameSpecialDay',
        requestId,
        date,
        name,
      }));
    },
  }),
  route({
    method: 'delete',
    path: '/v1/calendar/{source_id}/{date}',
    operationId: 'clearSpecialDay',
    summary: 'Makes a special day one like others again; its recent day is checked again',
    scope: 'planning',
    params: schemas.dateParams,
    query: noFields,
    body: { kind: 'none' },
    answers: schemas.replannedAnswers,
    run: async call => {
      const { id } = ownSource(service, call.actor, call.params.source_id);
      const { date } = call.params;
      return replanned(service, call, id, date, requestId => ({ type: 'ClearSpecialDay', requestId, date }));
    },
  }),
];
