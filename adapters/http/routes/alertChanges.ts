import Type from 'typebox';
import { verdicts } from '../../../domain/alerts.js';
import type { Service } from '../../../application/service.js';
import { acknowledgeAlert, reopenAlert, resolveAlert } from '../../../application/useCases/changeAlert.js';
import {
  acknowledgeAlerts,
  resolveAlerts,
  type AlertChange,
} from '../../../application/useCases/changeAlerts.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const alertParams = Type.Object({ id: schemas.alertId }, schemas.strict);
const alertAnswers = { 200: { description: 'The alert', schema: schemas.alert } };
const manyAnswers = { 200: { description: 'The outcome for each alert', schema: schemas.changedAlerts } };
const commentLengthMax = 2000;
const bodyBytesMax = 65_536;

const judgement = {
  verdict: Type.Enum([...verdicts]),
  comment: Type.Optional(schemas.nullable(Type.String({ maxLength: commentLengthMax }))),
};

const transitions = [
  {
    verb: 'acknowledge',
    summary: 'A person has seen the alert: open → acknowledged',
    useCase: acknowledgeAlert,
  },
  {
    verb: 'reopen',
    summary: 'A person takes the resolution back: resolved → open',
    useCase: reopenAlert,
  },
];

const changed = (results: readonly AlertChange[]) => {
  const count = (outcome: AlertChange['outcome']) => results.filter(one => one.outcome === outcome).length;
  return {
    results,
    counts: { changed: count('changed'), unchanged: count('unchanged'), refused: count('refused') },
  };
};

/** Changes of several alerts, each whole or not at all. */
const manyRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/alert/acknowledge',
    operationId: 'acknowledgeAlerts',
    summary: 'A person has seen several alerts; each is changed whole or not at all',
    scope: 'alert',
    params: schemas.noFields,
    query: schemas.noFields,
    body: {
      kind: 'json',
      schema: Type.Object({ ids: schemas.alertIds }, schemas.strict),
      bytesMax: bodyBytesMax,
    },
    answers: manyAnswers,
    run: async call => ({
      status: 200,
      body: changed(await acknowledgeAlerts(service, call, call.body.ids)),
    }),
  }),
  route({
    method: 'post',
    path: '/v1/alert/resolve',
    operationId: 'resolveAlerts',
    summary: 'A person judges several alerts alike; each is changed whole or not at all',
    scope: 'alert',
    params: schemas.noFields,
    query: schemas.noFields,
    body: {
      kind: 'json',
      schema: Type.Object({ ids: schemas.alertIds, ...judgement }, schemas.strict),
      bytesMax: bodyBytesMax,
    },
    answers: manyAnswers,
    run: async call => {
      const { ids, verdict, comment = null } = call.body;
      return { status: 200, body: changed(await resolveAlerts(service, call, ids, { verdict, comment })) };
    },
  }),
];

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
      query: schemas.noFields,
      body: { kind: 'none' },
      answers: alertAnswers,
      run: async call => ({ status: 200, body: await useCase(service, call, call.params.id) }),
    }),
  ),
  route({
    method: 'post',
    path: '/v1/alert/{id}/resolve',
    operationId: 'resolveAlert',
    summary: 'A person has judged the alert: open or acknowledged → resolved',
    scope: 'alert',
    params: alertParams,
    query: schemas.noFields,
    body: {
      kind: 'json',
      schema: Type.Object(judgement, schemas.strict),
      bytesMax: bodyBytesMax,
    },
    answers: alertAnswers,
    run: async call => {
      const { verdict, comment = null } = call.body;
      return { status: 200, body: await resolveAlert(service, call, call.params.id, { verdict, comment }) };
    },
  }),
];
