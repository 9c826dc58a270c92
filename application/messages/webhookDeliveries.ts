import type { KnownEvent } from '../../domain/events.js';
import { sourceOf, tenantOf } from '../../domain/streams.js';
import { messageCauses } from '../../domain/webhooks/messageCauses.js';
import { fairQueue, keyedQueue } from '../ports/sharing/fairQueue.js';
import { announcements } from './messageContent.js';
import { type WorkerParts, attempt, errorDelayMs, saveProgress } from './attempt.js';
import { refreshOpenAlerts } from './refresh.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { repeatedly, type Repeated } from '../ports/environment.js';
import { reportedAs } from '../followUps/followUpParts.js';
import type { DeliveryState } from '../ports/deliveries.js';
import { deliveryPlan, progressAfter, readAhead, type Ahead, type Next } from './deliveryPlan.js';
import { isReplaying, startingState, retryWait } from './progress.js';

/** Maximum waiting messages of a webhook; later ones are read when these are delivered. */
const waitingMax = 1000;

/** Progress within a pass. `isFresh`: the end of the log was looked for in this pass, not only in an earlier one. */
type Progress = { readonly state: DeliveryState; readonly isFresh: boolean };
/** Milliseconds until the next pass, undefined when nothing waits. */
type Sleep = { readonly sleepMs: number | undefined };

/**
 * Delivers the messages of one webhook, one at a time in the order of the log. A message whose request is under way at
 * the stop is sent again after the next start.
 */
const webhookWorker = (id: string, parts: WorkerParts): Repeated => {
  const { models, deliveries, logger, environment } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const current = (): WebhookRecord | undefined => {
    const webhook = models.webhooks.one(id);
    return signal.aborted || webhook?.status !== 'active' ? undefined : webhook;
  };

  /** Messages that wait, and the state that they follow. */
  let kept: { readonly state: DeliveryState; readonly ahead: Ahead } | undefined;
  const retryWaitMs = retryWait(environment);

  /** Whether the last refresh failed: of failures in a row the first is noted. */
  let isRefreshFailing = false;
  /** Stores that all messages are delivered; a receiver that forgets open alerts gets them again when that is due. */
  const refresh = async (webhook: WebhookRecord, reached: DeliveryState): Promise<Sleep> => {
    const { state, attempt: failed, sleepMs } = await refreshOpenAlerts(parts, webhook, reached, signal);
    const noted = isRefreshFailing ? undefined : failed;
    const isStored = !signal.aborted && (await saveProgress(parts, signal, id, state, noted));
    isRefreshFailing = failed !== undefined;
    return { sleepMs: isStored ? sleepMs : errorDelayMs };
  };

  /** Delivers the messages that are due, or reads on. */
  const step = async ({ state, isFresh }: Progress): Promise<Progress | Sleep> => {
    const webhook = current();
    if (!webhook) return { sleepMs: undefined };
    const known = kept && isSame(kept.state, state) ? kept.ahead : undefined;
    const ahead = known ?? (await readAhead(parts, webhook, state));
    const isNowFresh = isFresh || !known;
    const messages = notInFuture(ahead.messages, environment.nowMs());
    kept = { state, ahead: { ...ahead, messages } };
    const isEnd = ahead.isEnd && isNowFresh;
    const plan = deliveryPlan(messages, webhook, environment.nowMs(), parts.clockOf);
    const [first, ...others] = plan.batch;
    if (first) {
      const accepted = progressAfter(state, messages, plan.batch);
      const stored = await attempt(parts, { webhook, state, batch: [first, ...others], accepted, signal });
      // A test message may have stored an attempt meanwhile; after the stop there is no further pass.
      if (!stored) return { sleepMs: errorDelayMs };
      if (stored === 'changed') {
        kept = undefined;
        return { state, isFresh: false };
      }
      kept = { state: stored, ahead: stored.failing ? kept.ahead : without(kept.ahead, plan.batch) };
      return { state: stored, isFresh: isNowFresh };
    }
    if (messages.length === 0) {
      kept = undefined;
      const reached = { ...state, cursor: ahead.reached, ahead: {} };
      if (isEnd) return await refresh(webhook, reached);
      if (!(await deliveries.save(id, reached))) return { sleepMs: errorDelayMs };
      return { state: reached, isFresh: isNowFresh };
    }
    // Later messages may be urgent, or of a source in another time zone.
    if (isEnd || messages.length >= waitingMax) return { sleepMs: plan.waitMs };
    kept = { state, ahead: await readAhead(parts, webhook, state, kept.ahead) };
    return { state, isFresh: true };
  };

  /** Delivers until nothing is due; returns the milliseconds until the next pass, undefined when nothing waits. */
  const deliver = async (claimed: DeliveryState | undefined): Promise<number | undefined> => {
    let stored = claimed;
    let isFresh = false;
    for (;;) {
      const webhook = current();
      if (!webhook) return undefined;
      const state = startingState(webhook, stored);
      const waitMs = retryWaitMs(state.failing);
      if (waitMs > 0) return waitMs;
      const run = () => step({ state, isFresh });
      const next = await (isReplaying(webhook, state) ? parts.replays.run(webhook.tenant, run) : run());
      if ('sleepMs' in next) return next.sleepMs;
      ({ state: stored, isFresh } = next);
    }
  };

  const pass = async (): Promise<number | undefined> => {
    if (!current()) return undefined;
    if (!(await parts.haveAll(0n))) return errorDelayMs;
    const claim = await deliveries.claim(id);
    if ('busyUntilMs' in claim) return Math.max(claim.busyUntilMs - environment.nowMs(), 0) + errorDelayMs;
    try {
      // Read models of an earlier moment have earlier replays, addresses and states of alerts.
      if (!(await parts.haveAll(claim.state?.cursor ?? 0n))) return errorDelayMs;
      return await deliver(claim.state);
    } finally {
      // A lease that cannot be given back ends by itself.
      await deliveries.release(id).catch(() => undefined);
    }
  };

  const failed = reportedAs(logger, 'deliveries of a webhook failed; retrying', { webhook: id });
  return repeatedly({ environment, failed, retryMs: errorDelayMs, stopping }, pass);
};

