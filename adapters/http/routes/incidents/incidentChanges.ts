import type { Requester } from '../../../../application/requests/access.js';
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
import Type from '../../typebox.js';
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
import { strict } from '../../schemas/common.js';
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

const incidentResolutionSchema = Type.Object(resolutionFields, { ...strict, title: 'IncidentResolution' });

/** A route that changes an incident by a use case. */
const changeRoute = <Body extends BodyKind = NoBody>(
  service: Service,
  {
    change,
    ...names
  }: Names & {
    readonly body?: Body;
    readonly change: (
      service: Service,
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
const acceptanceRoutes = (service: Service): readonly Route[] => [
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
export const incidentChangeRoutes = (service: Service): readonly Route[] => [
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
