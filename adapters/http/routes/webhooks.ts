import { requireNotParked } from '../../../application/reading/parking.js';
import { streams } from '../../../domain/streams.js';
import { ownWebhook } from '../../../application/requests/access.js';
import type { Service } from '../../../application/requests/service.js';
import {
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  patchWebhook,
  replayWebhook,
  rotateWebhookSecret,
  createWebhook,
  type WebhookWithSecret,
} from '../../../application/requests/useCases/changeWebhooks.js';
import { testWebhook, shownWebhook } from '../../../application/requests/useCases/testWebhook.js';
import { route, smallBodyBytesMax, type Answer, type Route } from '../route.js';
import { noFields } from '../schemas/common.js';
import {
  attemptSchema,
  attemptsCount,
  attemptsQuery,
  attemptsSchema,
  deletedWebhookSchema,
  newWebhookSchema,
  replaySchema,
  webhookParams,
  webhookPatchSchema,
  webhookSchema,
  webhookSecretSchema,
  webhooksSchema,
} from '../schemas/webhook.js';

const scope = 'webhook';
const problems = ['webhookNotFound'] as const;

/** An answer with a secret, which is not kept for retries: a retry makes the same one. */
const secretAnswer = async (
  service: Service,
  { webhook, secret }: WebhookWithSecret,
  status: number,
): Promise<Answer> => ({
  status,
  body: { ...(await shownWebhook(service, webhook)), secret },
  headers: { 'Cache-Control': 'no-store' },
  isSecret: true,
});

export const webhookRoutes = (service: Service): readonly Route[] => [
  ...creationRoutes(service),
  ...readRoutes(service),
  ...switchRoutes(service),
  ...deliveryRoutes(service),
];

const creationRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/webhook/create',
    operationId: 'createWebhook',
    summary:
      'Create a webhook: messages about alerts and analyses at an address, in the format of its receiver',
    scope,
    params: noFields,
    query: noFields,
    body: { kind: 'json', schema: newWebhookSchema, bytesMax: smallBodyBytesMax },
    answers: { 201: { description: 'The webhook and its signing secret', schema: webhookSecretSchema } },
    problems: ['webhookInvalid', 'tooManyWebhooks'],
    run: async call => {
      const wanted = { labels: {}, minCriticity: 0, grouping: 'none' as const };
      const created = await createWebhook(service, call, { ...wanted, ...call.body });
      const answer = await secretAnswer(service, created, 201);
      const location = { Location: `/v1/webhook/${created.webhook.id}` };
      return { ...answer, headers: { ...answer.headers, ...location } };
    },
  }),
  route({
    method: 'post',
    path: '/v1/webhook/{webhook_id}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Create a new signing secret; the previous one stays valid for 24 hours',
    scope,
    params: webhookParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The webhook and its new secret', schema: webhookSecretSchema } },
    problems,
    run: async call =>
      secretAnswer(service, await rotateWebhookSecret(service, call, call.params.webhook_id), 200),
  }),
];

const readRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/webhook/list',
    operationId: 'listWebhooks',
    summary: 'List all webhooks of the tenant, without their secrets',
    scope,
    params: noFields,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The webhooks, oldest first', schema: webhooksSchema } },
    run: async ({ actor }) => {
      requireNotParked(service.models, streams.webhooks(actor.tenant));
      const records = service.models.webhooks.list(actor.tenant);
      const webhooks = await Promise.all(records.map(record => shownWebhook(service, record)));
      return { status: 200, body: { webhooks } };
    },
  }),
  route({
    method: 'get',
    path: '/v1/webhook/{webhook_id}',
    operationId: 'getWebhook',
    summary: 'Get one webhook, without its secret',
    scope,
    params: webhookParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The webhook', schema: webhookSchema } },
    problems,
    run: async ({ actor, params }) => {
      const webhook = ownWebhook(service.models, actor, params.webhook_id);
      return { status: 200, body: await shownWebhook(service, webhook) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/webhook/{webhook_id}/deliveries',
    operationId: 'listDeliveries',
    summary: 'List the last attempts to deliver, with status and latency',
    scope,
    params: webhookParams,
    query: attemptsQuery,
    body: { kind: 'none' },
    answers: { 200: { description: 'The attempts, newest first', schema: attemptsSchema } },
    problems,
    run: async ({ actor, params, query }) => {
      const { id } = ownWebhook(service.models, actor, params.webhook_id);
      const deliveries = await service.webhooks.deliveries.attempts(id, attemptsCount(query));
      return { status: 200, body: { deliveries } };
    },
  }),
];

const switches = [
  { verb: 'disable', summary: 'Stop the deliveries until the webhook is enabled', useCase: disableWebhook },
  { verb: 'enable', summary: 'Start the deliveries where they stopped', useCase: enableWebhook },
];

const switchRoutes = (service: Service): readonly Route[] => [
  ...switches.map(({ verb, summary, useCase }) =>
    route({
      method: 'post',
      path: `/v1/webhook/{webhook_id}/${verb}`,
      operationId: `${verb}Webhook`,
      summary,
      scope,
      params: webhookParams,
      query: noFields,
      body: { kind: 'none' },
      answers: { 200: { description: 'The webhook', schema: webhookSchema } },
      problems,
      run: async call => ({
        status: 200,
        body: await shownWebhook(service, await useCase(service, call, call.params.webhook_id)),
      }),
    }),
  ),
  route({
    method: 'patch',
    path: '/v1/webhook/{webhook_id}',
    operationId: 'changeWebhook',
    summary: 'Change the address, the format, the filter or the times of a webhook; its secret stays',
    scope,
    params: webhookParams,
    query: noFields,
    body: { kind: 'patch', schema: webhookPatchSchema, bytesMax: smallBodyBytesMax },
    answers: { 200: { description: 'The webhook', schema: webhookSchema } },
    problems: [...problems, 'webhookInvalid'],
    run: async call => {
      const webhook = await patchWebhook(service, call, call.params.webhook_id, call.body);
      return { status: 200, body: await shownWebhook(service, webhook) };
    },
  }),
  route({
    method: 'delete',
    path: '/v1/webhook/{webhook_id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook and destroy its key',
    scope,
    params: webhookParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The webhook was deleted', schema: deletedWebhookSchema } },
    problems,
    run: async call => {
      await deleteWebhook(service, call, call.params.webhook_id);
      return { status: 200, body: { id: call.params.webhook_id } };
    },
  }),
];

const deliveryRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/webhook/{webhook_id}/test',
    operationId: 'testWebhook',
    summary: 'Send a message of type webhook.test once, and return the result',
    scope,
    params: webhookParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The attempt', schema: attemptSchema } },
    problems,
    run: async call => ({ status: 200, body: await testWebhook(service, call, call.params.webhook_id) }),
  }),
  route({
    method: 'post',
    path: '/v1/webhook/{webhook_id}/replay',
    operationId: 'replayWebhook',
    summary: 'Deliver all messages after a position again',
    scope,
    params: webhookParams,
    query: noFields,
    body: { kind: 'json', schema: replaySchema, bytesMax: smallBodyBytesMax },
    answers: { 200: { description: 'The webhook', schema: webhookSchema } },
    problems: [...problems, 'webhookInvalid'],
    run: async call => {
      const after = BigInt(call.body.position);
      const webhook = await replayWebhook(service, call, call.params.webhook_id, after);
      return { status: 200, body: await shownWebhook(service, webhook) };
    },
  }),
];
