import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;
/** Longer than a test file takes on a busy machine. */
const nearMs = 5 * 60_000;

/** The present date in UTC, which stays it for five minutes: near midnight it waits for the next one. */
export const presentDate = async (nowMs: () => number = Date.now): Promise<string> => {
  const leftMs = dayMs - (nowMs() % dayMs);
  if (leftMs < nearMs) await sleep(leftMs + 1000);
  return new Date(nowMs()).toISOString().slice(0, 10);
};
