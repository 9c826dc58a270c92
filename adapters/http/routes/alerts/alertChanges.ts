import type { Service } from '../../../../application/service.js';
import { acknowledgeAlert, reopenAlert, resolveAlert } from '../../../../application/useCases/changeAlert.js';
import {
  acknowledgeAlerts,
  resolveAlerts,
  type AlertChange,
} from '../../../../application/useCases/changeAlerts.js';
import { route, smallBodyBytesMax, type Route } from '../../route.js';
import { alertParams, alertSchema } from '../../schemas/alerts/alert.js';
import {
  alertIdsBody,
  resolutionSchema,
  resolutionsSchema,
  transitionsSchema,
} from '../../schemas/alerts/transitions.js';
import { noFields } from '../../schemas/common.js';

const alertAnswers = { 200: { description: 'The alert', schema: alertSchema } };
const manyAnswers = { 200: { description: 'The outcome for each alert', schema: transitionsSchema } };
const problems = ['alertNotFound', 'alertTransition'] as const;

export const alertChangeRoutes = (service: Service): readonly Route[] => [
  ...manyRoutes(service),
  ...transitions.map(({ verb, summary, useCase }) =>
    route({
      method: 'post',
      path: `/v1/alert/{id}/${verb}`,
      operationId: `${verb}Alert`,
      summary,
      scope: 'alert',
      params: alertParams,
      query: noFields,
      body: { kind: 'none' },
      answers: alertAnswers,
      problems,
      run: async call => ({ status: 200, body: await useCase(service, call, call.params.id) }),
    }),
  ),
  route({
    method: 'post',
    path: '/v1/alert/{id}/resolve',
    operationId: 'resolveAlert',
    summary: 'Resolve an alert with a verdict: open, acknowledged or ended → resolved',
    scope: 'alert',
    params: alertParams,
    query: noFields,
    body: { kind: 'json', schema: resolutionSchema, bytesMax: smallBodyBytesMax },
    answers: alertAnswers,
    problems,
    run: async call => {
      const { verdict, comment = null } = call.body;
      return { status: 200, body: await resolveAlert(service, call, call.params.id, { verdict, comment }) };
    },
  }),
];

const transitions = [
  { verb: 'acknowledge', summary: 'Acknowledge an alert: open → acknowledged', useCase: acknowledgeAlert },
  { verb: 'reopen', summary: 'Reopen an alert: resolved → open', useCase: reopenAlert },
];

/** Changes of several alerts. Each alert is changed or refused separately. */
const manyRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/alert/acknowledge',
    operationId: 'acknowledgeAlerts',
    summary: 'Acknowledge several alerts; each one is changed or refused separately',
    scope: 'alert',
    params: noFields,
    query: noFields,
    body: { kind: 'json', schema: alertIdsBody, bytesMax: smallBodyBytesMax },
    answers: manyAnswers,
    run: async call => ({
      status: 200,
      body: withCounts(await acknowledgeAlerts(service, call, call.body.ids)),
    }),
  }),
  route({
    method: 'post',
    path: '/v1/alert/resolve',
    operationId: 'resolveAlerts',
    summary: 'Resolve several alerts with one verdict; each one is changed or refused separately',
    scope: 'alert',
    params: noFields,
    query: noFields,
    body: { kind: 'json', schema: resolutionsSchema, bytesMax: smallBodyBytesMax },
    answers: manyAnswers,
    run: async call => {
      const { ids, verdict, comment = null } = call.body;
      return { status: 200, body: withCounts(await resolveAlerts(service, call, ids, { verdict, comment })) };
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
