import { changedSource, ownSource } from '../../../application/access/access.js';
import type { Service } from '../../../application/service.js';
import { takeDayBack } from '../../../application/useCases/takeDayBack.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { sourceAsOf } from '../asOfQuery.js';
import { route, type Route } from '../route.js';
import { asOfQuery, dateParams } from '../schemas/common.js';
import { dayYearSchema, takeBackQuery, takenBackAnswers } from '../schemas/days/day.js';
import { dayDetailsSchema } from '../schemas/days/dayDetails.js';
import { alertChanges, unchangedAlerts } from '../answers/alertChanges.js';
import { checkedAnswer } from '../answers/checkedAnswer.js';
import { dayAnswer, dayYear } from '../answers/dayAnswer.js';
import { yearRoute } from './byDate.js';

const takeBack = (service: Service): Route =>
  route({
    method: 'delete',
    path: '/v1/day/{source_id}/{date}',
    operationId: 'takeDayBack',
    summary: 'Take back the recent day of a date; the reference day of the date, if any, shows again',
    scope: 'import',
    params: dateParams,
    query: takeBackQuery,
    body: { kind: 'none' },
    answers: takenBackAnswers,
    problems: ['dayNotFound'],
    run: async call => {
      const { actor, params, query } = call;
      const { id: sourceId } = changedSource(service.models, call, params.source_id);
      const place = { sourceId, date: params.date };
      const { causeId, checked } = await takeDayBack(service, call, place, query.reason ?? null);
      const alerts =
        causeId === undefined ? unchangedAlerts(service, actor, place) : alertChanges(service, causeId);
      const [day = null] = service.models.days.between(sourceId, 'reference', place.date, after(place.date));
      return checkedAnswer(checked, `/v1/source/${sourceId}`, { ...place, day, alerts });
    },
  });

const after = (date: string): string => dateOf(dayNumber(date) + 1);

export const dayRoutes = (service: Service): readonly Route[] => [
  takeBack(service),
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
