import { subjectLengthMax } from '../../../../domain/tokens.js';
import { ownIncident, ownSource } from '../../../../application/requests/access.js';
import {
  incidentHistory,
  incidentMutedUntil,
  shownIncident,
  type Muting,
} from '../../../../application/requests/incidents.js';
import type { Service } from '../../../../application/requests/service.js';
import { inTurns } from '../../../../application/ports/sharing/turns.js';
import { requireNotParked } from '../../../../application/reading/parking.js';
import { streams } from '../../../../domain/streams.js';
import { incidentStates, type IncidentState } from '../../../../domain/incidents/incidents.js';
import type { IncidentFilter, IncidentRecord } from '../../../../projections/incidents/incidentPages.js';
import Type, { type Static } from '../../typebox.js';
import {
  wholeAnswer,
  inPlace,
  type LargeParts,
  idsInParts,
  walkedPage,
  type WalkedList,
  type LargeService,
} from '../../answers/largeAnswer.js';
import { ok, route, type Answer, type Call, type Route } from '../../route.js';
import { object, text, flag } from '../../schemas/common.js';
import { labelOf } from '../../schemas/description.js';
import {
  incidentHistorySchema,
  incidentPageSchema,
  incidentParams,
  incidentSchema,
} from '../../schemas/incident.js';
import * as alertQuery from '../alerts/alertQuery.js';

/** Values of `assignee` that are no subject. */
const unassigned = '@none';
const requester = '@me';

const listQuery = object({
  ...alertQuery.places,
  state: Type.Optional(
    text(
      `${incidentStates.join(', ')}, or unprocessed (open or acknowledged); several with commas. All but merged and invalidated by default.`,
      'unprocessed',
      { maxLength: 100 },
    ),
  ),
  kind: alertQuery.kind,
  assignee: Type.Optional(
    text(
      `Subject of a person; ${requester} for that of the token, ${unassigned} for unassigned ones.`,
      requester,
      { maxLength: subjectLengthMax },
    ),
  ),
  muted: Type.Optional(flag('Only muted ones, or only others.', false)),
  sort: alertQuery.sort,
  order: alertQuery.order,
  limit: alertQuery.limit,
  cursor: Type.Optional(text('nextCursor of an answer.', 'w~abc~def~100', { maxLength: 200 })),
});

type ListCall = Call<unknown, Static<typeof listQuery>, unknown>;

const shownByDefault: readonly IncidentState[] = ['open', 'acknowledged', 'resolved', 'ended'];

/** Assignee of no incident: a person without a key is in no event, and reading creates no key. */
const unknownAssignee = '';

/** Assignee of a filter, as events name it: null for none, undefined for any. */
const assigneeOf = async (
  { people }: Pick<Service, 'people'>,
  { actor, query: { assignee } }: ListCall,
): Promise<string | null | undefined> => {
  if (assignee === undefined) return undefined;
  if (assignee === unassigned) return null;
  const subject = assignee === requester ? actor.subject : assignee;
  const person = { tenant: actor.tenant, subject };
  return (await people.known(person)) ? people.sealed(person, subject) : unknownAssignee;
};

/** The filter of a query. */
const filterOf = async (service: Pick<Service, 'people'>, call: ListCall): Promise<IncidentFilter> => {
  const { actor, query } = call;
  const { state, sourceId, label = [], ...others } = query;
  return {
    ...alertQuery.filterOf(others),
    tenant: actor.tenant,
    sourceId,
    labels: label.map(labelOf),
    states: state === undefined ? shownByDefault : alertQuery.listedStates(state, incidentStates),
    assignee: await assigneeOf(service, call),
  };
};

/** The mutes of a tenant, and the present. */
const mutingOf = ({ models, now }: Pick<Service, 'models' | 'now'>, tenant: string): Muting => ({
  mutes: models.mutes.list(tenant),
  now: now(),
});

/** An incident as clients see it. */
export const incidentAnswer = (service: Pick<Service, 'models' | 'now'>, incident: IncidentRecord) =>
  shownIncident(service.models, mutingOf(service, incident.tenant), incident);

