import { setTimeout as sleep } from 'node:timers/promises';
import { plural } from '../../../domain/text.js';

/** A feed or a request failed. `exitCode`: 1 its data or query is wrong, 2 its settings, 3 something is unavailable. */
export class PullFault extends Error {
  readonly name = 'PullFault';
  readonly exitCode: 1 | 2 | 3;

  constructor(exitCode: 1 | 2 | 3, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A request failed for a reason that may pass. */
export class Transient extends Error {
  readonly name = 'Transient';
  /** Wait that the server asks for, 0 for none. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

const firstPauseMs = 500;
const pauseMsMax = 30_000;
/** Longest wait that a server may ask for. */
const retryAfterMsMax = 120_000;

/** Wait before the next attempt: exponential backoff with jitter, at least what the server asks for. */
export const pauseMs = (attempt: number, retryAfterMs: number, random: number): number =>
  Math.max(
    Math.min(retryAfterMs, retryAfterMsMax),
    Math.min(pauseMsMax, firstPauseMs * 2 ** attempt) * (0.5 + random / 2),
  );

/** Milliseconds of a header Retry-After, which has seconds or a date; 0 for another text. */
export const retryAfterMs = (header: string | null | undefined, nowMs: number): number => {
  const text = header?.trim() ?? '';
  if (/^\d{1,6}$/.test(text)) return 1000 * Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
};

/** How often requests are repeated, and what ends them. */
export type Retries = { readonly retries: number; readonly signal: AbortSignal };

/** Runs `work` again while its fault may pass. @throws PullFault, or the reason of the signal */
export const retried = async <Result>(
  { retries, signal }: Retries,
  work: () => Promise<Result>,
): Promise<Result> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Transient)) throw error;
      if (attempt >= retries)
        throw new PullFault(3, `${error.message}, after ${plural(attempt + 1, 'attempt')}`);
      await sleep(pauseMs(attempt, error.retryAfterMs, Math.random()), undefined, { signal });
    }
  }
};

/** Whether an answer says that a later attempt may succeed. */
export const mayPass = (status: number): boolean => status === 408 || status === 429 || status >= 500;
