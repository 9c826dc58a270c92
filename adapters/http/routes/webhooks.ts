import { requireNotParked } from '../../../application/reading/parking.js';
import { streams } from '../../../domain/streams.js';
import { ownWebhook } from '../../../application/requests/access.js';
import type { Service, Deciding } from '../../../application/requests/service.js';
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
import { ok, json, patch, route, type Answer, type Route } from '../route.js';
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

/** The fields that routes of one webhook share. */
const one = { scope, params: webhookParams, problems: ['webhookNotFound'] } as const;
const webhookAnswer = ok('The webhook', webhookSchema);

/** An answer with a secret, which is not kept for retries: a retry makes the same one. */
const secretAnswer = async (
  service: Pick<Service, 'people' | 'webhooks' | 'now'>,
  { webhook, secret }: WebhookWithSecret,
  status: number,
  headers: Answer['headers'] = {},
): Promise<Answer> => ({
  status,
  body: { ...(await shownWebhook(service, webhook)), secret },
  headers: { ...headers, 'Cache-Control': 'no-store' },
  isSecret: true,
});

/** Parts that change and show webhooks. */
type WebhookService = Deciding & Pick<Service, 'now' | 'people' | 'webhooks'>;

/** Routes of the receivers of messages. */
export const webhookRoutes = (service: WebhookService): readonly Route[] => [
  ...creationRoutes(service),
  ...readRoutes(service),
  ...changeRoutes(service),
  ...deliveryRoutes(service),
];

const creationRoutes = (service: WebhookService): readonly Route[] => [
  route({
    at: 'POST /v1/webhook/create',
    operationId: 'createWebhook',
    summary:
      'Create a webhook: messages about alerts and analyses at an address, in the format of its receiver',
    scope,
    body: json(newWebhookSchema),
    answers: { 201: { description: 'The webhook and its signing secret', schema: webhookSecretSchema } },
    problems: ['webhookInvalid', 'tooManyWebhooks'],
    run: async call => {
      const wanted = { labels: {}, minCriticity: 0, grouping: 'none' as const };
      const created = await createWebhook(service, call, { ...wanted, ...call.body });
      return secretAnswer(service, created, 201, { Location: `/v1/webhook/${created.webhook.id}` });
    },
  }),
  route({
    ...one,
    at: 'POST /v1/webhook/{webhook_id}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Create a new signing secret; the previous one stays valid for 24 hours',
    answers: ok('The webhook and its new secret', webhookSecretSchema),
    run: async call =>
      secretAnswer(service, await rotateWebhookSecret(service, call, call.params.webhook_id), 200),
  }),
];

const readRoutes = (service: Pick<Service, 'models' | 'now' | 'people' | 'webhooks'>): readonly Route[] => [
  route({
    at: 'GET /v1/webhook/list',
    operationId: 'listWebhooks',
    summary: 'List all webhooks of the tenant, without their secrets',
    scope,
    answers: ok('The webhooks, oldest first', webhooksSchema),
    result: async ({ actor }) => {
      requireNotParked(service.models, streams.webhooks(actor.tenant));
      const records = service.models.webhooks.list(actor.tenant);
      return { webhooks: await Promise.all(records.map(record => shownWebhook(service, record))) };
    },
  }),
  route({
    ...one,
    at: 'GET /v1/webhook/{webhook_id}',
    operationId: 'getWebhook',
    summary: 'Get one webhook, without its secret',
    answers: webhookAnswer,
    result: ({ actor, params }) =>
      shownWebhook(service, ownWebhook(service.models, actor, params.webhook_id)),
  }),
  route({
    ...one,
    at: 'GET /v1/webhook/{webhook_id}/deliveries',
    operationId: 'listDeliveries',
    summary: 'List the last attempts to deliver, with status and latency',
    query: attemptsQuery,
    answers: ok('The attempts, newest first', attemptsSchema),
    result: async ({ actor, params, query }) => {
      const { id } = ownWebhook(service.models, actor, params.webhook_id);
      return { deliveries: await service.webhooks.deliveries.attempts(id, attemptsCount(query)) };
    },
  }),
];

const changeRoutes = (service: WebhookService): readonly Route[] => [
  route({
    ...one,
    at: 'POST /v1/webhook/{webhook_id}/disable',
    operationId: 'disableWebhook',
    summary: 'Stop the deliveries until the webhook is enabled',
    answers: webhookAnswer,
    result: async call => shownWebhook(service, await disableWebhook(service, call, call.params.webhook_id)),
  }),
  route({
    ...one,
    at: 'POST /v1/webhook/{webhook_id}/enable',
    operationId: 'enableWebhook',
    summary: 'Start the deliveries where they stopped',
    answers: webhookAnswer,
    result: async call => shownWebhook(service, await enableWebhook(service, call, call.params.webhook_id)),
  }),
  route({
    ...one,
    at: 'PATCH /v1/webhook/{webhook_id}',
    operationId: 'changeWebhook',
    summary: 'Change the address, the format, the filter or the times of a webhook; its secret stays',
    body: patch(webhookPatchSchema),
    answers: webhookAnswer,
    problems: [...one.problems, 'webhookInvalid'],
    result: async call =>
      shownWebhook(service, await patchWebhook(service, call, call.params.webhook_id, call.body)),
  }),
  route({
    ...one,
    at: 'DELETE /v1/webhook/{webhook_id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook and destroy its key',
    answers: ok('The webhook was deleted', deletedWebhookSchema),
    result: async call => {
      await deleteWebhook(service, call, call.params.webhook_id);
      return { id: call.params.webhook_id };
    },
  }),
];

const deliveryRoutes = (service: WebhookService): readonly Route[] => [
  route({
    ...one,
    at: 'POST /v1/webhook/{webhook_id}/test',
    operationId: 'testWebhook',
    summary: 'Send a message of type webhook.test once, and return the result',
    answers: ok('The attempt', attemptSchema),
    result: call => testWebhook(service, call, call.params.webhook_id),
  }),
  route({
    ...one,
    at: 'POST /v1/webhook/{webhook_id}/replay',
    operationId: 'replayWebhook',
    summary: 'Deliver all messages after a position again',
    body: json(replaySchema),
    answers: webhookAnswer,
    problems: [...one.problems, 'webhookInvalid'],
    result: async call => {
      const after = BigInt(call.body.position);
      return shownWebhook(service, await replayWebhook(service, call, call.params.webhook_id, after));
    },
  }),
];
