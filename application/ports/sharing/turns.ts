import type { Environment } from '../environment.js';
import { turnMs } from './eventLoopYielder.js';
import { tenantQueues } from './fairQueue.js';

/**
 * Shares the event loop between tenants. Work of some milliseconds asks for a turn before it begins and between its
 * steps, so that neither many requests nor a long one block the others.
 */
export type Turns = {
  /**
   * Resolves when a tenant's work may begin: at once, unless the present turn has already lasted `turnMs`.
   * @throws reason of the client's signal, when it is aborted while the work waits
   */
  readonly take: (tenant: string, client?: { readonly signal: AbortSignal }) => Promise<void> | undefined;
  /** Yields to the event loop: resolves after all other work that is ready. */
  readonly nextTurn: () => Promise<void>;
  /** Returns a function to await between steps of a tenant's work: it yields when `turnMs` have passed. */
  readonly yielderFor: (tenant: string, signal?: AbortSignal) => () => Promise<void> | undefined;
  /** Number of tasks that wait for a turn. */
  readonly waiting: () => number;
};

/** Turns of this process. */
export const turns = ({ elapsedMs, nextTurn }: Pick<Environment, 'elapsedMs' | 'nextTurn'>): Turns => {
  const queues = tenantQueues<() => void>();
  /** Start of the present turn; undefined while nothing waits. */
  let begun: number | undefined;

  /** Starts one waiting task per turn, because its duration is not known. */
  const serve = async (): Promise<void> => {
    for (;;) {
      await nextTurn();
      const next = queues.shift();
      begun = next && elapsedMs();
      if (!next) return;
      next();
    }
  };
  const begin = (): void => {
    if (begun !== undefined) return;
    begun = elapsedMs();
    void serve();
  };
  const wait = (tenant: string, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', drop);
        resolve();
      };
      const drop = (): void => {
        queues.remove(tenant, go);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) return drop();
      signal?.addEventListener('abort', drop, { once: true });
      queues.push(tenant, go);
      begin();
    });

  return {
    nextTurn,
    waiting: queues.count,
    take: (tenant, client) => {
      const isFree = begun === undefined || (queues.count() === 0 && elapsedMs() - begun < turnMs);
      if (!isFree) return wait(tenant, client?.signal);
      begin();
      return undefined;
    },
    yielderFor: (tenant, signal) => {
      let since = elapsedMs();
      return () => {
        if (elapsedMs() - since < turnMs) return undefined;
        return wait(tenant, signal).then(() => {
          since = elapsedMs();
        });
      };
    },
  };
};
