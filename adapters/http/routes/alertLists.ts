import Type, { type Static } from 'typebox';
import { ownSource } from '../../../application/access.js';
import type { Service } from '../../../application/service.js';
import { serviceAsOf, sourceAsOf } from '../asOfQuery.js';
import * as alertQuery from '../alertQuery.js';
import { route, type Call, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const limitDefault = 100;
const limitMax = 500;

const listQuery = Type.Object(
  {
    sourceId: Type.Optional(schemas.sourceId),
    year: Type.Optional(schemas.year),
    from: Type.Optional(schemas.date),
    to: Type.Optional(schemas.date),
    state: alertQuery.state,
    kind: alertQuery.kind,
    sort: alertQuery.sort,
    order: alertQuery.order,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    asOf: schemas.asOf,
  },
  schemas.strict,
);

type ListCall = Call<unknown, Static<typeof listQuery>, unknown>;

/** Read models of a call, and the filter that it asks for. */
const listed = async (service: Service, call: ListCall) => {
  const { actor, query } = call;
  const { sourceId, limit = limitDefault, cursor } = query;
  const then = await (sourceId === undefined
    ? serviceAsOf(service, call, service.models.sources.ids(actor.tenant))
    : sourceAsOf(service, call, sourceId));
  if (sourceId !== undefined) ownSource(then.models, actor, sourceId);
  const filter = { ...alertQuery.filterOf(query), tenant: actor.tenant, sourceId, limit: limit + 1 };
  return { alerts: then.models.alerts, filter, limit, cursor };
};

/** The first `limit` records of a page, and the cursor of the next one when there are more. */
const pageOf = <Record>(
  page: readonly Record[],
  limit: number,
  cursorOf: (last: Record) => string,
): { readonly records: readonly Record[]; readonly next: { readonly nextCursor?: string } } => {
  const records = page.slice(0, limit);
  const last = records.at(-1);
  return { records, next: page.length > limit && last ? { nextCursor: cursorOf(last) } : {} };
};

export const alertListRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/alert/list',
    operationId: 'listAlerts',
    summary:
      'Alerts in order of date, raising or criticity; dates from "from" (inclusive) to "to" (exclusive)',
    scope: 'read',
    params: schemas.noFields,
    query: listQuery,
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
      const { alerts, filter, limit, cursor } = await listed(service, call);
      const after = cursor === undefined ? undefined : alertQuery.after(cursor, filter.sort);
      const { records, next } = pageOf(alerts.page({ ...filter, after }), limit, last =>
        alertQuery.cursorOf(last, filter.sort),
      );
      return { status: 200, body: { alerts: records, ...next } };
    },
  }),
  route({
    method: 'get',
    path: '/v1/alert/episodes',
    operationId: 'listEpisodes',
    summary: 'Runs of consecutive dates with alerts of one source; those with an alert that fits',
    scope: 'read',
    params: schemas.noFields,
    query: listQuery,
    body: { kind: 'none' },
    answers: {
      200: {
        description: 'A page of episodes',
        schema: Type.Object({
          episodes: Type.Array(schemas.episode),
          nextCursor: Type.Optional(Type.String()),
        }),
      },
    },
    run: async call => {
      const { alerts, filter, limit, cursor } = await listed(service, call);
      const after = cursor === undefined ? undefined : alertQuery.episodeAfter(cursor, filter.sort);
      const { records, next } = pageOf(alerts.episodes({ ...filter, after }), limit, last =>
        alertQuery.cursorOf(last, filter.sort),
      );
      return { status: 200, body: { episodes: records, ...next } };
    },
  }),
];