/** Messages whose time is in the future, because the clock was set back, wait from now on. */
const notInFuture = (messages: readonly Next[], nowMs: number): readonly Next[] =>
  messages.some(({ atMs }) => atMs > nowMs)
    ? messages.map(next => (next.atMs > nowMs ? { ...next, atMs: nowMs } : next))
    : messages;

const without = (ahead: Ahead, sent: readonly Next[]): Ahead => {
  const done = new Set(sent);
  return { ...ahead, messages: ahead.messages.filter(next => !done.has(next)) };
};

/** Whether two states have the same progress. */
const isSame = (one: DeliveryState, other: DeliveryState): boolean =>
  one.cursor === other.cursor &&
  one.replayId === other.replayId &&
  JSON.stringify(one.ahead) === JSON.stringify(other.ahead);

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

/** Delivers the messages of all webhooks until it is stopped. */
export const webhookDeliveries = (
  shared: Omit<WorkerParts, 'replays' | 'announcedAt'>,
): WebhookDeliveries => {
  const parts = { ...shared, replays: replaySteps(), announcedAt: announcements(shared.models) };
  const { models, deliveries, logger } = parts;
  const workers = new Map<string, Repeated>();
  const ending = new Set<Promise<void>>();
  let isStarted = false;

  const wake = (id: string): void => {
    const worker = workers.get(id) ?? webhookWorker(id, parts);
    workers.set(id, worker);
    void worker.wake();
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
          const tenant = tenantOf(event.stream) ?? models.sources.setup(sourceOf(event.stream))?.tenant;
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
