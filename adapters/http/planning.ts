import Type from 'typebox';
import { alertStates } from '../../domain/alerts.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { streams } from '../../domain/events.js';
import { source, type SourceCommand } from '../../domain/source.js';
import type { Service } from '../service.js';
import {
  alertChanges,
  checkedInTime,
  demandRoom,
  noFields,
  originOf,
  ownSource,
  type AlertChanges,
} from './resources.js';
import { route, type Answer, type Call, type Route } from './route.js';
import * as schemas from './schemas.js';

const dateParams = Type.Object({ source_id: schemas.sourceId, date: schemas.date }, schemas.strict);
const replanned = Type.Object(
  { ...schemas.planned.properties, alerts: schemas.alertChanges },
  schemas.strict,
);
const replannedAnswers = {
  200: { description: 'The plan of the date, its day checked again', schema: replanned },
  202: { description: 'The plan of the date; its check takes longer', schema: replanned },
};

export const planningRoutes = (service: Service): readonly Route[] => {
  /** Runs a command on one date's plan and waits until its day is checked again. */
  const replan = async (
    call: Call<unknown, unknown, unknown>,
    sourceId: number,
    date: string,
    commandOf: (requestId: string) => SourceCommand,
  ): Promise<Answer> => {
    demandRoom(service);
    const begun = await call.begin();
    const origin = originOf(service, call, begun);
    const { events } = await service.handle(source, streams.source(sourceId), commandOf(begun.id), origin);
    await service.settled();
    const causeId = events[0]?.id;
    const done = causeId === undefined || (await checkedInTime(service, causeId));
    const alerts =
      causeId === undefined ? standing(service, call, sourceId, date) : alertChanges(service, causeId);
    return {
      status: done ? 200 : 202,
      headers: done ? {} : { Location: `/v1/source/${sourceId}` },
      body: { ...service.models.planning.day(sourceId, date), alerts },
    };
  };

  return [
    route({
      method: 'get',
      path: '/v1/planning/list/{source_id}/{year}',
      operationId: 'listPlanning',
      summary: 'For every date of a year, the model that it should follow, and why',
      scope: 'read',
      params: Type.Object({ source_id: schemas.sourceId, year: schemas.year }, schemas.strict),
      query: noFields,
      body: { kind: 'none' },
      answers: { 200: { description: 'The planning', schema: schemas.planningYear } },
      run: async ({ actor, params: { source_id: sourceId, year } }) => {
        ownSource(service, actor, sourceId);
        return { status: 200, body: { sourceId, year, days: service.models.planning.year(sourceId, year) } };
      },
    }),
    route({
      method: 'put',
      path: '/v1/planning/{source_id}/{date}',
      operationId: 'planDay',
      summary: 'Overrides the plan of one date; its recent day is checked again',
      scope: 'planning',
      params: dateParams,
      query: noFields,
      body: {
        kind: 'json',
        schema: Type.Object({ modelId: Type.Integer({ minimum: 1 }) }, schemas.strict),
        bytesMax: 65_536,
      },
      answers: replannedAnswers,
      run: async call => {
        const { id } = ownSource(service, call.actor, call.params.source_id);
        const { date } = call.params;
        const { modelId } = call.body;
        return replan(call, id, date, requestId => ({ type: 'PlanDay', requestId, date, modelId }));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/planning/{source_id}/{date}',
      operationId: 'clearDayPlan',
      summary: 'Takes an override back; the recent day is checked again',
      scope: 'planning',
      params: dateParams,
      query: noFields,
      body: { kind: 'none' },
      answers: replannedAnswers,
      run: async call => {
        const { id } = ownSource(service, call.actor, call.params.source_id);
        const { date } = call.params;
        return replan(call, id, date, requestId => ({ type: 'ClearDayPlan', requestId, date }));
      },
    }),
  ];
};

/** The alerts of a date whose plan was left as it was. */
const standing = (
  { models }: Service,
  { actor }: Call<unknown, unknown, unknown>,
  sourceId: number,
  date: string,
): AlertChanges => {
  const unchanged = models.alerts.page({
    tenant: actor.tenant,
    sourceId,
    from: date,
    to: dateOf(dayNumber(date) + 1),
    states: alertStates.filter(state => state !== 'invalidated'),
    after: undefined,
    limit: 100,
  });
  return {
    raised: [],
    invalidated: [],
    unchanged,
    counts: { raised: 0, invalidated: 0, unchanged: unchanged.length },
  };
};
