import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Environment } from '../environment.js';
import { isTransient } from '../processManager/followUpParts.js';
import { attempt } from './attempt.js';
import type { DeliveryState } from './deliveries.js';
import { deliveryPlan, progressAfter } from './deliveryPlan.js';
import { startingState, waitOf } from './progress.js';
import { readAhead, type Ahead, type Next } from './readAhead.js';
import type { WorkerParts } from './workerParts.js';

/** Delivers the messages of one webhook, one at a time in the order of the log. */
export type WebhookWorker = {
  /** To be called when there may be something to deliver. */
  readonly wake: () => void;
  /** Ends the request under way; its message is sent again after the next start. */
  readonly stop: () => Promise<void>;
};

/** Wait after an error of a store, and after the end of the lease of another instance. */
const errorDelayMs = 5000;

/** Maximum waiting messages of a webhook; later ones are read when these are delivered. */
const waitingMax = 1000;

/** Longest sleep, because the clock of the machine may be corrected meanwhile. */
const sleepMaxMs = 600_000;

export const webhookWorker = (id: string, parts: WorkerParts): WebhookWorker => {
  const { models, deliveries, logger, environment } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const current = (): WebhookRecord | undefined => {
    const webhook = models.webhooks.one(id);
    return signal.aborted || webhook?.status !== 'active' ? undefined : webhook;
  };

  /** Messages that wait, and the state that they follow. */
  let kept: { readonly state: DeliveryState; readonly ahead: Ahead } | undefined;

  /** Delivers the messages that are due; returns the milliseconds until the next pass, undefined when nothing waits. */
  const deliver = async (claimed: DeliveryState | undefined): Promise<number | undefined> => {
    let stored = claimed;
    /** Whether the log was read in this pass: kept messages may not reach its end any more. */
    let isFresh = false;
    for (;;) {
      const webhook = current();
      if (!webhook) return undefined;
      const state = startingState(webhook, stored);
      const waitMs = waitOf(state, environment.nowMs());
      if (waitMs > 0) return waitMs;
      if (!kept || !isSame(kept.state, state)) {
        kept = { state, ahead: await readAhead(parts, webhook, state) };
        isFresh = true;
      }
      const { ahead } = kept;
      const { messages, reached } = ahead;
      const isEnd = ahead.isEnd && isFresh;
      const plan = deliveryPlan(messages, webhook, environment.nowMs(), parts.clockOf);
      const [first, ...others] = plan.batch;
      if (first) {
        const accepted = progressAfter(state, messages, plan.batch);
        stored = await attempt(parts, { webhook, state, batch: [first, ...others], accepted, signal });
        if (!stored) return undefined;
        kept = { state: stored, ahead: stored.failing ? ahead : without(ahead, plan.batch) };
      } else if (messages.length === 0) {
        kept = undefined;
        stored = { ...state, cursor: reached, readFrom: reached, ahead: {} };
        if (!(await deliveries.save(id, stored))) return errorDelayMs;
        if (isEnd) return undefined;
      } else {
        // Later messages may be urgent, or of a source in another time zone.
        if (isEnd || messages.length >= waitingMax) return plan.waitMs;
        kept = { state, ahead: await readAhead(parts, webhook, state, ahead) };
        isFresh = true;
      }
    }
  };

  const pass = async (): Promise<number | undefined> => {
    if (!current()) return undefined;
    const claim = await deliveries.claim(id);
    if ('busyUntilMs' in claim) return Math.max(claim.busyUntilMs - environment.nowMs(), 0) + errorDelayMs;
    try {
      return await deliver(claim.state);
    } finally {
      // A lease that cannot be given back ends by itself.
      await deliveries.release(id).catch(() => undefined);
    }
  };

  return repeatedly(
    environment,
    async () => {
      try {
        return await pass();
      } catch (error) {
        if (!signal.aborted && !isTransient(error))
          logger.error({ err: error, webhook: id }, 'deliveries of a webhook failed; retrying');
        return errorDelayMs;
      }
    },
    stopping,
  );
};

/** Runs `work` when woken, and again after the milliseconds that it returns. */
const repeatedly = (
  { after }: Pick<Environment, 'after'>,
  work: () => Promise<number | undefined>,
  stopping: AbortController,
): WebhookWorker => {
  const { signal } = stopping;
  let isAsked = false;
  let working: Promise<void> | undefined;
  let cancelSleep = (): void => {};
  const run = async (): Promise<void> => {
    while (isAsked && !signal.aborted) {
      isAsked = false;
      const sleepMs = await work();
      if (sleepMs !== undefined && !signal.aborted) cancelSleep = after(Math.min(sleepMs, sleepMaxMs), wake);
    }
    working = undefined;
  };
  const wake = (): void => {
    if (signal.aborted) return;
    isAsked = true;
    cancelSleep();
    working ??= run();
  };
  return {
    wake,
    stop: async () => {
      stopping.abort();
      cancelSleep();
      await working;
    },
  };
};

const without = (ahead: Ahead, sent: readonly Next[]): Ahead => {
  const done = new Set(sent);
  return { ...ahead, messages: ahead.messages.filter(next => !done.has(next)) };
};

/** Whether two states have the same progress. */
const isSame = (one: DeliveryState, other: DeliveryState): boolean =>
  one.cursor === other.cursor &&
  one.replayId === other.replayId &&
  JSON.stringify(one.ahead) === JSON.stringify(other.ahead);
