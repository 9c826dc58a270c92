import type { Logger } from 'pino';
import { streams, type KnownEvent } from '../../domain/events.js';
import { webhooks, type DisabledReason } from '../../domain/webhooks.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { CommandHandler } from '../commandHandler.js';
import { instantOf, type Environment } from '../environment.js';
import { derivedId } from '../ids.js';
import { deliverySpan } from '../tracing/deliverySpan.js';
import type { Tracer } from '../tracing/tracer.js';
import { isTransient } from '../processManager/followUpParts.js';
import type { Attempt, DeliveryState, DeliveryStore, Sent } from './deliveries.js';
import type { Dispatch } from './dispatch.js';
import { judge, startingState, waitOf } from './progress.js';
import { readAhead, type Ahead, type Next, type ReadingParts } from './readAhead.js';

/** Parts that all workers share. */
export type WorkerParts = ReadingParts & {
  readonly models: Pick<ReadModels, 'webhooks'>;
  readonly handle: CommandHandler;
  readonly deliveries: DeliveryStore;
  readonly dispatch: Dispatch;
  /** Absent for no tracing. */
  readonly tracer?: Tracer;
  readonly logger: Logger;
  readonly environment: Environment;
};

/** Delivers the messages of one webhook, one at a time in the order of the log. */
export type WebhookWorker = {
  /** To be called when there may be something to deliver. */
  readonly wake: () => void;
  /** Ends the request under way; its message is sent again after the next start. */
  readonly stop: () => Promise<void>;
};

/** Wait after an error of a store, and after the end of the lease of another instance. */
const errorDelayMs = 5000;

/** Longest sleep: clocks of machines are corrected now and then. */
const sleepMaxMs = 600_000;

export const webhookWorker = (id: string, parts: WorkerParts): WebhookWorker => {
  const { models, deliveries, logger, environment } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const current = (): WebhookRecord | undefined => {
    const webhook = models.webhooks.one(id);
    return signal.aborted || webhook?.status !== 'active' ? undefined : webhook;
  };

  /** Delivers until nothing is left; returns the milliseconds after which to look again. */
  const deliver = async (claimed: DeliveryState | undefined): Promise<number | undefined> => {
    let stored = claimed;
    let ahead: (Ahead & { readonly replayId: string | null }) | undefined;
    let index = 0;
    for (;;) {
      const webhook = current();
      if (!webhook) return undefined;
      const state = startingState(webhook, stored);
      const waitMs = waitOf(state, environment.nowMs());
      if (waitMs > 0) return waitMs;
      if (!ahead || ahead.replayId !== state.replayId) {
        ahead = { ...(await readAhead(parts, webhook, state)), replayId: state.replayId };
        index = 0;
      }
      const next = ahead.messages[index];
      if (next) {
        stored = await attempt(parts, { webhook, state, next, signal });
        if (!stored) return undefined;
        if (!stored.failing) index += 1;
        continue;
      }
      stored = { ...state, cursor: ahead.reached, readFrom: ahead.reached };
      if (!(await deliveries.save(id, stored))) return errorDelayMs;
      if (ahead.isEnd) return undefined;
      ahead = undefined;
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
    signal,
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
  signal: AbortSignal,
  work: () => Promise<number | undefined>,
  stopping: AbortController,
): WebhookWorker => {
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

type Delivery = {
  readonly webhook: WebhookRecord;
  readonly state: DeliveryState;
  readonly next: Next;
  readonly signal: AbortSignal;
};

/** Sends a message once; the state after it, undefined when this instance must not go on. */
const attempt = async (
  parts: WorkerParts,
  { webhook, state, next: { event, message }, signal }: Delivery,
): Promise<DeliveryState | undefined> => {
  const { dispatch, deliveries, tracer, environment } = parts;
  const at = instantOf(environment);
  const sent = await dispatch(webhook, message, signal);
  if (signal.aborted) return undefined;
  const judged = judge(sent, state, { webhook, event }, environment);
  const tried: Attempt = {
    id: message.id,
    type: message.type,
    sourceId: message.sourceId,
    position: String(event.position),
    at,
    attempt: (state.failing?.attempts ?? 0) + 1,
    ...resultOf(sent),
    outcome: judged.outcome,
  };
  tracer?.record(deliverySpan(webhook.id, event, tried));
  const isStored = await deliveries.save(webhook.id, judged.state, tried);
  if (judged.disable) await disable(parts, webhook, judged.disable, event);
  return isStored && !judged.disable ? judged.state : undefined;
};

const resultOf = (sent: Sent | 'keyLost'): Pick<Attempt, 'status' | 'failure' | 'latencyMs'> =>
  sent === 'keyLost'
    ? { status: null, failure: 'keyLost', latencyMs: 0 }
    : { status: sent.status, failure: sent.failure, latencyMs: Math.round(sent.latencyMs) };

const disable = async (
  { handle, logger, environment }: WorkerParts,
  { id, tenant, host, activation }: WebhookRecord,
  reason: DisabledReason,
  event: KnownEvent,
): Promise<void> => {
  const metadata = {
    id: derivedId('disable', id, activation, event.id),
    isRetry: false,
    by: 'reactor',
    cause: event.id,
    correlation: event.metadata.correlation,
    at: instantOf(environment),
  };
  const command = { type: 'DisableWebhook', webhookId: id, reason } as const;
  await handle(webhooks, streams.webhooks(tenant), command, metadata);
  logger.warn(
    { webhook: id, tenant, host, reason },
    'a webhook was disabled; enable it when its receiver works',
  );
};
