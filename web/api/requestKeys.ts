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
 * @param sent begins with the names of its kind, if keys of the kind are forgotten
 */
export const withKey = async <Got>(
  sent: readonly unknown[],
  send: (key: string) => Promise<Got>,
): Promise<Got> => {
  const text = textOf(sent);
  const key = keys.get(text) ?? newIdempotencyKey();
  keys.set(text, key);
  const got = await send(key);
  if (keys.get(text) === key) keys.delete(text);
  return got;
};

/** Forgets the keys of kinds of requests, one of which a person took back: the same request is a new one then. */
export const forgetKeys = (...kinds: readonly string[]): void => {
  const begins = kinds.map(kind => textOf([[kind]]).slice(0, -2));
  for (const text of keys.keys()) if (begins.some(begin => text.startsWith(begin))) keys.delete(text);
};
