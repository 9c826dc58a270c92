import Type, { type Static } from '../../typebox.js';
import type { Service } from '../../../../application/service.js';
import type { AlertRecord } from '../../../../projections/alerts/alertRecords.js';
import type { EpisodeRecord } from '../../../../projections/alerts/episodePages.js';
import { serviceAsOf, sourceAsOf } from '../../asOfQuery.js';
import { labelOf } from '../../labels.js';
import { route, type Answers, type Call, type Route } from '../../route.js';
import { alertPageSchema } from '../../schemas/alerts/alert.js';
import { episodePageSchema } from '../../schemas/alerts/episode.js';
import {
  asOfSchema,
  dateSchema,
  noFields,
  sourceIdSchema,
  strict,
  yearSchema,
} from '../../schemas/common.js';
import { labelFilter } from '../../schemas/description.js';
import * as alertQuery from './alertQuery.js';

const limitDefault = 100;
const limitMax = 500;

const listQuery = Type.Object(
  {
    sourceId: Type.Optional(sourceIdSchema),
    label: labelFilter,
    year: Type.Optional(yearSchema),
    from: Type.Optional(dateSchema),
    to: Type.Optional(Type.String({ ...dateSchema, description: 'Exclusive.', examples: ['2026-04-01'] })),
    state: alertQuery.state,
    kind: alertQuery.kind,
    sort: alertQuery.sort,
    order: alertQuery.order,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault, examples: [limitDefault] }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'nextCursor of an answer.', examples: ['12-20260302-1'] }),
    ),
    asOf: asOfSchema,
  },
  strict,
);

type ListCall = Call<unknown, Static<typeof listQuery>, unknown>;

/** Read models of a call and the filter of its query. */
const listed = async (service: Service, call: ListCall) => {
  const { tenant } = call.actor;
  const { sourceId, label = [], limit = limitDefault, cursor } = call.query;
  const serviceThen = await (sourceId === undefined
    ? serviceAsOf(service, call, () => service.models.sources.ids(tenant))
    : sourceAsOf(service, call, sourceId));
  const filter = {
    tenant,
    sourceId,
    labels: label.map(labelOf),
    limit: limit + 1,
    ...alertQuery.filterOf(call.query),
  };
  return { alerts: serviceThen.models.alerts, filter, limit, cursor };
};

type Lists = Awaited<ReturnType<typeof listed>>;

/** A page of alerts or of their episodes. */
const listRoute = (
  service: Service,
  {
    name,
    find,
    answer,
    ...names
  }: Pick<Route, 'path' | 'operationId' | 'summary'> & {
    /** Field of the answer. */
    readonly name: 'alerts' | 'episodes';
    readonly answer: Answers[number];
    /** The records after a cursor, at most as many as the filter says. */
    readonly find: (
      alerts: Lists['alerts'],
      filter: Lists['filter'],
      cursor: string | undefined,
    ) => readonly (AlertRecord | EpisodeRecord)[];
  },
): Route =>
  route({
    method: 'get',
    ...names,
    scope: 'read',
    params: noFields,
    query: listQuery,
    body: { kind: 'none' },
    answers: { 200: answer },
    problems: ['sourceNotFound'],
    run: async call => {
      const { alerts, filter, limit, cursor } = await listed(service, call);
      const found = find(alerts, filter, cursor);
      const records = found.slice(0, limit);
      const last = records.at(-1);
      const next = found.length > limit && last ? { nextCursor: alertQuery.cursorOf(last, filter.sort) } : {};
      return { status: 200, body: { [name]: records, ...next } };
    },
  });

export const alertListRoutes = (service: Service): readonly Route[] => [
  listRoute(service, {
    path: '/v1/alert/list',
    operationId: 'listAlerts',
    summary: 'List alerts in the order of date, raising or criticity',
    name: 'alerts',
    answer: { description: 'A page of alerts', schema: alertPageSchema },
    find: (alerts, filter, cursor) =>
      alerts.page({
        ...filter,
        after: cursor === undefined ? undefined : alertQuery.after(cursor, filter.sort),
      }),
  }),
  listRoute(service, {
    path: '/v1/alert/episodes',
    operationId: 'listEpisodes',
    summary: 'List episodes: consecutive dates of a source with alerts, one of which fits the query',
    name: 'episodes',
    answer: { description: 'A page of episodes', schema: episodePageSchema },
    find: (alerts, filter, cursor) =>
      alerts.episodes({
        ...filter,
        after: cursor === undefined ? undefined : alertQuery.episodeAfter(cursor, filter.sort),
      }),
  }),
];
