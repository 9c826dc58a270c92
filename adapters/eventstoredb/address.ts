import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Credentials } from '@eventstore/db-client';

/** The client, loaded only when an EventStoreDB is configured: see `openLog`. */
const client = (): typeof import('@eventstore/db-client') =>
  createRequire(import.meta.url)('@eventstore/db-client');

/** Address of an EventStoreDB, and the prefix of this log's streams. */
export type Address = {
  /** `esdb://` or `esdb+discover://`, with TLS, credentials and options as in the client's manual. */
  readonly url: string;
  /** Prefix of all stream names, so that several logs can share one server. */
  readonly prefix: string;
};

/** Name and password of a connection string, parsed by the client. */
export const credentialsOf = (url: string): Credentials | undefined => {
  const [, username, password] = /^[^:]+:\/\/([^:/]+):([^@:]+)[^@]*@/.exec(url.trim()) ?? [];
  if (username === undefined || password === undefined) return undefined;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
};

/** Hosts of a connection string, each with its port, 2113 by default. */
export const hostsOf = (url: string): readonly { readonly host: string; readonly port: number }[] => {
  const [, list = ''] = /^[^:]+:\/\/(?:[^@/?]*@)?([^/?]*)/.exec(url.trim()) ?? [];
  return list.split(',').flatMap(one => {
    const [, host = '', port = '2113'] = /^(.*?)(?::(\d+))?$/.exec(one.trim()) ?? [];
    return host === '' ? [] : [{ host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }];
  });
};

/** Whether a connection string asks for a server without TLS. */
export const isWithoutTls = (url: string): boolean => /[?&]tls=false\b/i.test(url);

/** Options of a connection string that name certificate and key files. */
const fileOptions = ['tlsCAFile', 'userCertFile', 'userKeyFile'];

/** Fault of a file that a connection string names, with its path as written there. */
const fileFault = (url: string): string | undefined => {
  const query = url.split('?')[1] ?? '';
  if (/(^|&)tls=false\b/i.test(query)) return undefined;
  // The client does not decode a plus as a space.
  for (const [name, path] of new URLSearchParams(query.replaceAll('+', '%2B'))) {
    // The client accepts option names in any case, and with _ or - between words.
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
 * Fault of a connection string, without its password; undefined when it is valid.
 * With TLS the server requires a name and a password.
 */
export const connectionFault = (url: string): string | undefined => {
  const [scheme, discover = ''] = /^(?:kurrentdb|kurrent|kdb)(\+discover)?:\/\//i.exec(url.trim()) ?? [];
  if (scheme !== undefined)
    return `got ${scheme.toLowerCase()}, expected esdb${discover.toLowerCase()}:// with the same rest`;
  if (!/^esdb(\+discover)?:\/\/[^/]/.test(url.trim()))
    return 'expected esdb://host:port?… or esdb+discover://…';
  try {
    if (credentialsOf(url) === undefined && !isWithoutTls(url))
      return 'expected esdb://name:password@host…, or tls=false in it for a server without TLS';
    const file = fileFault(url);
    if (file !== undefined) return file;
    const { EventStoreDBClient } = client();
    EventStoreDBClient.connectionString(url);
    return undefined;
  } catch (error) {
    // The client's own message contains the whole string.
    return `expected a connection string of EventStoreDB (${(error as Error).name})`;
  }
};
