import type { KnownEvent } from '../../domain/events.js';
import { sourceOf, tenantOf } from '../../domain/streams.js';
import { messageCauses } from './messages.js';
import { webhookWorker, type WebhookWorker } from './webhookWorker.js';
import type { WorkerParts } from './workerParts.js';

/** Delivers the messages of all webhooks. A slow receiver delays its own webhook only. */
export type WebhookDeliveries = {
  /** To be called once, when the read models have caught up. */
  readonly start: () => void;
  /** To be called with new events. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  /** Number of webhooks that deliver here. */
  readonly count: () => number;
  readonly stop: () => Promise<void>;
};

export const webhookDeliveries = (parts: WorkerParts): WebhookDeliveries => {
  const { models, deliveries, logger } = parts;
  const workers = new Map<string, WebhookWorker>();
  const ending = new Set<Promise<void>>();
  let isStarted = false;

  const wake = (id: string): void => {
    const worker = workers.get(id) ?? webhookWorker(id, parts);
    workers.set(id, worker);
    worker.wake();
  };

  const end = (id: string, then?: () => Promise<void>): void => {
    const worker = workers.get(id);
    workers.delete(id);
    const ended = (worker?.stop() ?? Promise.resolve())
      .then(then)
      .catch((error: unknown) =>
        logger.warn({ err: error, webhook: id }, 'the deliveries of a deleted webhook stay stored'),
      );
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };

  const noticeWebhook = ({ type, data }: KnownEvent): void => {
    const { webhookId } = data as { readonly webhookId: string };
    if (type === 'WebhookDeleted') end(webhookId, () => deliveries.forget(webhookId));
    else if (type === 'WebhookDisabled') end(webhookId);
    else wake(webhookId);
  };

  return {
    start: () => {
      isStarted = true;
      for (const id of models.webhooks.active()) wake(id);
    },
    notice: events => {
      if (!isStarted) return;
      const tenants = new Set<string>();
      for (const event of events) {
        if (event.stream.startsWith('webhooks-')) noticeWebhook(event);
        else if (messageCauses.includes(event.type) && tenantOf(event.stream) === undefined) {
          const tenant = models.sources.setup(sourceOf(event.stream))?.tenant;
          if (tenant !== undefined) tenants.add(tenant);
        }
      }
      for (const tenant of tenants) for (const id of models.webhooks.active(tenant)) wake(id);
    },
    count: () => workers.size,
    stop: async () => {
      isStarted = false;
      await Promise.all([...workers.values()].map(worker => worker.stop()));
      await Promise.all(ending);
    },
  };
};
