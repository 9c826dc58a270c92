import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause, type Environment } from '../environment.js';
import { tenantQueues } from './fairQueue.js';

/** Milliseconds of work after which other requests may use the event loop. */
export const turnMs = 5;

/** Node's event loop: a default, because it has no effect on results. */
const eventLoop: Pick<Environment, 'elapsedMs' | 'nextTurn'> = {
  elapsedMs: () => performance.now(),
  nextTurn: () => nextTurn(),
};

/** Returns a function to await between small steps of work: it yields to the event loop when `turnMs` have passed. */
export const eventLoopYielder = ({
  elapsedMs,
  nextTurn,
}: Pick<Environment, 'elapsedMs' | 'nextTurn'> = eventLoop): (() => Promise<void> | undefined) => {
  let since = elapsedMs();
  const turn = async (): Promise<void> => {
    await nextTurn();
    since = elapsedMs();
  };
  return () => (elapsedMs() - since < turnMs ? undefined : turn());
};

/** Results for the items of a list, made when they are taken; `yieldToEventLoop` is awaited between them. */
export async function* inTurns<Item, Result>(
  items: Iterable<Item>,
  make: (item: Item) => Result,
  yieldToEventLoop: () => Promise<void> | undefined,
): AsyncGenerator<Result, void> {
  for (const item of items) {
    yield make(item);
    await yieldToEventLoop();
  }
}

/** Runs the steps of a generator to its result; `yieldToEventLoop` is awaited between them. */
export const runSteps = async <Result>(
  steps: Generator<void, Result>,
  yieldToEventLoop: () => Promise<void> | undefined,
): Promise<Result> => {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yieldToEventLoop();
  }
};

/** Runs the steps of a generator to its result, without a turn of the event loop between them. */
export const runStepsAtOnce = <Result>(steps: Generator<void, Result>): Result => {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
};

/**
 * Returns a function to await between small steps of background work: after `turnMs` of work it waits until the work
 * has taken a share of the time.
 * @param share  in (0, 1]
 * @param signal ends the waits; the function then throws its reason
 */
export const pacer = (
  share: number,
  environment: Pick<Environment, 'elapsedMs' | 'after'>,
  signal: AbortSignal,
): (() => Promise<void> | undefined) => {
  let since = environment.elapsedMs();
  const wait = async (workedMs: number): Promise<void> => {
    await pause(environment, workedMs * (1 / share - 1), signal);
    signal.throwIfAborted();
    since = environment.elapsedMs();
  };
  return () => {
    const workedMs = environment.elapsedMs() - since;
    return workedMs < turnMs ? undefined : wait(workedMs);
  };
};

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
