import { system } from '../environment.js';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { streamNameFilter, END } from '@eventstore/db-client';
import { streamBeginnings } from '../../domain/streams.js';
import { exponentialBackoff } from '../../application/commands/backoff.js';
import { failureOf, type Connection, endCall } from './connection.js';

/** A running task that can be stopped. */
export type Stoppable = { readonly stop: () => Promise<void> };

type Subscribing<Call extends Readable> = {
  readonly name: string;
  /** Subscribes; may fail. */
  readonly open: () => Promise<Call>;
  /** Called when the subscription is confirmed: events follow. */
  readonly confirmed?: () => void;
  readonly take: (item: unknown, call: Call) => void;
  readonly log: Logger;
  /** Milliseconds after which an unconfirmed subscription is opened again. */
  readonly confirmationMs?: number | undefined;
};

/**
 * Keeps a subscription open, with exponential backoff. The client never resumes one, whether the server went away or
 * dropped a slow reader.
 */
export const keepSubscribed = <Call extends Readable>({
  name,
  open,
  confirmed,
  take,
  log,
  confirmationMs = 10_000,
}: Subscribing<Call>): Stoppable => {
  const backoff = exponentialBackoff(system);
  let stopped = false;
  let end = (_?: unknown): void => {};

  /** Runs one subscription; resolves to the error that ended it. */
  const once = (): Promise<unknown> =>
    new Promise(resolve => {
      let call: Call | undefined;
      let over = false;
      end = error => {
        clearTimeout(timer);
        over = true;
        if (call) endCall(call);
        resolve(error);
      };
      // The client waits without limit before a subscription begins.
      const timer = setTimeout(end, confirmationMs, new Error('not confirmed in time'));
      const begin = (begun: Call): void => {
        call = begun;
        if (over) return endCall(begun);
        begun.once('confirmation', () => {
          clearTimeout(timer);
          if (!over) confirmed?.();
        });
        begun.on('data', (item: unknown) => {
          if (over) return;
          backoff.reset();
          take(item, begun);
        });
        for (const name of ['error', 'end', 'close'])
          begun.once(name, (error?: unknown) => {
            if (!over) end(error);
          });
      };
      open().then(begin, end);
    });

  const run = async (): Promise<void> => {
    while (!stopped) {
      const ended = await once();
      if (stopped) return;
      const failure = failureOf(ended);
      log.warn(
        { subscription: name, passing: name, reason: 'reason' in failure ? failure.reason : failure.kind },
        'subscription ended; resubscribing',
      );
      await backoff.wait();
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopped = true;
      backoff.cancel();
      end();
      await running;
    },
  };
};

/**
 * Calls `wake` when any instance has appended to the log. Missed events do not matter, because each new subscription
 * calls `wake` as well.
 */
export const watch = (
  { client, prefix }: Connection,
  wake: () => void,
  log: Logger,
  { confirmationMs }: { readonly confirmationMs?: number } = {},
): Stoppable =>
  keepSubscribed({
    name: 'log',
    open: async () =>
      client.subscribeToAll({
        fromPosition: END,
        filter: streamNameFilter({
          prefixes: streamBeginnings.map(kind => prefix + kind),
        }),
      }),
    confirmed: wake,
    take: wake,
    log,
    confirmationMs,
  });
