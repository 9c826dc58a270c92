import { parseInstant } from '../../../../domain/dates.js';
import { authorOf } from '../../../../application/ports/people.js';
import { requireNotParked } from '../../../../application/reading/parking.js';
import type { Requester } from '../../../../application/requests/access.js';
import { bodyFault } from '../../../../application/requests/imports/faults.js';
import type { Service, Deciding, Following, Clock } from '../../../../application/requests/service.js';
import { acceptChange, withdrawAcceptance } from '../../../../application/requests/useCases/acceptChanges.js';
import {
  acknowledgeIncident,
  assignIncident,
  commentIncident,
  mergeIncident,
  reopenIncident,
  resolveIncident,
  splitIncident,
  changeSettings,
  createMute,
  deleteMute,
} from '../../../../application/requests/useCases/changeIncidents.js';
import type { MuteScope } from '../../../../domain/incidents/mutes.js';
import { streams } from '../../../../domain/streams.js';
import type { IncidentRecord } from '../../../../projections/incidents/incidentPages.js';
import type { MuteRecord } from '../../../../projections/mutes.js';
import {
  json,
  ok,
  route,
  type BodyKind,
  type BodyOf,
  type Names,
  type NoBody,
  type Route,
} from '../../route.js';
import { named } from '../../schemas/common.js';
import {
  acceptanceSchema,
  assignmentSchema,
  incidentCommentSchema,
  incidentParams,
  incidentSchema,
  mergeSchema,
  splitSchema,
  deletedMuteSchema,
  muteParams,
  muteSchema,
  mutesSchema,
  newMuteSchema,
  settingsPatchSchema,
  settingsSchema,
} from '../../schemas/incident.js';
import { type Static } from '../../typebox.js';
import { resolutionFields } from '../alerts/alertChanges.js';
import { incidentAnswer } from './incidents.js';

const incidentResolutionSchema = named('IncidentResolution', resolutionFields);

/** A route that changes an incident by a use case. */
const changeRoute = <Parts extends Pick<Service, 'models' | 'now'>, Body extends BodyKind = NoBody>(
  service: Parts,
  {
    change,
    ...names
  }: Names & {
    readonly body?: Body;
    readonly change: (
      service: Parts,
      requester: Requester,
      id: string,
      body: NoInfer<BodyOf<Body>>,
    ) => Promise<IncidentRecord>;
  },
): Route =>
  route({
    ...names,
    scope: 'alert',
    params: incidentParams,
    answers: ok('The incident', incidentSchema),
    problems: ['incidentNotFound', 'incidentTransition'],
    result: async call => incidentAnswer(service, await change(service, call, call.params.id, call.body)),
  });

/** Routes of changes that people take as the new normal. */
const acceptanceRoutes = (service: Deciding & Following & Clock): readonly Route[] => [
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/accept',
    operationId: 'acceptChange',
    summary: 'Take the change of an incident as the new normal: days from its date on are expected with it',
    body: json(acceptanceSchema),
    change: (_, call, id, body) =>
      acceptChange(service, call, id, { sourceIds: undefined, from: undefined, ...body }),
  }),
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/withdraw-acceptance',
    operationId: 'withdrawAcceptance',
    summary: 'Take back that the change of an incident is the new normal',
    change: withdrawAcceptance,
  }),
];

/** Routes that change incidents. */
export const incidentChangeRoutes = (
  service: Deciding & Following & Clock & Pick<Service, 'people' | 'environment'>,
): readonly Route[] => [
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/acknowledge',
    operationId: 'acknowledgeIncident',
    summary: 'Acknowledge an incident: open → acknowledged',
    change: acknowledgeIncident,
  }),
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/reopen',
    operationId: 'reopenIncident',
    summary: 'Reopen an incident: acknowledged or resolved → open',
    change: reopenIncident,
  }),
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/resolve',
    operationId: 'resolveIncident',
    summary: 'Resolve an incident and its alerts with a verdict: open, acknowledged or ended → resolved',
    body: json(incidentResolutionSchema),
    change: (_, call, id, { verdict, comment = null }) =>
      resolveIncident(service, call, id, { verdict, comment }),
  }),
  ...acceptanceRoutes(service),
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/assign',
    operationId: 'assignIncident',
    summary: 'Assign an incident to a person, or unassign it',
    body: json(assignmentSchema),
    change: (_, call, id, { subject }) => assignIncident(service, call, id, subject),
  }),
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/comment',
    operationId: 'commentIncident',
    summary: 'Add a comment to an incident',
    body: json(incidentCommentSchema),
    change: (_, call, id, { text }) => commentIncident(service, call, id, text),
  }),
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/split',
    operationId: 'splitIncident',
    summary: 'Move some alerts to a new incident, which is answered',
    body: json(splitSchema),
    change: (_, call, id, { alertIds }) => splitIncident(service, call, id, alertIds),
  }),
  changeRoute(service, {
    at: 'POST /v1/incident/{id}/merge',
    operationId: 'mergeIncident',
    summary: 'Merge an incident into another one, which is answered',
    body: json(mergeSchema),
    change: (_, call, id, { incidentId }) => mergeIncident(service, call, id, incidentId),
  }),
];

