import { createRequire } from 'node:module';
import type { Credentials } from '@eventstore/db-client';

/** The client, loaded for those alone who name a server: see `openLog`. */
const client = (): typeof import('@eventstore/db-client') =>
  createRequire(import.meta.url)('@eventstore/db-client');

/** Where an EventStoreDB is, and which of its streams are ours. */
export type Address = {
  /** `esdb://` or `esdb+discover://`; TLS, credentials and all else as the client's manual says. */
  readonly url: string;
  /** Begins the name of every stream of ours, so that several logs can share one server. */
  readonly prefix: string;
};

/** Name and password of a connection string, as the client reads them. */
export const credentialsOf = (url: string): Credentials | undefined => {
  const [, username, password] = /^[^:]+:\/\/([^:/]+):([^@:]+)[^@]*@/.exec(url.trim()) ?? [];
  if (username === undefined || password === undefined) return undefined;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
};

/**
 * What is wrong with a connection string, in words that keep its password; undefined when nothing is.
 * With TLS the server wants a name and a password.
 */
export const connectionFault = (url: string): string | undefined => {
  if (!/^esdb(\+discover)?:\/\/[^/]/.test(url.trim()))
    return 'expected esdb://host:port?… or esdb+discover://…';
  try {
    if (credentialsOf(url) === undefined && !/[?&]tls=false\b/i.test(url))
      return 'expected esdb://name:password@host…, or tls=false in it for a server without TLS';
    const { EventStoreDBClient } = client();
    EventStoreDBClient.connectionString(url);
    return undefined;
  } catch (error) {
    // The client's own message shows the whole string.
    return `expected a connection string of EventStoreDB (${(error as Error).name})`;
  }
};
