import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Outgoing, SendFailure, Sent, WebhookSender } from '../../application/ports/deliveries.js';
import { AnswerTooLong, boundedRequest, dropBody } from '../network/boundedRequest.js';
import { nameResolver, type NameResolver } from '../network/nameResolver.js';
import { Webhook } from 'standardwebhooks';
import { timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { isAllowed, portOfUrl, type PrivateReceivers } from './privateReceivers.js';

/** Longest address of a receiver in characters. */
export const urlLengthMax = 2000;

/** The two ports of the web, and those that no system service uses. */
const isUsualPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024;

/** Names that no public name server answers. */
const localName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|test|invalid|onion)$/;

/** Globally routed IPv6 addresses (RFC 4291 §2.4); transition mechanisms inside it embed IPv4 addresses. */
const globalIpv6 = ipaddr.parseCIDR('2000::/3');

/** Hint of a refusal. */
const allowedBy = (host: string, port: number): string =>
  `WEBHOOK_ALLOW_PRIVATE allows it with ${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Whether an address is public: routed in the internet, and of no special purpose (RFC 6890). */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalIpv6);
};

/** Host of an URL without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Fault of an address that messages shall be sent to, undefined for none. Names are checked again when they are
 * resolved, at each connection.
 * @param allowed receivers in private networks that are allowed
 */
export const addressFault = (text: string, allowed: PrivateReceivers): string | undefined => {
  // The URL parser would drop these characters silently.
  if (/[\s\\]|\p{Cc}/u.test(text)) return 'got spaces, backslashes or control characters, expected none';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\/[^/]/i.test(text))
    return 'expected an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'got a user name or a password, expected none';
  if (url.hash !== '') return 'got a fragment (#), expected none';
  const port = portOfUrl(url);
  if (port === 0) return 'got port 0, expected 1 to 65535';
  const host = hostOf(url);
  if (isAllowed(allowed, host, port)) return undefined;
  if (!isUsualPort(port)) return `got port ${port}, expected 80, 443 or 1024 to 65535`;
  if (ipaddr.isValid(host))
    return isPublicAddress(host)
      ? undefined
      : `${host} is an address of a private or special network; ${allowedBy(host, port)}`;
  if (host.endsWith('.') || !host.includes('.') || localName.test(host))
    return `${host} is a local name, expected a public one; ${allowedBy(host, port)}`;
  return undefined;
};

/** The headers of a message that its signature needs. */
type SignedHeaders = {
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

/** Headers of Standard Webhooks. Each secret makes one signature, so that receivers may know either of two. */
export const signedHeaders = (
  { id, body, secrets }: { readonly id: string; readonly body: string; readonly secrets: readonly string[] },
  nowMs: number,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> => {
  const at = new Date(nowMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, at, body)).join(' '),
  };
};

export type SenderSettings = {
  /** Receivers in private networks that messages may go to. */
  readonly allowPrivate: PrivateReceivers;
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

/**
 * A lookup that refuses names with an address that is neither public nor allowed. The connection uses the checked
 * addresses.
 */
const checkedLookup =
  (lookup: LookupFunction, isFine: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      const found = Array.isArray(address) ? address.map(one => one.address) : [address];
      const refused = error ? undefined : found.find(one => !isFine(one));
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

const headersOf = (message: Outgoing, nowMs: number): Readonly<Record<string, string | number>> => {
  const common = {
    'Content-Length': Buffer.byteLength(message.body),
    'User-Agent': 'daybook-webhooks/1',
  };
  const { format, authorization } = message;
  if (format === undefined)
    return {
      'Content-Type': 'application/cloudevents+json; charset=utf-8',
      ...common,
      ...signedHeaders(message, nowMs),
    };
  return {
    'Content-Type': 'application/json',
    ...common,
    ...(authorization !== undefined && { Authorization: authorization }),
  };
};

/** Sends messages over HTTP. Names and addresses of private networks are refused unless the settings allow them. */
export const webhookSender = ({
  allowPrivate,
  timeoutMs = timeoutUsualMs,
  names = nameResolver(),
  nowMs = Date.now,
}: SenderSettings): WebhookSender => {
  const lookupOf = (tenant: string, url: URL): LookupFunction => {
    const port = portOfUrl(url);
    const isListed = isAllowed(allowPrivate, url.hostname, port);
    const lookup = names.lookupFor({ tenant, asksSystem: isListed });
    if (isListed) return lookup;
    return checkedLookup(lookup, one => isPublicAddress(one) || isAllowed(allowPrivate, one, port));
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
        const url = new URL(message.url);
        const answer = await boundedRequest(url, {
          method: 'POST',
          headers: headersOf(message, nowMs()),
          body: message.body,
          lookup: lookupOf(message.tenant, url),
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
