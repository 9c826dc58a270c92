import Type from 'typebox';
import type { Service } from '../../../application/service.js';
import { ownSource } from '../../../application/access.js';
import { clearSpecialDay, nameSpecialDay } from '../../../application/useCases/changePlan.js';
import { sourceAsOf } from '../asOfQuery.js';
import { planAnswer } from '../views.js';
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
      const then = await sourceAsOf(service, call, sourceId);
      ownSource(then.models, actor, sourceId);
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
    query: schemas.noFields,
    body: {
      kind: 'json',
      schema: Type.Object({ name: schemas.specialName }, schemas.strict),
      bytesMax: 65_536,
    },
    answers: schemas.replannedAnswers,
    run: async call => {
      const { id: sourceId } = ownSource(service.models, call.actor, call.params.source_id);
      const place = { sourceId, date: call.params.date };
      return planAnswer(
        service,
        call.actor,
        place,
        await nameSpecialDay(service, call, place, call.body.name),
      );
    },
  }),
  route({
    method: 'delete',
    path: '/v1/calendar/{source_id}/{date}',
    operationId: 'clearSpecialDay',
    summary: 'Makes a special day one like others again; its recent day is checked again',
    scope: 'planning',
    params: schemas.dateParams,
    query: schemas.noFields,
    body: { kind: 'none' },
    answers: schemas.replannedAnswers,
    run: async call => {
      const { id: sourceId } = ownSource(service.models, call.actor, call.params.source_id);
      const place = { sourceId, date: call.params.date };
      return planAnswer(service, call.actor, place, await clearSpecialDay(service, call, place));
    },
  }),
];
