import { StoreUnavailable } from '../../application/eventStore.js';
import { readModels, type ReadModels } from '../../projections/readModels.js';
import { guarded, isBroken, replaceable } from './database.js';
import { guardWrites } from './guardedReadModels.js';

/** Read models in a file that may be damaged while the service runs. */
export type DurableReadModels = {
  readonly models: ReadModels;
  /** Sets the function that is called when the read models were replaced by empty ones. */
  readonly onEmptied: (call: () => void) => void;
  readonly close: () => void;
};

type Functions = Readonly<Record<string, unknown>>;

/** The same functions, each called through `through` on the current object. */
const delegating = (current: () => Functions, through: <Result>(call: () => Result) => Result): Functions =>
  Object.fromEntries(
    Object.entries(current()).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? (...given: readonly unknown[]) =>
            through(() => (current()[name] as (...given: readonly unknown[]) => unknown)(...given))
        : delegating(() => current()[name] as Functions, through),
    ]),
  );

/**
 * Opens the read models of a running service. Any call that finds their file damaged replaces them by empty ones, calls
 * the function given to `onEmptied`, and throws StoreUnavailable: the log has everything needed to fill them again.
 * @param damaged called with the reason when a damaged file is replaced, also at the start
 */
export const durableReadModels = (file: string, damaged: (why: unknown) => void): DurableReadModels => {
  const { current, replace, close } = replaceable(file, 'NORMAL', readModels, damaged);
  let emptied = (): void => {};
  const through = <Result>(call: () => Result): Result => {
    const used = current();
    try {
      return call();
    } catch (error) {
      if (!isBroken(error)) throw error;
      // An inner call may have replaced them already.
      if (used === current()) {
        guarded(() => replace(error));
        emptied();
      }
      throw new StoreUnavailable('the read models were damaged; they are rebuilt from the log', {
        cause: error,
      });
    }
  };
  return {
    models: guardWrites(delegating(current as unknown as () => Functions, through) as unknown as ReadModels),
    onEmptied: call => void (emptied = call),
    close,
  };
};
