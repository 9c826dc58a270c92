import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Outgoing, SendFailure, Sent, WebhookSender } from '../../application/webhooks/deliveries.js';
import { AnswerTooLong, boundedRequest, dropBody } from '../network/boundedRequest.js';
import { nameResolver, type NameResolver } from '../network/nameResolver.js';
import { addressFault, isPublicAddress } from './receiverAddress.js';
import { signedHeaders } from './signature.js';

export type SenderSettings = {
  /** Whether messages may go to addresses of private networks. */
  readonly allowPrivate: boolean;
  /** Limit of a whole request in ms, from the resolution of the name to the answer. */
  readonly timeoutMs?: number;
  /** Resolves names of receivers; with the files and servers of the system by default. */
  readonly names?: Pick<NameResolver, 'lookupFor'>;
  readonly nowMs?: () => number;
};

const timeoutUsualMs = 10_000;

/** Bytes of an answer that are read; its content is never used. */
const answerBytesMax = 4096;

/** A name or an address leads to a private network. */
class AddressRefused extends Error {
  readonly name = 'AddressRefused';
}

/** A lookup that refuses names with an address that is not public. The connection uses the checked addresses. */
const publicLookup =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      const found = Array.isArray(address) ? address.map(one => one.address) : [address];
      const refused = error ? undefined : found.find(one => !isPublicAddress(one));
      if (refused === undefined) return callback(error, address, family);
      callback(new AddressRefused(`${hostname} has the address ${refused}`), [], 0);
    });

const tlsCode = /CERT|TLS|SSL|SIGNATURE|^EPROTO$|^UNABLE_TO|^ERR_OSSL/;

const failureOf = (error: unknown, timedOut: boolean): SendFailure => {
  if (timedOut) return 'timeout';
  if (error instanceof AddressRefused) return 'addressRefused';
  if (error instanceof AnswerTooLong) return 'protocol';
  // The code of an aborted request is a number.
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  if (code === 'ETIMEOUT') return 'timeout';
  if (code.startsWith('HPE_')) return 'protocol';
  return tlsCode.test(code) ? 'tls' : 'unreachable';
};

/** Wait of a header Retry-After in ms: seconds or a date (RFC 9110 §10.2.3). */
const retryAfterMs = ({ headers }: IncomingMessage, nowMs: number): number | undefined => {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? 1000 * Number(text) : Date.parse(text) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
};

const headersOf = (message: Outgoing, nowMs: number) => ({
  'Content-Type': 'application/cloudevents+json; charset=utf-8',
  'Content-Length': Buffer.byteLength(message.body),
  'User-Agent': 'daybook-webhooks/1',
  ...signedHeaders(message, nowMs),
});

/** Sends messages over HTTP. Names and addresses of private networks are refused unless the settings allow them. */
export const webhookSender = ({
  allowPrivate,
  timeoutMs = timeoutUsualMs,
  names = nameResolver(),
  nowMs = Date.now,
}: SenderSettings): WebhookSender => {
  const lookupOf = (tenant: string): LookupFunction => {
    const lookup = names.lookupFor({ tenant, asksSystem: allowPrivate });
    return allowPrivate ? lookup : publicLookup(lookup);
  };
  return {
    send: async (message, signal): Promise<Sent> => {
      const begun = performance.now();
      const timeout = AbortSignal.timeout(timeoutMs);
      const done = (result: Omit<Sent, 'latencyMs'>): Sent => ({
        latencyMs: performance.now() - begun,
        ...result,
      });
      // An address in numbers is never resolved, and the settings may have changed since the webhook was created.
      if (addressFault(message.url, allowPrivate) !== undefined)
        return done({ status: null, failure: 'addressRefused' });
      try {
        const answer = await boundedRequest(new URL(message.url), {
          method: 'POST',
          headers: headersOf(message, nowMs()),
          body: message.body,
          lookup: lookupOf(message.tenant),
          bytesMax: answerBytesMax,
          signal: AbortSignal.any([signal, timeout]),
        });
        dropBody(answer, answerBytesMax);
        const wait = retryAfterMs(answer, nowMs());
        return done({
          status: answer.statusCode ?? null,
          failure: null,
          ...(wait !== undefined && { retryAfterMs: wait }),
        });
      } catch (error) {
        return done({ status: null, failure: failureOf(error, timeout.aborted) });
      }
    },
  };
};
