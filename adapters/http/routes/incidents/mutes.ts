import { authorOf } from '../../../../application/ports/people.js';
import { requireNotParked } from '../../../../application/reading/parking.js';
import { InvalidInput } from '../../../../application/requests/imports/faults.js';
import type { Deciding, Service } from '../../../../application/requests/service.js';
import {
  changeSettings,
  createMute,
  deleteMute,
} from '../../../../application/requests/useCases/changeIncidents.js';
import type { MuteScope } from '../../../../domain/incidents/mutes.js';
import { streams } from '../../../../domain/streams.js';
import type { MuteRecord } from '../../../../projections/mutes.js';
import type { Static } from '../../typebox.js';
import { ok, json, route, type Route } from '../../route.js';
import {
  deletedMuteSchema,
  muteParams,
  muteSchema,
  mutesSchema,
  newMuteSchema,
  settingsPatchSchema,
  settingsSchema,
} from '../../schemas/incident.js';
import { utcInstant } from '../../schemas/common.js';

const invalid = (pointer: string, code: string, detail: string): InvalidInput =>
  new InvalidInput('bodyInvalid', 'the body is not valid', [{ code, pointer, detail }]);

/** @throws InvalidInput unless the body names exactly one scope */
const scopeOf = ({ sourceId, labels, incidentId }: Static<typeof newMuteSchema>): MuteScope => {
  const scopes: MuteScope[] = [];
  if (sourceId !== undefined) scopes.push({ sourceId });
  if (labels !== undefined) scopes.push({ labels });
  if (incidentId !== undefined) scopes.push({ incidentId });
  const [scope, ...others] = scopes;
  if (!scope || others.length > 0)
    throw invalid('', 'muteScope', `got ${scopes.length} of sourceId, labels and incidentId, expected one`);
  if ('labels' in scope && Object.keys(scope.labels).length === 0)
    throw invalid('/labels', 'labelsEmpty', 'got no label, expected at least one');
  return scope;
};

/** An instant in UTC. @throws InvalidInput */
const instantOf = (text: string, pointer: string): string => {
  const instant = utcInstant(text);
  if (instant === undefined)
    throw invalid(pointer, 'instant', `got ${text}, expected an instant such as 2026-03-03T06:00:00Z`);
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
    problems: ['sourceNotFound', 'incidentNotFound', 'muteInvalid', 'tooManyMutes'],
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
    problems: [],
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
    problems: [],
    result: async ({ actor: { tenant } }) => service.models.incidents.settings(tenant),
  }),
  route({
    at: 'PATCH /v1/settings',
    operationId: 'changeSettings',
    summary: 'Change settings of the tenant; absent fields stay',
    scope: 'model',
    body: json(settingsPatchSchema),
    answers: ok('The settings', settingsSchema),
    problems: [],
    result: async call => {
      const { incidentLabels } = call.body;
      const patch = incidentLabels === undefined ? {} : { incidentLabels };
      return await changeSettings(service, call, patch);
    },
  }),
];
