import { Writable } from 'node:stream';
import { setImmediate as othersFirst } from 'node:timers/promises';
import {
  ErrorType,
  EventStoreDBClient,
  UnavailableError,
  convertToCommandError,
  isCommandError,
  type Credentials,
} from '@eventstore/db-client';
import { StoreUnavailable } from '../eventStore.js';
import { credentialsOf, type Address } from './address.js';

/** A client of an EventStoreDB. One a process: it keeps one channel, and closing it ends all calls. */
export type Connection = {
  readonly client: EventStoreDBClient;
  /** Goes into every append: see `connect`. */
  readonly unshared: { readonly credentials: Credentials };
  readonly prefix: string;
  /** Ends all calls under way and the channel. */
  readonly close: () => Promise<void>;
};

/** A connection to be used; nothing is sent before the first call. */
export const connect = ({ url, prefix }: Address): Connection => {
  const client = EventStoreDBClient.connectionString(url);
  guardReconnect(client);
  guardAppend(client);
  return {
    client,
    // Without credentials of their own, appends share one call and one map of pending promises: it keeps no
    // deadline, and an answer that comes after the call has broken throws where nobody can catch it. A server
    // without TLS is never sent them.
    unshared: { credentials: credentialsOf(url) ?? { username: 'none', password: 'none' } },
    prefix,
    close: () => closeClient(client),
  };
};

/** What of the client is not for us by its types; there is no other way to what these do. */
type Inner = {
  handleError: (of: object, error: unknown) => Promise<void>;
  readonly getChannel: () => Promise<Channel>;
  createGRPCClient: (service: unknown) => Promise<{ append?: (...call: never) => Writable }>;
};
type Channel = { readonly close: () => void };
const innerOf = (client: EventStoreDBClient): Inner => client as unknown as Inner;

/** Some calls never say that they have ended, so that the client's own end may take for ever. */
const disposeMs = 500;

/** Ends all calls, then the channel, which the client itself leaves open. */
const closeClient = async (client: EventStoreDBClient): Promise<void> => {
  const inner = innerOf(client);
  // A late error would open another channel.
  inner.handleError = () => Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => (timer = setTimeout(resolve, disposeMs)));
  await Promise.race([client.dispose(), late]);
  await othersFirst();
  // Where no node can be discovered there is no channel, and it takes long to learn that.
  const closing = inner.getChannel().then(
    channel => channel.close(),
    () => undefined,
  );
  await Promise.race([closing, late]);
  clearTimeout(timer);
};

/**
 * The client reconnects without awaiting that it does: where no node can be discovered, it would end the process
 * by a rejection that nobody handles. The next call meets the same error and says so. What the server supports is
 * asked once a connection, so where that failed, whatever the error, only another connection helps.
 */
const guardReconnect = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const { handleError } = inner;
  inner.handleError = async (of, error) => {
    const asked = 'getSupportedMethods' in of;
    await handleError(of, asked ? new UnavailableError() : error).catch(() => undefined);
  };
};

/**
 * The client begins an append where nobody can catch what that throws, as it does on a channel that another call's
 * error, or the end of the connection, has just closed. It listens to what it has begun: so the error is told there.
 */
const guardAppend = (client: EventStoreDBClient): void => {
  const inner = innerOf(client);
  const { createGRPCClient } = inner;
  inner.createGRPCClient = async service => {
    const of = await createGRPCClient(service);
    const append = of.append?.bind(of);
    if (append !== undefined)
      of.append = (...call) => {
        try {
          return append(...call);
        } catch (error) {
          return new Writable({ objectMode: true }).destroy(
            error instanceof Error ? error : new Error(String(error)),
          );
        }
      };
    return of;
  };
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Calls that end so were never sent: no connection, no node to be found, or a node that refuses to be written to. */
const unsent =
  /No connection established|Name resolution failed|Failed to discover|Channel (has been shut down|closed before)/;

/** What an error of the client means to a caller. */
export type Failure =
  | { readonly kind: 'conflict'; readonly actual: number | 'absent' }
  | { readonly kind: 'tooLarge' | 'streamNotFound' | 'streamDeleted' | 'exists' | 'groupNotFound' }
  /** The call had no effect. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** Anything may have become of the call. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Reads an error of the client; of raw errors of gRPC too, which some calls give. */
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

/** An error of a call that changes nothing, as our own: it can be made again later. */
export const unavailable = (error: unknown): Error => {
  const failure = failureOf(error);
  const reason = 'reason' in failure ? failure.reason : failure.kind;
  return new StoreUnavailable(`EventStoreDB cannot be used: ${reason}`, { cause: error });
};
