import type { Environment } from '../environment.js';
import { turnMs } from '../chunks.js';
import { tenantLines } from './tenantLines.js';

/**
 * Turns of the event loop that tenants share: work of some milliseconds asks for one before it begins, and between its
 * parts, so that neither many requests at once nor a long one keeps the event loop from all others.
 */
export type Turns = {
  /**
   * Resolves when a tenant's work may begin: at once, unless this turn of the event loop has had its time already.
   * @throws signal's reason  when it is aborted before
   */
  readonly take: (tenant: string, signal?: AbortSignal) => Promise<void> | undefined;
  /** Resolves when everything else that is ready has had its turn. */
  readonly nextTurn: () => Promise<void>;
  /** A function to await between parts of a tenant's work: others go first when `turnMs` have passed. */
  readonly breather: (tenant: string, signal?: AbortSignal) => () => Promise<void> | undefined;
};

/** Turns as the event loop of this process gives them. */
export const turns = ({ elapsedMs, nextTurn }: Pick<Environment, 'elapsedMs' | 'nextTurn'>): Turns => {
  const lines = tenantLines<() => void>();
  /** When the work of the present turn began; none while nothing waits for the next. */
  let begun: number | undefined;

  /** One that waits goes at each turn: how long its work takes is not known before. */
  const serve = async (): Promise<void> => {
    for (;;) {
      await nextTurn();
      const next = lines.shift();
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
        lines.remove(tenant, go);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) return drop();
      signal?.addEventListener('abort', drop, { once: true });
      lines.push(tenant, go);
      begin();
    });

  return {
    nextTurn,
    take: (tenant, signal) => {
      const isFree = begun === undefined || (lines.count() === 0 && elapsedMs() - begun < turnMs);
      if (!isFree || signal?.aborted) return wait(tenant, signal);
      begin();
      return undefined;
    },
    breather: (tenant, signal) => {
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
