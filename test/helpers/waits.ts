/** Longest time that tests wait for one thing, in ms: long, since a busy machine is no fault. */
export const longestMs = 90_000;

/**
 * Time that a request of a test waits for its check, in ms: longer than in a real service, so that answers of a busy
 * machine have their results, too. Tests of checks that cannot end wait as long.
 */
export const outcomeMs = 30_000;

/** Turns of the event loop during some work. */
export const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
};
