import { join, resolve } from 'node:path';
import { connectionFault, type Address } from '../eventstoredb/address.js';
import { streamBeginnings } from '../../domain/streams.js';
import { SettingsError } from './values.js';

/** Address of the log. */
export type LogAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | ({ readonly kind: 'eventstoredb' } & Address);

/** Name of the log file in a data folder. */
export const logFile = 'events.sqlite';

/** Path of the data folder, which may not exist. @throws SettingsError */
export const dataDirOf = (env: NodeJS.ProcessEnv): string => {
  const folder = env['DATA_DIR'] ?? './data';
  if (folder.trim() === '') throw new SettingsError('DATA_DIR: got an empty value, expected a folder');
  return resolve(folder);
};

/** The log in the data folder, in memory or in an EventStoreDB. @throws SettingsError */
export const readLog = (env: NodeJS.ProcessEnv, dataDir: string): LogAddress => {
  const kind = env['EVENT_STORE'] ?? 'sqlite';
  if (kind === 'eventstoredb') return eventStoreDbAddress(env);
  for (const name of ['EVENTSTOREDB_URL', 'EVENTSTOREDB_PREFIX'])
    if (env[name] !== undefined)
      throw new SettingsError(`${name}: set without EVENT_STORE=eventstoredb; set both or neither`);
  switch (kind) {
    case 'memory':
      return { kind };
    case 'sqlite':
      return { kind, file: join(dataDir, logFile) };
    default:
      throw new SettingsError(`EVENT_STORE: got "${kind}", expected sqlite, eventstoredb or memory`);
  }
};

/** Kinds of streams outside the log: points, keys of people, kept answers, progress of webhooks. */
const sideKinds = ['points', 'person', 'personkey', 'answers', 'deliveries'] as const;

/** Prefixes that begin like a stream name: they would read streams of another log. */
const takenPrefixes = new Set(
  [...streamBeginnings, ...sideKinds].map(beginning =>
    beginning.endsWith('-') ? beginning : `${beginning}-`,
  ),
);

/**
 * The EventStoreDB of `env`.
 * @throws SettingsError without the connection string, which may contain a password
 */
export const eventStoreDbAddress = (
  env: NodeJS.ProcessEnv,
): Extract<LogAddress, { kind: 'eventstoredb' }> => {
  const url = env['EVENTSTOREDB_URL'];
  if (url === undefined) throw new SettingsError('EVENTSTOREDB_URL: got none, expected esdb://…');
  const fault = connectionFault(url);
  if (fault !== undefined) throw new SettingsError(`EVENTSTOREDB_URL: ${fault}`);
  const prefix = env['EVENTSTOREDB_PREFIX'] ?? '';
  if (takenPrefixes.has(prefix) || !/^([a-z][a-z0-9_]{0,62}-)?$/.test(prefix))
    throw new SettingsError(
      `EVENTSTOREDB_PREFIX: got "${prefix}", expected lower-case letters, digits and _, at most 63, ending with a dash, and not the beginning of a stream name`,
    );
  return { kind: 'eventstoredb', url, prefix };
};
