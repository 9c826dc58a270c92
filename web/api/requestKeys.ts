import { newIdempotencyKey } from '../../client/index.js';

/** Keys of requests that have not succeeded, by what they send; they outlive the form, as its typed texts do. */
const keys = new Map<string, string>();

/** A text that equal requests have in common. */
const textOf = (sent: unknown): string =>
  JSON.stringify([sent], (_, value: unknown) =>
    value instanceof File ? [value.name, value.size, value.lastModified] : value,
  );

/**
 * Sends a request with a key. One that is sent again after it failed has the key that it had before: an earlier attempt
 * may have taken effect, whatever the last one was answered. The service forgets keys of requests that it refused.
 */
export const withKey = async <Got>(sent: unknown, send: (key: string) => Promise<Got>): Promise<Got> => {
  const text = textOf(sent);
  const key = keys.get(text) ?? newIdempotencyKey();
  keys.set(text, key);
  const got = await send(key);
  keys.delete(text);
  return got;
};

/** Forgets the keys after a person took something back: a request that is sent again then is a new one. */
export const forgetKeys = (): void => keys.clear();
