import {
  ErrorType,
  convertToCommandError,
  isCommandError,
  type Credentials,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { StoreUnavailable } from '../../application/eventStore.js';
import { hostsOf, isWithoutTls, type Address } from './address.js';
import { closeClient, repairedClient, unsharedOf } from './clientRepairs.js';
import type { TlsFailures } from './tls.js';

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
