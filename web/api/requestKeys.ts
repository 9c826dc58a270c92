import { useRef } from 'react';
import { newIdempotencyKey, ProblemError } from '../../client/index.js';

/** Answers of a proxy that has lost the service. */
const lostStatuses: readonly number[] = [502, 504];

/** Whether a request that failed may have taken effect: its answer was lost, or says so. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ProblemError &&
  (error.status === 0 || lostStatuses.includes(error.status) || error.code === 'outcomeUnknown');

/** A text that equal requests have in common. */
const textOf = (sent: unknown): string =>
  JSON.stringify([sent], (_, value: unknown) =>
    value instanceof File ? [value.name, value.size, value.lastModified] : value,
  );

/**
 * Returns a function that sends a request with a key. A request that is sent again because its outcome is unknown has
 * the key that it had before: both together take effect once.
 */
export const useRequestKeys = () => {
  const unknown = useRef<{ readonly text: string; readonly key: string }>(undefined);
  return async <Got>(sent: unknown, send: (key: string) => Promise<Got>): Promise<Got> => {
    const text = textOf(sent);
    const key = unknown.current?.text === text ? unknown.current.key : newIdempotencyKey();
    unknown.current = undefined;
    try {
      return await send(key);
    } catch (error) {
      if (isOutcomeUnknown(error)) unknown.current = { text, key };
      throw error;
    }
  };
};
