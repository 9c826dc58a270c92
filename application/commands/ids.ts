import { createHash } from 'node:crypto';

/** Namespace of derived ids: a random UUID that never changes. */
const namespace = Buffer.from('6d0f0a35c1a94b52a7c5a6c0f3b1d2e4', 'hex');

/**
 * UUID of a name, version 5 (RFC 9562 §5.5): the same name gives the same id.
 * Event ids derive from the request or event that caused them, so a repeated append is recognised.
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
