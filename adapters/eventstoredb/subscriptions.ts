import { system } from '../environment.js';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { streamNameFilter, END } from '@eventstore/db-client';
import { streamBeginnings } from '../../domain/events.js';
import { exponentialBackoff } from '../../application/backoff.js';
import { failureOf, type Connection } from './connection.js';
import { endCall } from './streaming.js';

/** Something that goes on until it is stopped. */
export type Kept = { readonly stop: () => Promise<void> };

type Subscribing<Call extends Readable> = {
  readonly name: string;
  /** Subscribes. May fail. */
  readonly open: () => Promise<Call>;
  /** It stands: from now on events come. */
  readonly confirmed?: () => void;
  readonly take: (item: unknown, call: Call) => void;
  readonly log: Logger;
  /** A subscription that does not stand after so long is begun anew. */
  readonly confirmationMs?: number | undefined;
};

/**
 * Keeps a subscription going: the client never resumes one, whatever ended it, a server that went away or one
 * that dropped a reader for being slow. Growing pauses lie between the tries.
 */
export const kept = <Call extends Readable>({
  name,
  open,
  confirmed,
  take,
  log,
  confirmationMs = 10_000,
}: Subscribing<Call>): Kept => {
  const backoff = exponentialBackoff(system);
  let stopped = false;
  let end = (_?: unknown): void => {};

  /** One subscription, from its beginning to its end; resolves to what ended it. */
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
      // The client waits without end for what is asked before a subscription begins.
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
        { subscription: name, reason: 'reason' in failure ? failure.reason : failure.kind },
        'subscribing again',
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
 * Calls `wake` when anyone has appended to the log. Only what is read counts: an event that wakes is looked at by
 * nobody, so one that a dropped subscription misses is missed by nobody, as each new subscription wakes as well.
 */
export const watch = (
  { client, prefix }: Connection,
  wake: () => void,
  log: Logger,
  { confirmationMs }: { readonly confirmationMs?: number } = {},
): Kept =>
  kept({
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
