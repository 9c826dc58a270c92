import Type from 'typebox';
import { alertStates, parseAlertId, verdicts, type AlertState } from '../../../domain/alerts.js';
import { firstDateOf } from '../../../domain/dates.js';
import { InvalidInput } from '../../../application/imports/faults.js';
import type { Service } from '../../../application/service.js';
import { ownAlert, ownSource } from '../../../application/access.js';
import { acknowledgeAlert, reopenAlert, resolveAlert } from '../../../application/useCases/changeAlert.js';
import { alertAsOf, serviceAsOf, sourceAsOf } from '../asOfQuery.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const alertParams = Type.Object({ id: schemas.alertId }, schemas.strict);
const alertAnswers = { 200: { description: 'The alert', schema: schemas.alert } };
const limitDefault = 100;
const limitMax = 500;
const commentLengthMax = 2000;

const transitions = [
  {
    verb: 'acknowledge',
    summary: 'A person has seen the alert: open → acknowledged',
    useCase: acknowledgeAlert,
  },
  {
    verb: 'reopen',
    summary: 'A person takes the resolution back: resolved → open',
    useCase: reopenAlert,
  },
];

export const alertRoutes = (service: Service): readonly Route[] => {
  return [
    route({
      method: 'get',
      path: '/v1/alert/list',
      operationId: 'listAlerts',
      summary: 'Alerts by date; dates from "from" (inclusive) to "to" (exclusive)',
      scope: 'read',
      params: schemas.noFields,
      query: Type.Object(
        {
          sourceId: Type.Optional(schemas.sourceId),
          year: Type.Optional(schemas.year),
          from: Type.Optional(schemas.date),
          to: Type.Optional(schemas.date),
          state: Type.Optional(
            Type.String({
              maxLength: 100,
              description: `one or more of ${alertStates.join(', ')}, or unprocessed (open or acknowledged), between commas`,
            }),
          ),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault })),
          cursor: Type.Optional(Type.String({ maxLength: 200 })),
          asOf: schemas.asOf,
        },
        schemas.strict,
      ),
      body: { kind: 'none' },
      answers: {
        200: {
          description: 'A page of alerts',
          schema: Type.Object({
            alerts: Type.Array(schemas.alert),
            nextCursor: Type.Optional(Type.String()),
          }),
        },
      },
      run: async call => {
        const { actor, query } = call;
        const { sourceId, year, state, limit = limitDefault, cursor } = query;
        const then = await (sourceId === undefined
          ? serviceAsOf(service, call, service.models.sources.ids(actor.tenant))
          : sourceAsOf(service, call, sourceId));
        if (sourceId !== undefined) ownSource(then.models, actor, sourceId);
        const later = [query.from, year === undefined ? undefined : firstDateOf(year)].filter(isText).sort();
        const sooner = [query.to, year === undefined ? undefined : firstDateOf(year + 1)]
          .filter(isText)
          .sort();
        const page = then.models.alerts.page({
          tenant: actor.tenant,
          sourceId,
          from: later.at(-1),
          to: sooner[0],
          states: state === undefined ? alertStates : statesOf(state),
          after: cursor === undefined ? undefined : cursorOf(cursor),
          limit: limit + 1,
        });
        const list = page.slice(0, limit);
        const last = list.at(-1);
        return {
          status: 200,
          body: { alerts: list, ...(page.length > limit && last ? { nextCursor: last.id } : {}) },
        };
      },
    }),
    route({
      method: 'get',
      path: '/v1/alert/{id}',
      operationId: 'getAlert',
      summary: 'One alert',
      scope: 'read',
      params: alertParams,
      query: schemas.knownAt,
      body: { kind: 'none' },
      answers: alertAnswers,
      run: async call => {
        const {
          actor,
          params: { id },
        } = call;
        const then = await alertAsOf(service, call, id);
        return { status: 200, body: ownAlert(then.models, actor, id) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/alert/{id}/history',
      operationId: 'getAlertHistory',
      summary: 'The life of an alert, oldest first: what, when, who, why',
      scope: 'read',
      params: alertParams,
      query: schemas.knownAt,
      body: { kind: 'none' },
      answers: {
        200: {
          description: 'Its events',
          schema: Type.Object({ events: Type.Array(schemas.alertStep) }),
        },
      },
      run: async call => {
        const { actor, params } = call;
        const then = await alertAsOf(service, call, params.id);
        const { id } = ownAlert(then.models, actor, params.id);
        return { status: 200, body: { events: then.models.alerts.history(id) } };
      },
    }),
    ...transitions.map(({ verb, summary, useCase }) =>
      route({
        method: 'post',
        path: `/v1/alert/{id}/${verb}`,
        operationId: `${verb}Alert`,
        summary,
        scope: 'alert',
        params: alertParams,
        query: schemas.noFields,
        body: { kind: 'none' },
        answers: alertAnswers,
        run: async call => ({ status: 200, body: await useCase(service, call, call.params.id) }),
      }),
    ),
    route({
      method: 'post',
      path: '/v1/alert/{id}/resolve',
      operationId: 'resolveAlert',
      summary: 'A person has judged the alert: open or acknowledged → resolved',
      scope: 'alert',
      params: alertParams,
      query: schemas.noFields,
      body: {
        kind: 'json',
        schema: Type.Object(
          {
            verdict: Type.Enum([...verdicts]),
            comment: Type.Optional(schemas.nullable(Type.String({ maxLength: commentLengthMax }))),
          },
          schemas.strict,
        ),
        bytesMax: 65_536,
      },
      answers: alertAnswers,
      run: async call => {
        const { verdict, comment = null } = call.body;
        return { status: 200, body: await resolveAlert(service, call, call.params.id, { verdict, comment }) };
      },
    }),
  ];
};

const isText = (value: string | undefined): value is string => value !== undefined;

const statesOf = (text: string): readonly AlertState[] =>
  text.split(',').flatMap(name => {
    if (name === 'unprocessed') return ['open', 'acknowledged'] as const;
    const state = alertStates.find(known => known === name);
    if (state) return [state];
    throw new InvalidInput('parametersInvalid', 'the query is not valid', [
      {
        code: 'enum',
        pointer: '/query/state',
        value: name,
        detail: `expected ${alertStates.join(', ')} or unprocessed`,
      },
    ]);
  });

/** A cursor is the id of the last alert of the page before, which tells its date. */
const cursorOf = (id: string): { readonly date: string; readonly id: string } => {
  const date = parseAlertId(id)?.date;
  if (date !== undefined) return { date, id };
  throw new InvalidInput('parametersInvalid', 'the query is not valid', [
    { code: 'cursor', pointer: '/query/cursor', detail: 'expected the nextCursor of an answer' },
  ]);
};
