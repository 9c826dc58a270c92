import type { Service } from '../../../../application/requests/service.js';
import {
  acknowledgeIncident,
  assignIncident,
  commentIncident,
  mergeIncident,
  reopenIncident,
  resolveIncident,
  splitIncident,
} from '../../../../application/requests/useCases/changeIncidents.js';
import { acceptChange, withdrawAcceptance } from '../../../../application/requests/useCases/acceptChanges.js';
import Type, { type TSchema } from '../../typebox.js';
import { route, smallBodyBytesMax, type Call, type Route } from '../../route.js';
import { noFields, strict } from '../../schemas/common.js';
import {
  acceptanceSchema,
  assignmentSchema,
  incidentCommentSchema,
  incidentParams,
  incidentSchema,
  mergeSchema,
  splitSchema,
} from '../../schemas/incident.js';
import { resolutionFields } from '../alerts/alertChanges.js';
import { incidentAnswer } from './incidents.js';
import type { IncidentRecord } from '../../../../projections/incidents/incidentPages.js';

const operationIds: Readonly<Record<string, string>> = {
  accept: 'acceptChange',
  'withdraw-acceptance': 'withdrawAcceptance',
};
const operationIdOf = (verb: string): string => operationIds[verb] ?? `${verb}Incident`;
const incidentResolutionSchema = Type.Object(resolutionFields, { ...strict, title: 'IncidentResolution' });

type Verb = { readonly verb: string; readonly summary: string };

/** The part of a route that all changes of an incident have. */
const sharedFields = ({ verb, summary }: Verb) =>
  ({
    method: 'post',
    path: `/v1/incident/{id}/${verb}`,
    operationId: operationIdOf(verb),
    summary,
    scope: 'alert',
    params: incidentParams,
    query: noFields,
    answers: { 200: { description: 'The incident', schema: incidentSchema } },
    problems: ['incidentNotFound', 'incidentTransition'],
  }) as const;

/** A route that changes an incident without a body. */
const plainRoute = (
  service: Service,
  { verb, summary }: Verb,
  run: (call: Call<{ id: string }, object, unknown>) => Promise<IncidentRecord>,
): Route =>
  route({
    ...sharedFields({ verb, summary }),
    body: { kind: 'none' },
    run: async call => ({ status: 200, body: incidentAnswer(service, await run(call)) }),
  });

/** A route that changes an incident by a JSON body. */
const bodyRoute = <Schema extends TSchema>(
  service: Service,
  { verb, summary, schema }: Verb & { readonly schema: Schema },
  run: (call: Call<{ id: string }, object, Type.Static<Schema>>) => Promise<IncidentRecord>,
): Route =>
  route({
    ...sharedFields({ verb, summary }),
    body: { kind: 'json', schema, bytesMax: smallBodyBytesMax },
    run: async call => ({ status: 200, body: incidentAnswer(service, await run(call)) }),
  });

/** Routes of changes that people take as the new normal. */
const acceptanceRoutes = (service: Service): readonly Route[] => [
  bodyRoute(
    service,
    {
      verb: 'accept',
      summary: 'Take the change of an incident as the new normal: days from its date on are expected with it',
      schema: acceptanceSchema,
    },
    call =>
      acceptChange(service, call, call.params.id, { sourceIds: undefined, from: undefined, ...call.body }),
  ),
  plainRoute(
    service,
    { verb: 'withdraw-acceptance', summary: 'Take back that the change of an incident is the new normal' },
    call => withdrawAcceptance(service, call, call.params.id),
  ),
];

/** Routes that change incidents. */
export const incidentChangeRoutes = (service: Service): readonly Route[] => [
  plainRoute(
    service,
    { verb: 'acknowledge', summary: 'Acknowledge an incident: open → acknowledged' },
    call => acknowledgeIncident(service, call, call.params.id),
  ),
  plainRoute(
    service,
    { verb: 'reopen', summary: 'Reopen an incident: acknowledged or resolved → open' },
    call => reopenIncident(service, call, call.params.id),
  ),
  bodyRoute(
    service,
    {
      verb: 'resolve',
      summary: 'Resolve an incident and its alerts with a verdict: open, acknowledged or ended → resolved',
      schema: incidentResolutionSchema,
    },
    call => {
      const { verdict, comment = null } = call.body;
      return resolveIncident(service, call, call.params.id, { verdict, comment });
    },
  ),
  ...acceptanceRoutes(service),
  bodyRoute(
    service,
    { verb: 'assign', summary: 'Assign an incident to a person, or unassign it', schema: assignmentSchema },
    call => assignIncident(service, call, call.params.id, call.body.subject),
  ),
  bodyRoute(
    service,
    { verb: 'comment', summary: 'Add a comment to an incident', schema: incidentCommentSchema },
    call => commentIncident(service, call, call.params.id, call.body.text),
  ),
  bodyRoute(
    service,
    { verb: 'split', summary: 'Move some alerts to a new incident, which is answered', schema: splitSchema },
    call => splitIncident(service, call, call.params.id, call.body.alertIds),
  ),
  bodyRoute(
    service,
    { verb: 'merge', summary: 'Merge an incident into another one, which is answered', schema: mergeSchema },
    call => mergeIncident(service, call, call.params.id, call.body.incidentId),
  ),
];