/** Incidents whose alerts one statement looks through: at most 1,000 of each. */
const incidentsAtOnce = 10;

async function* inChunks<One>(all: AsyncIterable<One>, size: number): AsyncGenerator<One[]> {
  let chunk: One[] = [];
  for await (const one of all)
    if (chunk.push(one) === size) {
      yield chunk;
      chunk = [];
    }
  if (chunk.length > 0) yield chunk;
}

/** Ids of incidents, all of them or only muted or unmuted ones. */
export const incidentIds = async function* (
  { service: { models }, yieldToEventLoop }: LargeParts,
  filter: IncidentFilter,
  muting: Muting,
  muted: boolean | undefined,
): AsyncGenerator<string> {
  // Without mutes each incident is unmuted.
  const isLooked = muted !== undefined && muting.mutes.length > 0;
  if (muted === true && !isLooked) return;
  const found = idsInParts(part => models.incidents.keys({ ...filter, ...part }), yieldToEventLoop);
  for await (const ids of inChunks(found, incidentsAtOnce)) {
    const fitting = models.incidents.fitting(filter, ids);
    for (const id of ids.filter(one => fitting.has(one))) {
      const incident = isLooked ? models.incidents.one(id) : undefined;
      const isMuted = incident && incidentMutedUntil(models, muting, incident) !== null;
      if (!isLooked || isMuted === muted) yield id;
      if (isLooked) await yieldToEventLoop();
    }
    await yieldToEventLoop();
  }
};

const listIncidents = async (
  service: LargeService & Pick<Service, 'people' | 'walks'>,
  call: ListCall,
): Promise<Answer> => {
  const { sourceId, limit = alertQuery.limitDefault, muted } = call.query;
  requireNotParked(service.models, streams.incidents(call.actor.tenant));
  if (sourceId !== undefined) ownSource(service.models, call.actor, sourceId);
  const filter = await filterOf(service, call);
  return wholeAnswer(
    service,
    { ...call, query: {} },
    () => [],
    async parts => {
      const { models } = parts.service;
      const muting = mutingOf(parts.service, call.actor.tenant);
      const walk: WalkedList<string> = {
        name: 'incidents',
        ids: () => incidentIds(parts, filter, muting, muted),
        fitting: ids => models.incidents.fitting(filter, ids),
      };
      const { ids, ...next } = await walkedPage({ ...parts, walks: service.walks }, call, walk, limit);
      const one = (id: string) => {
        const incident = models.incidents.one(id);
        return incident && shownIncident(models, muting, incident);
      };
      return { status: 200, body: { incidents: inTurns(ids, one, parts.yieldToEventLoop), ...next } };
    },
  );
};

/** Routes that read incidents. */
export const incidentRoutes = (
  service: LargeService & Pick<Service, 'people' | 'walks'>,
): readonly Route[] => [
  route({
    at: 'GET /v1/incident/list',
    operationId: 'listIncidents',
    summary: 'List incidents: all alerts of one cause, one of which fits the query',
    scope: 'read',
    query: listQuery,
    answers: ok('A page of incidents', incidentPageSchema),
    problems: ['sourceNotFound', 'cursorExpired', 'listTooLong'],
    run: call => listIncidents(service, call),
  }),
  route({
    at: 'GET /v1/incident/{id}',
    operationId: 'getIncident',
    summary: 'Read an incident',
    scope: 'read',
    params: incidentParams,
    answers: ok('The incident', incidentSchema),
    problems: ['incidentNotFound'],
    result: async call => incidentAnswer(service, ownIncident(service.models, call.actor, call.params.id)),
  }),
  route({
    at: 'GET /v1/incident/{id}/history',
    operationId: 'getIncidentHistory',
    summary: 'List the events of an incident, oldest first',
    scope: 'read',
    params: incidentParams,
    answers: ok('The events', incidentHistorySchema),
    problems: ['incidentNotFound'],
    run: call =>
      inPlace(service, call, () => {
        const { id } = ownIncident(service.models, call.actor, call.params.id);
        return { status: 200, body: { events: incidentHistory(service.models, id) } };
      }),
  }),
];
