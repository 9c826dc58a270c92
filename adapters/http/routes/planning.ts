import Type from 'typebox';
import type { Service } from '../../../application/service.js';
import { ownSource } from '../../../application/access.js';
import { clearDayPlan, planDay } from '../../../application/useCases/changePlan.js';
import { sourceAsOf } from '../asOfQuery.js';
import { planAnswer, planningYear } from '../views.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

export const planningRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/planning/list/{source_id}/{year}',
    operationId: 'listPlanning',
    summary: 'For every date of a year, the model that it should follow, and why',
    scope: 'read',
    params: schemas.yearParams,
    query: schemas.knownAt,
    body: { kind: 'none' },
    answers: { 200: { description: 'The planning', schema: schemas.planningYear } },
    run: async call => {
      const {
        actor,
        params: { source_id: sourceId, year },
      } = call;
      const then = await sourceAsOf(service, call, sourceId);
      ownSource(then.models, actor, sourceId);
      return { status: 200, body: planningYear(then, sourceId, year) };
    },
  }),
  route({
    method: 'put',
    path: '/v1/planning/{source_id}/{date}',
    operationId: 'planDay',
    summary: 'Overrides the plan of one date; its recent day is checked again',
    scope: 'planning',
    params: schemas.dateParams,
    query: schemas.noFields,
    body: {
      kind: 'json',
      schema: Type.Object(
        { modelId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
        schemas.strict,
      ),
      bytesMax: 65_536,
    },
    answers: schemas.replannedAnswers,
    run: async call => {
      const { id: sourceId } = ownSource(service.models, call.actor, call.params.source_id);
      const place = { sourceId, date: call.params.date };
      return planAnswer(service, call.actor, place, await planDay(service, call, place, call.body.modelId));
    },
  }),
  route({
    method: 'delete',
    path: '/v1/planning/{source_id}/{date}',
    operationId: 'clearDayPlan',
    summary: 'Takes an override back; the recent day is checked again',
    scope: 'planning',
    params: schemas.dateParams,
    query: schemas.noFields,
    body: { kind: 'none' },
    answers: schemas.replannedAnswers,
    run: async call => {
      const { id: sourceId } = ownSource(service.models, call.actor, call.params.source_id);
      const place = { sourceId, date: call.params.date };
      return planAnswer(service, call.actor, place, await clearDayPlan(service, call, place));
    },
  }),
];
