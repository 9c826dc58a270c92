import { ownIncident, ownSource } from '../../../../application/requests/access.js';
import {
  incidentHistory,
  incidentMutedUntil,
  shownIncident,
  type Muting,
} from '../../../../application/requests/incidents.js';
import { InvalidInput } from '../../../../application/requests/imports/faults.js';
import type { Service } from '../../../../application/requests/service.js';
import { inTurns } from '../../../../application/ports/sharing/eventLoopYielder.js';
import { sealedSubject } from '../../../../application/requests/useCases/changeIncidents.js';
import { incidentStates, type IncidentState } from '../../../../domain/incidents/incidents.js';
import {
  incidentSorts,
  type IncidentFilter,
  type IncidentRecord,
} from '../../../../projections/incidents/incidentPages.js';
import Type, { type Static } from '../../typebox.js';
import { wholeAnswer, inPlace, type LargeParts } from '../../answers/largeAnswer.js';
import { walkedPage, type WalkedList } from '../../answers/walkedPage.js';
import { route, type Answer, type Call, type Route } from '../../route.js';
import { dateSchema, noFields, sourceIdSchema, strict, yearSchema } from '../../schemas/common.js';
import { labelFilter, labelOf } from '../../schemas/description.js';
import {
  incidentHistorySchema,
  incidentPageSchema,
  incidentParams,
  incidentSchema,
} from '../../schemas/incident.js';
import * as alertQuery from '../alerts/alertQuery.js';

const limitDefault = 100;
const limitMax = 500;
/** Ids that are read by one statement: some milliseconds of work. */
const idsAtOnce = 500;

/** Values of `assignee` that are no subject. */
const unassigned = '@none';
const requester = '@me';

const listQuery = Type.Object(
  {
    sourceId: Type.Optional(sourceIdSchema),
    label: labelFilter,
    year: Type.Optional(yearSchema),
    from: Type.Optional(dateSchema),
    to: Type.Optional(Type.String({ ...dateSchema, description: 'Exclusive.', examples: ['2026-04-01'] })),
    state: Type.Optional(
      Type.String({
        maxLength: 100,
        description: `${incidentStates.join(', ')}, or unprocessed (open or acknowledged); several with commas. All but merged and invalidated by default.`,
        examples: ['unprocessed'],
      }),
    ),
    kind: alertQuery.kind,
    assignee: Type.Optional(
      Type.String({
        maxLength: 200,
        description: `Subject of a person; ${requester} for that of the token, ${unassigned} for unassigned ones.`,
        examples: [requester],
      }),
    ),
    muted: Type.Optional(
      Type.Boolean({ description: 'Only muted ones, or only others.', examples: [false] }),
    ),
    sort: Type.Optional(Type.Enum([...incidentSorts], { default: 'date' })),
    order: alertQuery.order,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault, examples: [limitDefault] }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'nextCursor of an answer.', examples: ['w~abc~def~100'] }),
    ),
  },
  strict,
);

type ListCall = Call<unknown, Static<typeof listQuery>, unknown>;

const shownByDefault: readonly IncidentState[] = ['open', 'acknowledged', 'resolved', 'ended'];

/** @throws InvalidInput for an unknown state */
const statesOf = (text: string): readonly IncidentState[] =>
  text.split(',').flatMap(name => {
    if (name === 'unprocessed') return ['open', 'acknowledged'] as const;
    const known = incidentStates.find(other => other === name);
    if (known) return [known];
    const detail = `expected ${incidentStates.join(', ')} or unprocessed`;
    throw new InvalidInput('parametersInvalid', 'the query is not valid', [
      { code: 'enum', pointer: '/query/state', value: name, detail },
    ]);
  });