/** @throws InvalidInput unless the body names exactly one scope */
const scopeOf = ({ sourceId, labels, incidentId }: Static<typeof newMuteSchema>): MuteScope => {
  const scopes: MuteScope[] = [];
  if (sourceId !== undefined) scopes.push({ sourceId });
  if (labels !== undefined) scopes.push({ labels });
  if (incidentId !== undefined) scopes.push({ incidentId });
  const [scope, ...others] = scopes;
  if (!scope || others.length > 0)
    throw bodyFault({
      code: 'muteScope',
      pointer: '',
      detail: `got ${scopes.length} of sourceId, labels and incidentId, expected one`,
    });
  if ('labels' in scope && Object.keys(scope.labels).length === 0)
    throw bodyFault({
      code: 'labelsEmpty',
      pointer: '/labels',
      detail: 'got no label, expected at least one',
    });
  return scope;
};

/** An instant in UTC. @throws InvalidInput */
const instantOf = (text: string, pointer: string): string => {
  const instant = parseInstant(text);
  if (instant === undefined)
    throw bodyFault({
      code: 'instant',
      pointer,
      detail: `got ${text}, expected an instant such as 2026-03-03T06:00:00Z`,
    });
  return instant;
};

const muteAnswer = ({ id, scope, from, until, reason, by, createdAt }: MuteRecord) => ({
  id,
  ...scope,
  from,
  until,
  reason,
  ...authorOf(by),
  createdAt,
});

/** Routes of mutes and of the settings of a tenant. */
export const muteRoutes = (service: Deciding & Pick<Service, 'people'>): readonly Route[] => [
  route({
    at: 'POST /v1/mute',
    operationId: 'createMute',
    summary: 'Mute a source, sources with labels, or an incident until an instant',
    scope: 'alert',
    body: json(newMuteSchema),
    answers: { 201: { description: 'The mute', schema: muteSchema } },
    problems: ['sourceNotFound', 'incidentNotFound', 'incidentTransition', 'muteInvalid', 'tooManyMutes'],
    run: async call => {
      const { from, until, reason } = call.body;
      const mute = await createMute(service, call, {
        scope: scopeOf(call.body),
        from: from === undefined ? undefined : instantOf(from, '/from'),
        until: instantOf(until, '/until'),
        reason,
      });
      return { status: 201, body: muteAnswer(mute), headers: { Location: '/v1/mute/list' } };
    },
  }),
  route({
    at: 'GET /v1/mute/list',
    operationId: 'listMutes',
    summary: 'List the mutes that have not ended, planned ones included',
    scope: 'read',
    answers: ok('The mutes, oldest first', mutesSchema),
    result: async ({ actor: { tenant } }) => {
      requireNotParked(service.models, streams.mutes(tenant));
      return { mutes: service.models.mutes.list(tenant).map(muteAnswer) };
    },
  }),
  route({
    at: 'DELETE /v1/mute/{id}',
    operationId: 'deleteMute',
    summary: 'End a mute at once',
    scope: 'alert',
    params: muteParams,
    answers: ok('The mute has ended', deletedMuteSchema),
    problems: ['muteNotFound'],
    result: async call => {
      await deleteMute(service, call, call.params.id);
      return { id: call.params.id };
    },
  }),
  ...settingsRoutes(service),
];

const settingsRoutes = (service: Deciding): readonly Route[] => [
  route({
    at: 'GET /v1/settings',
    operationId: 'getSettings',
    summary: 'Read the settings of the tenant',
    scope: 'read',
    answers: ok('The settings', settingsSchema),
    result: async ({ actor: { tenant } }) => {
      requireNotParked(service.models, streams.settings(tenant));
      return service.models.incidents.settings(tenant);
    },
  }),
  route({
    at: 'PATCH /v1/settings',
    operationId: 'changeSettings',
    summary: 'Change settings of the tenant; absent fields stay',
    scope: 'model',
    body: json(settingsPatchSchema),
    answers: ok('The settings', settingsSchema),
    result: async call => {
      const { incidentLabels } = call.body;
      const patch = incidentLabels === undefined ? {} : { incidentLabels };
      return await changeSettings(service, call, patch);
    },
  }),
];
