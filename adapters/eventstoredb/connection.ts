import {
  ErrorType,
  convertToCommandError,
  isCommandError,
  type Credentials,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { StoreUnavailable, StoreRefused } from '../../application/ports/eventStore.js';
import { hostsOf, isWithoutTls, type Address } from './address.js';
import { closeClient, repairedClient, unsharedOf, type TlsFailures, usesTls } from './clientRepairs.js';
import type { Readable } from 'node:stream';

/** A read or subscription of the client. */
type Streaming = Readable & {
  readonly cancel?: () => Promise<void>;
  readonly unsubscribe?: () => Promise<void>;
};

/** Milliseconds without data after which a read fails. */
export const silenceMs = 10_000;

/** Ends a call. The client leaves it open, and late errors would end the process. */
export const endCall = (call: Streaming): void => {
  call.on('error', () => {});
  // Both wait until the call has begun, which may never happen, and fail when it fails.
  (call.cancel?.() ?? call.unsubscribe?.())?.catch(() => undefined);
  // The client keeps a call until it is read to its end, so the rest is discarded. The listener of an abandoned
  // iteration would block that.
  call.removeAllListeners('readable').resume();
};

/**
 * Items of a read. Its call is ended however the iteration ends.
 * @throws Error of the client, or of a server that sends nothing for `quietMs`
 */
export async function* itemsOf<Item>(call: Streaming, quietMs = silenceMs): AsyncGenerator<Item> {
  let askedAt = Infinity;
  const watch = setInterval(() => {
    if (performance.now() - askedAt > quietMs)
      call.destroy(new Error(`the server sent nothing for ${quietMs} ms`));
  }, quietMs / 10);
  try {
    const items = call[Symbol.asyncIterator]();
    for (;;) {
      askedAt = performance.now();
      const item = await items.next();
      askedAt = Infinity;
      if (item.done === true) return;
      yield item.value as Item;
    }
  } finally {
    clearInterval(watch);
    if (!call.readableEnded) endCall(call);
  }
}

/** A client of an EventStoreDB. A process has one, with one channel. */
export type Connection = {
  readonly client: EventStoreDBClient;
  /** See `withRefusals`. */
  readonly tls: TlsFailures;
  /** Hosts that are asked without TLS; none with TLS. */
  readonly plainHosts: ReturnType<typeof hostsOf>;
  /** Option of every append: see `unsharedOf`. */
  readonly unshared: { readonly credentials: Credentials };
  readonly prefix: string;
  /** Ends all calls and the channel. */
  readonly close: () => Promise<void>;
};

/** Creates a connection; it sends nothing before the first call. */
export const connect = ({ url, prefix }: Address): Connection => {
  const { client, tls } = repairedClient(url);
  const plainHosts = isWithoutTls(url) ? hostsOf(url) : [];
  return { client, tls, plainHosts, unshared: unsharedOf(url), prefix, close: () => closeClient(client) };
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Errors of calls that were never sent: no connection, no node, or a node that cannot be written. */
const unsent =
  /No connection established|Name resolution failed|Failed to discover|Channel (has been shut down|closed before)/;

/** Meaning of an error of the client. */
export type Failure =
  | { readonly kind: 'conflict'; readonly actual: number | 'absent' }
  | { readonly kind: 'tooLarge' | 'streamNotFound' | 'streamDeleted' | 'exists' | 'groupNotFound' }
  /** The call had no effect. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** The call may have had an effect. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Classifies an error of the client, or a raw gRPC error, which some calls throw. */
export const failureOf = (raw: unknown): Failure => {
  const error: unknown = raw instanceof Error && 'code' in raw ? convertToCommandError(raw) : raw;
  const reason = reasonOf(error);
  if (error instanceof Error && isCommandError(error))
    switch (error.type) {
      case ErrorType.WRONG_EXPECTED_VERSION:
        return {
          kind: 'conflict',
          actual: typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : 'absent',
        };
      case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
        return { kind: 'tooLarge' };
      case ErrorType.STREAM_NOT_FOUND:
        return { kind: 'streamNotFound' };
      case ErrorType.STREAM_DELETED:
        return { kind: 'streamDeleted' };
      case ErrorType.PERSISTENT_SUBSCRIPTION_EXISTS:
        return { kind: 'exists' };
      case ErrorType.PERSISTENT_SUBSCRIPTION_DOES_NOT_EXIST:
        return { kind: 'groupNotFound' };
      case ErrorType.ACCESS_DENIED:
      case ErrorType.NOT_LEADER:
        return { kind: 'unsent', reason: `${error.type} ${reason}` };
    }
  return { kind: unsent.test(reason) ? 'unsent' : 'unknown', reason };
};

/** Translates an error of a call without effect; it may be retried later. */
export const storeUnavailable = (error: unknown): Error => {
  const failure = failureOf(error);
  const reason = 'reason' in failure ? failure.reason : failure.kind;
  return new StoreUnavailable(`EventStoreDB cannot be used: ${reason}`, { cause: error });
};

/** gRPC codes for an unknown caller, and for one without permission. */
const unauthenticated = 16;
const permissionDenied = 7;

/** TLS errors that a retry does not remove: an untrusted certificate, a server without TLS. */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/;
const noTls = /wrong version number|packet length too long/;

const url = 'EVENTSTOREDB_URL';

const withoutTls =
  `${url}: the server uses TLS; expected no tls=false in the connection string, and in it the name and password of a ` +
  'user and tlsCAFile= with the certificate of the authority that signed its certificate';

/** The parts of a connection that tell why a server refuses it. */
type Refusable = Pick<Connection, 'tls' | 'plainHosts'>;

/** Reason of a permanent refusal, with advice; undefined for errors that may be temporary. */
const refusalOf = (error: unknown, { tls }: Refusable): string | undefined => {
  const { code, type } = (error ?? {}) as { readonly code?: unknown; readonly type?: unknown };
  if (code === unauthenticated)
    return `${url}: the server does not accept this name and password; expected those of one of its users`;
  if (code === permissionDenied || type === 'access-denied')
    return (
      `${url}: this user may not read $all and create persistent subscriptions to it; expected a user of the group ` +
      '$admins'
    );
  if (type === 'unsupported')
    return `${url}: the server does not support persistent subscriptions to $all; expected EventStoreDB 21.10 or later`;
  const failed = tls.last();
  if (failed && untrusted.test(String(failed.code)))
    return (
      `${url}: the server's certificate is not trusted (${failed.code}: ${failed.message}); expected tlsCAFile= with ` +
      'the certificate of the authority that signed it, and a host that the certificate names'
    );
  if (failed && noTls.test(failed.message))
    return `${url}: the server does not use TLS; expected tls=false in the connection string, or a server with TLS`;
  return undefined;
};

/** Whether one of the hosts that are asked without TLS uses TLS: it ends such connections without a reason. */
const isPlainRefused = async ({ plainHosts }: Refusable): Promise<boolean> =>
  (await Promise.all(plainHosts.map(usesTls))).includes(true);

/**
 * Runs a call that opens or prepares something, and translates its errors.
 * @throws StoreRefused when a retry does not help, else StoreUnavailable
 */
export const withRefusals = async <Result>(
  connection: Refusable,
  attempt: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    const refusal =
      refusalOf(error, connection) ?? ((await isPlainRefused(connection)) ? withoutTls : undefined);
    throw refusal === undefined ? storeUnavailable(error) : new StoreRefused(refusal, { cause: error });
  }
};
