import type { Failing } from './deliveries.js';

const firstMs = 5000;
const factor = 2;
const longestMs = 3_600_000;

/** Time of failures after which a webhook is disabled. */
export const failingMaxMs = 24 * 3_600_000;

/**
 * Wait before the next attempt: exponential backoff from 5 seconds to an hour, shortened by a random share up to half.
 * @param attempts     failed so far, ≥ 1
 * @param random       in [0, 1)
 * @param retryAfterMs wait that the receiver asked for; more than an hour counts as an hour
 */
export const retryDelayMs = (attempts: number, random: number, retryAfterMs = 0): number => {
  const backoffMs = Math.min(longestMs, firstMs * factor ** Math.min(attempts - 1, 30));
  return Math.max(backoffMs * (1 - random / 2), Math.min(retryAfterMs, longestMs));
};

/** The failure after one more attempt; null when its time is over. */
export const nextFailing = (
  before: Failing | null,
  { eventId, activation }: Pick<Failing, 'eventId' | 'activation'>,
  { nowMs, random, retryAfterMs }: { nowMs: number; random: number; retryAfterMs: number | undefined },
): Failing | null => {
  const now = new Date(nowMs).toISOString();
  const since = before?.since ?? now;
  const attempts = (before?.attempts ?? 0) + 1;
  if (nowMs - Date.parse(since) >= failingMaxMs) return null;
  const nextAt = new Date(nowMs + retryDelayMs(attempts, random, retryAfterMs)).toISOString();
  return { eventId, activation, since, attempts, nextAt };
};
