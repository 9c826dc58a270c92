import type { Deciding, Service } from '../../../../application/requests/service.js';
import {
  acknowledgeAlert,
  reopenAlert,
  resolveAlert,
  acknowledgeAlerts,
  resolveAlerts,
  type AlertChange,
} from '../../../../application/requests/useCases/changeAlerts.js';
import { json, ok, route, type Route } from '../../route.js';
import { alertParams, alertSchema, alertIdSchema, verdictSchema } from '../../schemas/alert.js';
import { nullable, named, object } from '../../schemas/common.js';
import Type from '../../typebox.js';
import { linesPattern, textLengthMax } from '../../../../domain/text.js';
import { shownAlertsMax } from '../../../../projections/incidents/incidentPages.js';

/** Fields of a resolution. */
export const resolutionFields = {
  verdict: verdictSchema,
  comment: Type.Optional(
    nullable(
      Type.String({
        maxLength: textLengthMax,
        pattern: linesPattern,
        examples: ['The doors were closed at noon.'],
      }),
    ),
  ),
};

/** Ids of the alerts that a request changes. */
const alertIdsSchema = Type.Array(Type.String({ maxLength: 40 }), {
  minItems: 1,
  maxItems: shownAlertsMax,
  uniqueItems: true,
  examples: [['12-20260302-1', '12-20260303-1']],
});

const resolutionSchema = named('Resolution', resolutionFields);
const alertIdsBody = named('AlertIds', { ids: alertIdsSchema });
const resolutionsSchema = named('Resolutions', { ids: alertIdsSchema, ...resolutionFields });

const transitionSchema = named('AlertTransition', {
  id: alertIdSchema,
  outcome: Type.Enum(['changed', 'unchanged', 'refused'], {
    description: 'unchanged: it was in that state already.',
  }),
  code: nullable(Type.Enum(['alertNotFound', 'alertTransition']), { examples: [null] }),
  detail: nullable(Type.String(), { examples: [null] }),
  alert: nullable(alertSchema),
});

const transitionsSchema = named('AlertTransitions', {
  results: Type.Array(transitionSchema, { description: 'In the order of the request.' }),
  counts: object({
    changed: Type.Integer({ examples: [1] }),
    unchanged: Type.Integer({ examples: [0] }),
    refused: Type.Integer({ examples: [0] }),
  }),
});

const one = {
  scope: 'alert',
  params: alertParams,
  answers: ok('The alert', alertSchema),
  problems: ['alertNotFound', 'alertTransition'],
} as const;

/** Routes of the decisions of people about alerts. */
export const alertChangeRoutes = (service: Deciding & Pick<Service, 'people'>): readonly Route[] => [
  ...manyRoutes(service),
  route({
    ...one,
    at: 'POST /v1/alert/{id}/acknowledge',
    operationId: 'acknowledgeAlert',
    summary: 'Acknowledge an alert: open → acknowledged',
    result: call => acknowledgeAlert(service, call, call.params.id),
  }),
  route({
    ...one,
    at: 'POST /v1/alert/{id}/reopen',
    operationId: 'reopenAlert',
    summary: 'Reopen an alert: acknowledged or resolved → open',
    result: call => reopenAlert(service, call, call.params.id),
  }),
  route({
    ...one,
    at: 'POST /v1/alert/{id}/resolve',
    operationId: 'resolveAlert',
    summary: 'Resolve an alert with a verdict: open, acknowledged or ended → resolved',
    body: json(resolutionSchema),
    result: call => {
      const { verdict, comment = null } = call.body;
      return resolveAlert(service, call, call.params.id, { verdict, comment });
    },
  }),
];

const many = { scope: 'alert', answers: ok('The outcome for each alert', transitionsSchema) } as const;

/** Changes of several alerts. Each alert is changed or refused separately. */
const manyRoutes = (service: Deciding & Pick<Service, 'people'>): readonly Route[] => [
  route({
    ...many,
    at: 'POST /v1/alert/acknowledge',
    operationId: 'acknowledgeAlerts',
    summary: 'Acknowledge several alerts; each one is changed or refused separately',
    body: json(alertIdsBody),
    result: async call => withCounts(await acknowledgeAlerts(service, call, call.body.ids)),
  }),
  route({
    ...many,
    at: 'POST /v1/alert/resolve',
    operationId: 'resolveAlerts',
    summary: 'Resolve several alerts with one verdict; each one is changed or refused separately',
    body: json(resolutionsSchema),
    result: async call => {
      const { ids, verdict, comment = null } = call.body;
      return withCounts(await resolveAlerts(service, call, ids, { verdict, comment }));
    },
  }),
];

const withCounts = (results: readonly AlertChange[]) => {
  const count = (outcome: AlertChange['outcome']) => results.filter(one => one.outcome === outcome).length;
  return {
    results,
    counts: { changed: count('changed'), unchanged: count('unchanged'), refused: count('refused') },
  };
};
