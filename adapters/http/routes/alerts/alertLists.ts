import Type, { type Static } from '../../typebox.js';
import { ownSource, ownSourceOrArchived } from '../../../../application/requests/access.js';
import type { Service } from '../../../../application/requests/service.js';
import { inTurns } from '../../../../application/ports/sharing/eventLoopYielder.js';
import type { AlertFilter, AlertRecord } from '../../../../projections/alerts/alertPages.js';
import {
  compareEpisodes,
  type EpisodeKey,
  type EpisodeRecord,
  episodeIdsMax,
  episodeStates,
} from '../../../../projections/alerts/episodePages.js';
import { episodeId, parseEpisodeId } from '../../../../projections/alerts/episodes.js';
import { wholeAnswer, type LargeParts } from '../../answers/largeAnswer.js';
import { walkedPage, type WalkedList } from '../../answers/walkedPage.js';
import { serviceAsOf, sourceAsOf } from '../../asOfQuery.js';
import { labelOf, labelFilter } from '../../schemas/description.js';
import { route, type Answer, type Answers, type Call, type Route } from '../../route.js';
import { alertPageSchema, alertSchema } from '../../schemas/alert.js';
import {
  asOfSchema,
  dateSchema,
  noFields,
  sourceIdSchema,
  strict,
  yearSchema,
  instantSchema,
} from '../../schemas/common.js';
import * as alertQuery from './alertQuery.js';
import { alertKinds } from '../../../../domain/alerts/findings.js';

const episodeSchema = Type.Object(
  {
    id: Type.String({
      description: '{sourceId}-{yyyymmdd of the first date}; an earlier date changes it.',
      examples: ['12-20260302'],
    }),
    sourceId: sourceIdSchema,
    firstDate: dateSchema,
    lastDate: Type.String({ ...dateSchema, description: 'Inclusive.', examples: ['2026-03-03'] }),
    days: Type.Integer({ minimum: 1, examples: [2] }),
    state: Type.Enum([...episodeStates], {
      description: 'The first of these states that one of its alerts has.',
    }),
    counts: Type.Object(
      {
        open: Type.Integer({ examples: [2] }),
        acknowledged: Type.Integer({ examples: [0] }),
        resolved: Type.Integer({ examples: [0] }),
        ended: Type.Integer({ examples: [0] }),
      },
      strict,
    ),
    kinds: Type.Array(Type.Enum([...alertKinds])),
    criticity: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Largest criticity of its alerts.',
      examples: [0.82],
    }),
    raisedAt: Type.String({ ...instantSchema, description: 'Instant at which its newest alert was raised.' }),
    unprocessedIds: Type.Array(Type.String(), {
      maxItems: episodeIdsMax,
      description: 'Alerts to acknowledge or resolve, by date.',
      examples: [['12-20260302-1', '12-20260303-1']],
    }),
    alert: alertSchema,
  },
  {
    ...strict,
    title: 'Episode',
    description: 'Consecutive dates of a source with alerts, and the most critical of them.',
  },
);

const episodePageSchema = Type.Object(
  {
    episodes: Type.Array(episodeSchema),
    nextCursor: Type.Optional(
      Type.String({ description: 'Send it as cursor for the next page.', examples: ['12-20260302'] }),
    ),
  },
  { ...strict, title: 'EpisodePage' },
);

const limitDefault = 100;
const limitMax = 500;
/** Ids that are read by one statement: some milliseconds of work. */
const idsAtOnce = 500;

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

/** The filter of a query. */
const filterOf = ({ actor: { tenant }, query }: ListCall) => ({
  tenant,
  sourceId: query.sourceId,
  labels: (query.label ?? []).map(labelOf),
  ...alertQuery.filterOf(query),
});

const problems = ['sourceNotFound', 'cursorExpired', 'listTooLong'] as const;

/** A page of a list whose order changes with the alerts. */
const walkedList = (
  service: Service,
  call: ListCall,
  list: (parts: LargeParts, sourceIds: readonly number[]) => AlertWalk,
): Promise<Answer> => {
  const { tenant } = call.actor;
  const { sourceId, limit = limitDefault } = call.query;
  const idsOf = ({ models }: Service) => (sourceId === undefined ? models.sources.ids(tenant) : [sourceId]);
  return wholeAnswer(
    service,
    call,
    () =>
      sourceId === undefined
        ? idsOf(service)
        : [ownSourceOrArchived(service.models, call.actor, sourceId).id],
    async parts => {
      const { models } = parts.service;
      if (sourceId !== undefined) ownSource(models, call.actor, sourceId);
      const walk = list(parts, idsOf(parts.service));
      const { ids, ...next } = await walkedPage(parts, call, walk, limit);
      return { status: 200, body: { [walk.name]: inTurns(ids, walk.one, parts.yieldToEventLoop), ...next } };
    },
  );
};

