import { ownAlert } from '../../../../application/access/access.js';
import { explainAlert } from '../../../../application/history/explainAlert.js';
import type { Service } from '../../../../application/service.js';
import { route, type Route } from '../../route.js';
import { alertParams } from '../../schemas/alerts/alert.js';
import { noFields } from '../../schemas/common.js';
import { explanationSchema } from '../../schemas/alerts/explanation.js';

export const explanationRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/alert/{id}/explanation',
    operationId: 'explainAlert',
    summary:
      'Explain an alert: its check, import, planning, models, reference and people, each with its event',
    scope: 'read',
    params: alertParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'All facts that led to the alert', schema: explanationSchema } },
    problems: ['alertNotFound'],
    run: async ({ actor, signal, params }) => {
      const alert = ownAlert(service.models, actor, params.id);
      return {
        status: 200,
        body: await explainAlert(service.log, service.asOf, alert, { tenant: actor.tenant, signal }),
      };
    },
  }),
];