/** The filter of a query. */
const filterOf = async (service: Service, { actor, query }: ListCall): Promise<IncidentFilter> => {
  const { sort = 'date', state, assignee, sourceId, year, from, to, kind, order } = query;
  const dates = alertQuery.filterOf({
    ...(year !== undefined && { year }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(kind !== undefined && { kind }),
  });
  const subject = assignee === requester ? actor.subject : assignee;
  const sealed =
    subject === undefined || subject === unassigned
      ? undefined
      : await sealedSubject(service, actor.tenant, subject);
  return {
    tenant: actor.tenant,
    sourceId,
    labels: (query.label ?? []).map(labelOf),
    from: dates.from,
    to: dates.to,
    kinds: dates.kinds,
    states: state === undefined ? shownByDefault : statesOf(state),
    assignee: assignee === unassigned ? null : sealed,
    sort,
    descending: (order ?? (sort === 'date' ? 'asc' : 'desc')) === 'desc',
  };
};

/** The mutes of a tenant, and the present. */
const mutingOf = ({ models, now }: Service, tenant: string): Muting => ({
  mutes: models.mutes.list(tenant),
  now: now(),
});

/** An incident as clients see it. */
export const incidentAnswer = (service: Service, incident: IncidentRecord) =>
  shownIncident(service.models, mutingOf(service, incident.tenant), incident);

const walkOf = (
  { service: { models }, yieldToEventLoop }: LargeParts,
  filter: IncidentFilter,
  isWanted: (id: string) => boolean,
): WalkedList<string> => ({
  name: 'incidents',
  ids: async function* () {
    let after: { readonly key: string | number; readonly id: string } | undefined;
    for (;;) {
      const found = models.incidents.keys({ ...filter, after, limit: idsAtOnce });
      yield* found.map(({ id }) => id).filter(isWanted);
      after = found.length < idsAtOnce ? undefined : found.at(-1);
      if (!after) return;
      await yieldToEventLoop();
    }
  },
  fitting: ids => models.incidents.fitting(filter, ids),
});

const listIncidents = async (service: Service, call: ListCall): Promise<Answer> => {
  const { sourceId, limit = limitDefault, muted } = call.query;
  if (sourceId !== undefined) ownSource(service.models, call.actor, sourceId);
  const filter = await filterOf(service, call);
  return wholeAnswer(
    service,
    { ...call, query: {} },
    () => [],
    async parts => {
      const { models } = parts.service;
      const muting = mutingOf(parts.service, call.actor.tenant);
      const isWanted = (id: string): boolean => {
        if (muted === undefined) return true;
        const incident = models.incidents.one(id);
        return incident !== undefined && (incidentMutedUntil(models, muting, incident) !== null) === muted;
      };
      const { ids, ...next } = await walkedPage(parts, call, walkOf(parts, filter, isWanted), limit);
      const one = (id: string) => {
        const incident = models.incidents.one(id);
        return incident && shownIncident(models, muting, incident);
      };
      return { status: 200, body: { incidents: inTurns(ids, one, parts.yieldToEventLoop), ...next } };
    },
  );
};

/** Routes that read incidents. */
export const incidentRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/incident/list',
    operationId: 'listIncidents',
    summary: 'List incidents: all alerts of one cause, one of which fits the query',
    scope: 'read',
    params: noFields,
    query: listQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'A page of incidents', schema: incidentPageSchema } },
    problems: ['sourceNotFound', 'cursorExpired', 'listTooLong'],
    run: call => listIncidents(service, call),
  }),
  route({
    method: 'get',
    path: '/v1/incident/{id}',
    operationId: 'getIncident',
    summary: 'Read an incident',
    scope: 'read',
    params: incidentParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The incident', schema: incidentSchema } },
    problems: ['incidentNotFound'],
    run: async call => ({
      status: 200,
      body: incidentAnswer(service, ownIncident(service.models, call.actor, call.params.id)),
    }),
  }),
  route({
    method: 'get',
    path: '/v1/incident/{id}/history',
    operationId: 'getIncidentHistory',
    summary: 'List the events of an incident, oldest first',
    scope: 'read',
    params: incidentParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The events', schema: incidentHistorySchema } },
    problems: ['incidentNotFound'],
    run: call =>
      inPlace(service, call, () => {
        const { id } = ownIncident(service.models, call.actor, call.params.id);
        return { status: 200, body: { events: incidentHistory(service.models, id) } };
      }),
  }),
];