/** A list of alerts or episodes, and how one record is read. */
type AlertWalk = WalkedList<string> & {
  readonly one: (id: string) => AlertRecord | EpisodeRecord | undefined;
};

/** Alerts in an order that never changes: pages after the last alert of the page before. */
const keyedAlerts = async (
  service: Service,
  call: ListCall,
  sort: alertQuery.LastingSort,
): Promise<Answer> => {
  const { limit = limitDefault, cursor, sourceId } = call.query;
  const { alerts } = (
    await (sourceId === undefined
      ? serviceAsOf(service, call, () => service.models.sources.ids(call.actor.tenant))
      : sourceAsOf(service, call, sourceId))
  ).models;
  const after = cursor === undefined ? undefined : alertQuery.after(cursor, sort);
  const found = alerts.page({ ...filterOf(call), after, limit: limit + 1 });
  const records = found.slice(0, limit);
  const last = records.at(-1);
  const next = found.length > limit && last ? { nextCursor: alertQuery.cursorOf(last, sort) } : {};
  return { status: 200, body: { alerts: records, ...next } };
};

/** Alerts by criticity, which changes when a check confirms an alert. */
const alertsByCriticity = (service: Service, call: ListCall): Promise<Answer> =>
  walkedList(service, call, ({ service: { models }, yieldToEventLoop }) => {
    const filter = filterOf(call);
    return {
      name: 'alerts',
      ids: async function* () {
        let after: AlertFilter['after'];
        for (;;) {
          const found = models.alerts.keys({ ...filter, after, limit: idsAtOnce });
          yield* found.map(({ id }) => id);
          after = found.length < idsAtOnce ? undefined : found.at(-1);
          if (!after) return;
          await yieldToEventLoop();
        }
      },
      present: ids => {
        const fitting = models.alerts.fitting({ ...filter, limit: ids.length }, ids);
        return ids.map(id => (fitting.has(id) ? id : undefined));
      },
      one: models.alerts.one,
    };
  });

/** Episodes: any of their keys changes with their alerts, the first date included. */
const episodes = (service: Service, call: ListCall): Promise<Answer> =>
  walkedList(service, call, ({ service: { models }, yieldToEventLoop }, sourceIds) => {
    const filter = filterOf(call);
    return {
      name: 'episodes',
      ids: async function* () {
        const keys: EpisodeKey[] = [];
        for (const sourceId of sourceIds) {
          keys.push(...models.alerts.episodes.keys(sourceId, filter));
          await yieldToEventLoop();
        }
        keys.sort(filter.descending ? (a, b) => compareEpisodes(b, a) : compareEpisodes);
        yield* keys.map(({ sourceId, first }) => episodeId(sourceId, first));
      },
      present: ids => ids.map(id => models.alerts.episodes.present(id, filter)),
      mayMerge: (one, other) => parseEpisodeId(one)?.sourceId === parseEpisodeId(other)?.sourceId,
      one: models.alerts.episodes.one,
    };
  });

const listRoute = (
  run: (call: ListCall) => Promise<Answer>,
  answer: Answers[number],
  names: Pick<Route, 'path' | 'operationId' | 'summary'>,
): Route =>
  route({
    method: 'get',
    ...names,
    scope: 'read',
    params: noFields,
    query: listQuery,
    body: { kind: 'none' },
    answers: { 200: answer },
    problems,
    run,
  });

export const alertListRoutes = (service: Service): readonly Route[] => [
  listRoute(
    call => {
      const { sort = 'date' } = call.query;
      return sort === 'criticity' ? alertsByCriticity(service, call) : keyedAlerts(service, call, sort);
    },
    { description: 'A page of alerts', schema: alertPageSchema },
    {
      path: '/v1/alert/list',
      operationId: 'listAlerts',
      summary: 'List alerts in the order of date, raising or criticity',
    },
  ),
  listRoute(
    call => episodes(service, call),
    { description: 'A page of episodes', schema: episodePageSchema },
    {
      path: '/v1/alert/episodes',
      operationId: 'listEpisodes',
      summary: 'List episodes: consecutive dates of a source with alerts, one of which fits the query',
    },
  ),
];
