import Type from 'typebox';
import { firstDateOf } from '../../../domain/dates.js';
import type { Service } from '../../../application/service.js';
import { ownSource } from '../../../application/access.js';
import { sourceAsOf } from '../asOfQuery.js';
import { dayAnswer } from '../views.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

export const dayRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/day/list/{source_id}/{year}',
    operationId: 'listDays',
    summary: 'The days of a year as they stand; a recent day goes before a reference day of its date',
    scope: 'read',
    params: schemas.yearParams,
    query: schemas.knownAt,
    body: { kind: 'none' },
    answers: {
      200: {
        description: 'The days, in order',
        schema: Type.Object({
          sourceId: schemas.sourceId,
          year: schemas.year,
          days: Type.Array(schemas.storedDay),
        }),
      },
    },
    run: async call => {
      const {
        actor,
        params: { source_id: sourceId, year },
      } = call;
      const then = await sourceAsOf(service, call, sourceId);
      ownSource(then.models, actor, sourceId);
      const { days, planning } = then.models;
      const from = firstDateOf(year);
      const to = firstDateOf(year + 1);
      const assigned = planning.assignments(sourceId);
      const byDate = new Map(
        [...days.between(sourceId, 'reference', from, to), ...days.between(sourceId, 'recent', from, to)].map(
          day => [day.date, day],
        ),
      );
      const list = [...byDate.values()]
        .sort((a, b) => (a.date < b.date ? -1 : 1))
        .map(day => ({
          ...day,
          modelId:
            day.kind === 'reference'
              ? (assigned.get(day.date) ?? null)
              : planning.day(sourceId, day.date).modelId,
        }));
      return { status: 200, body: { sourceId, year, days: list } };
    },
  }),
  route({
    method: 'get',
    path: '/v1/day/{source_id}/{date}',
    operationId: 'getDay',
    summary: 'One date with everything that a chart of it needs',
    scope: 'read',
    params: schemas.dateParams,
    query: schemas.knownAt,
    body: { kind: 'none' },
    answers: { 200: { description: 'The date', schema: schemas.dayDetails } },
    run: async call => {
      const {
        actor,
        params: { source_id: sourceId, date },
      } = call;
      const then = await sourceAsOf(service, call, sourceId);
      return { status: 200, body: dayAnswer(then, ownSource(then.models, actor, sourceId), date) };
    },
  }),
];
