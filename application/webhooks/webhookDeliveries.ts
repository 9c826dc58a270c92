import type { KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { messageCauses } from '../../domain/webhooks/messageCauses.js';
import { fairQueue } from '../sharing/fairQueue.js';
import { keyedQueue } from '../sharing/keyedQueue.js';
import { announcements } from './messages.js';
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

/** Steps of replays that run at once: one of a tenant. A step reads a page of events or sends one message. */
const replayStepsMax = 8;

const replaySteps = (): WorkerParts['replays'] => {
  const ofTenant = keyedQueue();
  const slots = fairQueue({ atOnce: replayStepsMax, waitingMax: Infinity, name: 'steps of replays' });
  return { run: (tenant, step) => ofTenant.run(tenant, () => slots.run(tenant, step)) };
};

export const webhookDeliveries = (
  shared: Omit<WorkerParts, 'replays' | 'announcedAt'>,
): WebhookDeliveries => {
  const parts = { ...shared, replays: replaySteps(), announcedAt: announcements(shared.models) };
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
        else if (Object.hasOwn(messageCauses, event.type)) {
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
