import { createHash } from 'node:crypto';

/** Namespace of our derived ids (a random UUID, fixed for ever). */
const namespace = Buffer.from('6d0f0a35c1a94b52a7c5a6c0f3b1d2e4', 'hex');

/**
 * The UUID of a name: the same name gives the same id on every try (version 5, RFC 9562 §5.5).
 * Events take theirs from the request or event that led to them, so that a repeated append is known as one.
 */
export const derivedId = (...name: readonly (string | number)[]): string => {
  const hash = createHash('sha1').update(namespace).update(JSON.stringify(name)).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
};
