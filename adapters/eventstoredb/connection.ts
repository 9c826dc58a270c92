import {
  ErrorType,
  convertToCommandError,
  isCommandError,
  type Credentials,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { StoreUnavailable } from '../../application/eventStore.js';
import type { Address } from './address.js';
import { closeClient, repairedClient, unsharedOf } from './clientRepairs.js';
import type { TlsFailures } from './tls.js';

/** A client of an EventStoreDB. One a process: it keeps one channel, and closing it ends all calls. */
export type Connection = {
  readonly client: EventStoreDBClient;
  /** See `orRefused`. */
  readonly tls: TlsFailures;
  /** Goes into every append: see `unsharedOf`. */
  readonly unshared: { readonly credentials: Credentials };
  readonly prefix: string;
  /** Ends all calls under way and the channel. */
  readonly close: () => Promise<void>;
};

/** A connection to be used; nothing is sent before the first call. */
export const connect = ({ url, prefix }: Address): Connection => {
  const { client, tls } = repairedClient(url);
  return { client, tls, unshared: unsharedOf(url), prefix, close: () => closeClient(client) };
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
