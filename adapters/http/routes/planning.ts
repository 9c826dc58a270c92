import type { Service } from '../../../application/service.js';
import { clearDayPlan, planDay } from '../../../application/useCases/changePlan.js';
import { smallBodyBytesMax, type Route } from '../route.js';
import { overrideSchema, planningYearSchema } from '../schemas/days/planning.js';
import { plannedYear } from '../answers/planAnswer.js';
import { planChangeRoute, yearRoute } from './byDate.js';

export const planningRoutes = (service: Service): readonly Route[] => [
  yearRoute(service, {
    path: '/v1/planning/list/{source_id}/{year}',
    operationId: 'listPlanning',
    summary: 'List the planned model of each date of a year',
    description: 'The planning, with the reason for each date',
    schema: planningYearSchema,
    read: plannedYear,
  }),
  planChangeRoute(service, {
    method: 'put',
    path: '/v1/planning/{source_id}/{date}',
    operationId: 'planDay',
    summary: 'Override the planned model of a date',
    body: { kind: 'json', schema: overrideSchema, bytesMax: smallBodyBytesMax },
    problems: ['modelNotFound'],
    change: (requester, date, { modelId }) => planDay(service, requester, date, modelId),
  }),
  planChangeRoute(service, {
    method: 'delete',
    path: '/v1/planning/{source_id}/{date}',
    operationId: 'clearDayPlan',
    summary: 'Remove the override of a date',
    body: { kind: 'none' },
    change: (requester, date) => clearDayPlan(service, requester, date),
  }),
];
