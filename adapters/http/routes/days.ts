import { ownSource } from '../../../application/access/access.js';
import type { Service } from '../../../application/service.js';
import { sourceAsOf } from '../asOfQuery.js';
import { route, type Route } from '../route.js';
import { asOfQuery, dateParams } from '../schemas/common.js';
import { dayYearSchema } from '../schemas/days/day.js';
import { dayDetailsSchema } from '../schemas/days/dayDetails.js';
import { dayAnswer, dayYear } from '../answers/dayAnswer.js';
import { yearRoute } from './byDate.js';

export const dayRoutes = (service: Service): readonly Route[] => [
  yearRoute(service, {
    path: '/v1/day/list/{source_id}/{year}',
    operationId: 'listDays',
    summary: 'List the days of a year; a recent day replaces the reference day of its date',
    description: 'The days, by date',
    schema: dayYearSchema,
    read: dayYear,
  }),
  route({
    method: 'get',
    path: '/v1/day/{source_id}/{date}',
    operationId: 'getDay',
    summary: 'Get one date with all data of its chart',
    scope: 'read',
    params: dateParams,
    query: asOfQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'The date', schema: dayDetailsSchema } },
    run: async call => {
      const { source_id: sourceId, date } = call.params;
      const serviceThen = await sourceAsOf(service, call, sourceId);
      return {
        status: 200,
        body: dayAnswer(serviceThen, ownSource(serviceThen.models, call.actor, sourceId), date),
      };
    },
  }),
];
