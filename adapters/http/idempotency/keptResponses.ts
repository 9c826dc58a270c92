import type { CommandMetadata } from '../../../application/commandHandler.js';
import { Problem } from '../problem.js';
import type { Answer } from '../route.js';

/**
 * Kept responses of requests with an Idempotency-Key: a repeated POST gets the same answer. They are not part of the
 * log. Each attempt of a request has the same command id and commands are idempotent, so a crash before the response is
 * kept loses nothing. Without a kept response a repeated request is a new one.
 */
export type KeptResponses = {
  /**
   * Begins a request under a key. Resolves to the command id, the same for each attempt, or to the kept response.
   * @param holder encrypted subject that the key belongs to
   * @param key    digest of the key: its text is not stored
   * @param digest of method, address and body
   * @throws Problem 422 when the key belongs to another request, 409 while an earlier attempt is in progress
   */
  readonly begin: (
    holder: string,
    key: string,
    digest: string,
    at: string,
  ) => Promise<Pick<CommandMetadata, 'id' | 'isRetry'> | { readonly answer: Answer }>;
  /** Keeps the response of a request that began. */
  readonly keep: (holder: string, key: string, answer: Answer) => Promise<void>;
  /** Releases the key of a failed request: another request may use it. */
  readonly forget: (holder: string, key: string) => Promise<void>;
  /**
   * Ends an attempt that a rule refused. Releases the key, unless an earlier attempt may still run on another instance.
   * @param at instant of the refusal
   * @returns whether that earlier attempt may still take effect
   */
  readonly refuse: (holder: string, key: string, at: string) => Promise<boolean>;
  /** Ends an attempt whose outcome is unknown: the same request may be sent again. */
  readonly leave: (holder: string, key: string) => void;
  /** Deletes the responses of a data folder whose log was replaced; shared ones stay. */
  readonly clear: () => void;
  readonly close: () => void;
};

/** How long responses are kept. */
export const keptDays = 7;

export const keyInUse = (): Problem =>
  new Problem('keyInUse', 'a request with this Idempotency-Key is in progress; retry later', {
    headers: { 'Retry-After': '5' },
  });
export const keyReused = (): Problem =>
  new Problem('keyReused', 'another request used this Idempotency-Key; use a new one');
