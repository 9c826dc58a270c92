import { timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** The headers of a message that its signature needs. */
export type SignedHeaders = {
  readonly id: string;
  /** Seconds since 1970, as text. */
  readonly timestamp: string;
  readonly signature: string;
};

/** Largest difference between the clock and the timestamp of a message (Standard Webhooks). */
const toleranceMs = 5 * 60_000;

/**
 * Fault of a message, undefined when its signature is valid.
 * @param nowMs undefined for a message of any age
 */
export const messageFault = (
  secret: string,
  body: string,
  { id, timestamp, signature }: SignedHeaders,
  nowMs: number | undefined,
): string | undefined => {
  if (!/^\d{1,12}$/.test(timestamp)) return `got the timestamp "${timestamp}", expected seconds since 1970`;
  const atMs = 1000 * Number(timestamp);
  const expected = Buffer.from(new Webhook(secret).sign(id, new Date(atMs), body));
  const isSigned = signature.split(' ').some(one => {
    const got = Buffer.from(one);
    return got.length === expected.length && timingSafeEqual(got, expected);
  });
  if (!isSigned) return 'no signature matches this id, timestamp, body and secret';
  if (nowMs === undefined || Math.abs(nowMs - atMs) <= toleranceMs) return undefined;
  return `the message was sent at ${new Date(atMs).toISOString()}, expected at most 5 minutes away; --any-time accepts it`;
};
