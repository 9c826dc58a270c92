import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from '../environment.js';

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
