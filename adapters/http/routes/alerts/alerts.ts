import { authorOf } from '../../../../application/access/people.js';
import { ownAlert } from '../../../../application/access/access.js';
import type { Service } from '../../../../application/service.js';
import { alertAsOf } from '../../asOfQuery.js';
import { route, type Route } from '../../route.js';
import { alertHistorySchema, alertParams, drawnAlertSchema } from '../../schemas/alerts/alert.js';
import { asOfQuery } from '../../schemas/common.js';
import { inPlace } from '../../answers/largeAnswer.js';
import { drawnAlert } from '../../answers/dayAnswer.js';

export const alertRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/alert/{id}',
    operationId: 'getAlert',
    summary: 'Get an alert, with its broken limits as lines of a chart',
    scope: 'read',
    params: alertParams,
    query: asOfQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'The alert', schema: drawnAlertSchema } },
    problems: ['alertNotFound'],
    run: async call => {
      const { id } = call.params;
      const serviceThen = await alertAsOf(service, call, id);
      return { status: 200, body: drawnAlert(serviceThen, ownAlert(serviceThen.models, call.actor, id)) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/alert/{id}/history',
    operationId: 'getAlertHistory',
    summary: 'List the events of an alert, oldest first',
    scope: 'read',
    params: alertParams,
    query: asOfQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'The events', schema: alertHistorySchema } },
    problems: ['alertNotFound'],
    run: call =>
      inPlace(service, call, async () => {
        const serviceThen = await alertAsOf(service, call, call.params.id);
        const { id } = ownAlert(serviceThen.models, call.actor, call.params.id);
        const steps = serviceThen.models.alerts.history(id);
        return { status: 200, body: { events: steps.map(step => ({ ...step, ...authorOf(step.by) })) } };
      }),
  }),
];
