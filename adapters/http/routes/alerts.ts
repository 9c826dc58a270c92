import Type from 'typebox';
import type { Service } from '../../../application/service.js';
import { ownAlert } from '../../../application/access.js';
import { alertAsOf } from '../asOfQuery.js';
import { drawnAlert } from '../views.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const alertParams = Type.Object({ id: schemas.alertId }, schemas.strict);

export const alertRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/alert/{id}',
    operationId: 'getAlert',
    summary: 'One alert',
    scope: 'read',
    params: alertParams,
    query: schemas.knownAt,
    body: { kind: 'none' },
    answers: {
      200: { description: 'The alert, with its broken limits drawn', schema: schemas.drawnAlert },
    },
    run: async call => {
      const {
        actor,
        params: { id },
      } = call;
      const then = await alertAsOf(service, call, id);
      return { status: 200, body: drawnAlert(then, ownAlert(then.models, actor, id)) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/alert/{id}/history',
    operationId: 'getAlertHistory',
    summary: 'The life of an alert, oldest first: what, when, who, why',
    scope: 'read',
    params: alertParams,
    query: schemas.knownAt,
    body: { kind: 'none' },
    answers: {
      200: {
        description: 'Its events',
        schema: Type.Object({ events: Type.Array(schemas.alertStep) }),
      },
    },
    run: async call => {
      const { actor, params } = call;
      const then = await alertAsOf(service, call, params.id);
      const { id } = ownAlert(then.models, actor, params.id);
      return { status: 200, body: { events: then.models.alerts.history(id) } };
    },
  }),
];
