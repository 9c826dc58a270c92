import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
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

/** Certificates and keys that a connection string may name. */
const fileOptions = ['tlsCAFile', 'userCertFile', 'userKeyFile'];

/** What is wrong with a file that a connection string names, with its path as it is written there. */
const fileFault = (url: string): string | undefined => {
  const query = url.split('?')[1] ?? '';
  if (/(^|&)tls=false\b/i.test(query)) return undefined;
  // A plus is no space to the client.
  for (const [name, path] of new URLSearchParams(query.replaceAll('+', '%2B'))) {
    // The client takes names in any case, and with _ or - between their words.
    const known = fileOptions.find(one => one.toLowerCase() === name.replaceAll(/[_-]/g, '').toLowerCase());
    if (known === undefined) continue;
    try {
      const pem = readFileSync(resolve(path));
      if (known === 'tlsCAFile') new X509Certificate(pem);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return `${known}=${path}: there is no such file`;
      return `${known}=${path}: cannot be used: ${message}`;
    }
  }
  return undefined;
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
    const file = fileFault(url);
    if (file !== undefined) return file;
    const { EventStoreDBClient } = client();
    EventStoreDBClient.connectionString(url);
    return undefined;
  } catch (error) {
    // The client's own message shows the whole string.
    return `expected a connection string of EventStoreDB (${(error as Error).name})`;
  }
};
