/** Runs the tasks of one key one after the other, and those of different keys concurrently. */
export type KeyedQueue = {
  /** Runs a task after the earlier tasks of its key, also after those that failed. */
  readonly run: <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;
  /** Resolves when all tasks given so far have ended, failed ones included. */
  readonly idle: () => Promise<void>;
};

/** An empty queue. A key takes no memory once its tasks have ended. */
export const keyedQueue = (): KeyedQueue => {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: async (key, task) => {
      const before = last.get(key);
      const result = before ? before.then(task, task) : task();
      last.set(key, result);
      try {
        return await result;
      } finally {
        if (last.get(key) === result) last.delete(key);
      }
    },
    idle: async () => void (await Promise.allSettled(last.values())),
  };
};
