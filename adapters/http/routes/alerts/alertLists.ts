import Type, { type Static } from '../../typebox.js';
import { ownSource, ownSourceOrArchived } from '../../../../application/requests/access.js';
import type { Service } from '../../../../application/requests/service.js';
import { inTurns } from '../../../../application/ports/sharing/eventLoopYielder.js';
import type { AlertFilter } from '../../../../projections/alerts/alertPages.js';
import { wholeAnswer, type LargeParts } from '../../answers/largeAnswer.js';
import { idsInParts, walkedPage, type WalkedList } from '../../answers/walkedPage.js';
import { serviceAsOf, sourceAsOf } from '../../asOfQuery.js';
import { labelOf } from '../../schemas/description.js';
import { ok, route, type Answer, type Call, type Route } from '../../route.js';
import { alertPageSchema } from '../../schemas/alert.js';
import { asOfSchema, strict } from '../../schemas/common.js';
import * as alertQuery from './alertQuery.js';

const listQuery = Type.Object(
  {
    ...alertQuery.places,
    state: alertQuery.state,
    kind: alertQuery.kind,
    sort: alertQuery.sort,
    order: alertQuery.order,
    limit: alertQuery.limit,
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

/** Alerts in an order that never changes: pages after the last alert of the page before. */
const keyedAlerts = async (
  service: Service,
  call: ListCall,
  sort: alertQuery.LastingSort,
): Promise<Answer> => {
  const { limit = alertQuery.limitDefault, cursor, sourceId } = call.query;
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
const alertsByCriticity = (service: Service, call: ListCall): Promise<Answer> => {
  const { tenant } = call.actor;
  const { sourceId, limit = alertQuery.limitDefault } = call.query;
  const sourceIds = (): readonly number[] =>
    sourceId === undefined
      ? service.models.sources.ids(tenant)
      : [ownSourceOrArchived(service.models, call.actor, sourceId).id];
  return wholeAnswer(service, call, sourceIds, async parts => {
    const { service: then, yieldToEventLoop } = parts;
    if (sourceId !== undefined) ownSource(then.models, call.actor, sourceId);
    const { ids, ...next } = await walkedPage(parts, call, criticityWalk(parts, filterOf(call)), limit);
    return { status: 200, body: { alerts: inTurns(ids, then.models.alerts.one, yieldToEventLoop), ...next } };
  });
};

const criticityWalk = (
  { service: { models }, yieldToEventLoop }: LargeParts,
  filter: Omit<AlertFilter, 'after' | 'limit'>,
): WalkedList<string> => ({
  name: 'alerts',
  ids: () => idsInParts(part => models.alerts.keys({ ...filter, ...part }), yieldToEventLoop),
  fitting: ids => models.alerts.fitting(filter, ids),
});

export const alertListRoutes = (service: Service): readonly Route[] => [
  route({
    at: 'GET /v1/alert/list',
    operationId: 'listAlerts',
    summary: 'List alerts in the order of date, raising or criticity',
    scope: 'read',
    query: listQuery,
    answers: ok('A page of alerts', alertPageSchema),
    problems: ['sourceNotFound', 'cursorExpired', 'listTooLong'],
    run: call => {
      const { sort = 'date' } = call.query;
      return sort === 'criticity' ? alertsByCriticity(service, call) : keyedAlerts(service, call, sort);
    },
  }),
];
