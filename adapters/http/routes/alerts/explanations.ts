import { ownAlert } from '../../../../application/access/access.js';
import { explainAlert } from '../../../../application/history/explainAlert.js';
import type { Service } from '../../../../application/service.js';
import { inPlace } from '../../answers/largeAnswer.js';
import { alertAsOf } from '../../asOfQuery.js';
import { route, type Route } from '../../route.js';
import { alertParams } from '../../schemas/alerts/alert.js';
import { asOfQuery } from '../../schemas/common.js';
import { explanationSchema } from '../../schemas/alerts/explanation.js';

/** The streams of a log up to a position: events that the read models do not have are no part of the answer. */
const logUpTo = ({ read }: Service['log'], end: bigint): Pick<Service['log'], 'read'> => ({
  read: async function* (...asked) {
    for await (const event of read(...asked)) {
      if (event.position > end) return;
      yield event;
    }
  },
});

export const explanationRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/alert/{id}/explanation',
    operationId: 'explainAlert',
    summary:
      'Explain an alert: its check, import, planning, models, reference and people, each with its event',
    scope: 'read',
    params: alertParams,
    query: asOfQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'All facts that led to the alert', schema: explanationSchema } },
    problems: ['alertNotFound'],
    run: call =>
      inPlace(service, call, async () => {
        const { actor, signal, params } = call;
        const { models } = await alertAsOf(service, call, params.id);
        const alert = ownAlert(models, actor, params.id);
        const log = logUpTo(service.log, models.checkpoint('readModels').position);
        const context = { tenant: actor.tenant, signal };
        return { status: 200, body: await explainAlert(log, service.asOf, alert, context) };
      }),
  }),
];
