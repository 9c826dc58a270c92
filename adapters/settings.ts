import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Signer } from '../auditing/checkpoint.js';
import { signerOf } from './signingKeyFile.js';
import { senderOf, smtpServer, type MailSettings } from './mail/mailSettings.js';
import { headersOf, tracesUrl, type Collector } from './tracing/collector.js';
import { connectionFault, type Address } from './eventstoredb/address.js';

/** Keys of tokens: a shared secret, or an address with public keys. */
export type TokenSettings = {
  readonly key:
    { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'jwks'; readonly url: URL };
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly audience: string;
};

/** Address of the log. */
export type LogAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | ({ readonly kind: 'eventstoredb' } & Address);

/** All settings of the environment. */
export type Settings = {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Address of the metrics; undefined when the address of the API serves them, to tokens with the scope. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Where spans are sent; undefined for no tracing. */
  readonly tracing?: Collector;
  readonly dataDir: string;
  readonly log: LogAddress;
  readonly tokens: TokenSettings;
  /** Where people sign in to the screens; undefined when they come with a link or a token. */
  readonly oidc?: { readonly issuer: string; readonly clientId: string };
  /** Signs checkpoints of the log; undefined when no key is configured. */
  readonly checkpoints?: Signer;
  /** Bytes that must be free on the disk of the data folder before writes are accepted; 0 for no check. */
  readonly diskFreeMinBytes: number;
  readonly logLevel: string;
  /** Bytes per second that a client has to send of a body; 0 for no minimum. */
  readonly bodyRateMin: number;
  /** Origins whose scripts may call the API; none by default. */
  readonly corsOrigins: readonly string[];
  /** Server and sender of mails; undefined when mails cannot be sent. */
  readonly mail?: MailSettings;
  /** Address of the screens for links in messages, without a slash at its end; undefined for no links. */
  readonly publicUrl?: string;
  /** Whether webhooks may send to addresses of private networks. */
  readonly webhookAllowPrivate: boolean;
};

/** An invalid setting; the message has its name, the value and the expected value. */
export class SettingsError extends Error {
  readonly name = 'SettingsError';
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const bodyRateMinUsual = 8192;
const secretBytesMin = 32;
const secretAlgorithms = ['HS256'];
const keyAlgorithms = ['RS256', 'ES256'];

/**
 * Settings of `env`, with defaults. Creates the data folder, and a random secret in it when no key for tokens is
 * configured.
 * @throws SettingsError at the first invalid value
 */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => {
  const port = portOf('PORT', env['PORT'] ?? '8080');
  const host = hostOf('HOST', env['HOST']);
  const metrics = readMetrics(env);

  const logLevel = env['LOG_LEVEL'] ?? 'info';
  if (!logLevels.includes(logLevel))
    throw new SettingsError(`LOG_LEVEL: got "${logLevel}", expected one of ${logLevels.join(', ')}`);

  const diskFreeMin = env['DISK_FREE_MIN_MB'] ?? '64';
  if (!/^\d{1,9}$/.test(diskFreeMin))
    throw new SettingsError(
      `DISK_FREE_MIN_MB: got "${diskFreeMin}", expected a number of megabytes, 0 for no check`,
    );
  const diskFreeMinBytes = Number(diskFreeMin) * 1_000_000;

  const rate = env['BODY_RATE_MIN'] ?? String(bodyRateMinUsual);
  if (!/^\d{1,7}$/.test(rate))
    throw new SettingsError(`BODY_RATE_MIN: got "${rate}", expected 0 to 9999999 bytes a second`);

  const folder = env['DATA_DIR'] ?? './data';
  if (folder.trim() === '') throw new SettingsError('DATA_DIR: got an empty value, expected a folder');
  const dataDir = resolve(folder);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new SettingsError(`DATA_DIR: ${dataDir} cannot be created: ${(error as Error).message}`);
  }
  const log = readLog(env, dataDir);
  const tokens = readTokens(env, dataDir);
  return {
    host,
    port,
    ...metrics,
    ...readTracing(env),
    dataDir,
    log,
    tokens,
    ...readOidc(env),
    ...readSigner(env),
    diskFreeMinBytes,
    logLevel,
    bodyRateMin: Number(rate),
    corsOrigins: corsOriginsOf(env['CORS_ORIGINS'] ?? ''),
    webhookAllowPrivate: readSwitch(env, 'WEBHOOK_ALLOW_PRIVATE'),
    ...readPublicUrl(env),
    ...readMail(env),
  };
};

const readSwitch = (env: NodeJS.ProcessEnv, name: string): boolean => {
  const text = env[name] ?? 'false';
  if (text !== 'true' && text !== 'false')
    throw new SettingsError(`${name}: got "${text}", expected true or false`);
  return text === 'true';
};

/** @throws SettingsError */
const portOf = (name: string, text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new SettingsError(`${name}: got "${text}", expected 0 to 65535`);
  return Number(text);
};

/** @throws SettingsError */
const hostOf = (name: string, text = '127.0.0.1'): string => {
  if (text.trim() === '')
    throw new SettingsError(`${name}: got an empty value, expected a name or an address`);
  return text;
};

const readMetrics = (env: NodeJS.ProcessEnv): Pick<Settings, 'metrics'> => {
  const { METRICS_PORT: port, METRICS_HOST: host } = env;
  if (port !== undefined)
    return { metrics: { host: hostOf('METRICS_HOST', host), port: portOf('METRICS_PORT', port) } };
  if (host !== undefined)
    throw new SettingsError('METRICS_HOST: set without METRICS_PORT; set METRICS_PORT or neither');
  return {};
};

const readTracing = (env: NodeJS.ProcessEnv): Pick<Settings, 'tracing'> => {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const serviceName = env['OTEL_SERVICE_NAME'] ?? 'daybook';
  const headers = headersOf(env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '');
  if (endpoint === undefined || endpoint === '') return {};
  const url = tracesUrl(endpoint);
  if (!url)
    throw new SettingsError(
      'OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https address without password and query',
    );
  // The value may be a secret.
  if (!headers) throw new SettingsError('OTEL_EXPORTER_OTLP_HEADERS: expected name=value,name=value');
  if (serviceName.trim() === '')
    throw new SettingsError('OTEL_SERVICE_NAME: got an empty value, expected a name');
  return { tracing: { url, headers, serviceName } };
};

/** @throws SettingsError without the value, which may contain a password */
const readPublicUrl = (env: NodeJS.ProcessEnv): Pick<Settings, 'publicUrl'> => {
  const text = env['PUBLIC_URL'];
  if (text === undefined) return {};
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username === '' && url.password === '' && !/[?#\s]/.test(text);
  if (!isPlain || !/^https?:\/\/[^/]/i.test(text))
    throw new SettingsError(
      'PUBLIC_URL: expected an http or https address without password, query and fragment: https://daybook.example.org',
    );
  return { publicUrl: url.href.replace(/\/+$/, '') };
};

/** @throws SettingsError without the address, which may contain a password */
const readMail = (env: NodeJS.ProcessEnv): Pick<Settings, 'mail'> => {
  const { SMTP_URL: server, MAIL_FROM: sender } = env;
  if (server === undefined && sender === undefined) return {};
  if (server === undefined || sender === undefined)
    throw new SettingsError('SMTP_URL and MAIL_FROM: got one of them, expected both or neither');
  const smtp = smtpServer(server);
  if (!smtp)
    throw new SettingsError(
      'SMTP_URL: expected smtps://user:password@host:port or smtp://…, special characters percent-encoded',
    );
  const from = senderOf(sender);
  if (!from)
    throw new SettingsError(
      `MAIL_FROM: got "${sender}", expected daybook@example.org or Daybook <daybook@example.org>`,
    );
  return { mail: { ...smtp, from } };
};

const readOidc = (env: NodeJS.ProcessEnv): Pick<Settings, 'oidc'> => {
  const issuer = env['OIDC_ISSUER'];
  const clientId = env['OIDC_CLIENT_ID'];
  if (issuer === undefined && clientId === undefined) return {};
  if (issuer === undefined || clientId === undefined || clientId.trim() === '')
    throw new SettingsError('OIDC_ISSUER and OIDC_CLIENT_ID: got one of them, expected both or neither');
  safeUrl('OIDC_ISSUER', issuer);
  // An issuer is compared as text: with or without its last slash it is another one.
  return { oidc: { issuer, clientId } };
};

/** @throws SettingsError for a text that is not a list of origins */
const corsOriginsOf = (text: string): readonly string[] =>
  (text === '' ? [] : text.split(','))
    .map(part => part.trim())
    .map(part => {
      const url = URL.canParse(part) ? new URL(part) : undefined;
      if (url?.origin === part && /^https?:$/.test(url.protocol)) return part;
      throw new SettingsError(
        `CORS_ORIGINS: got "${part}", expected origins separated by commas: https://app.example.org, without a path`,
      );
    });

const readSigner = (env: NodeJS.ProcessEnv): Pick<Settings, 'checkpoints'> => {
  const file = env['AUDIT_KEY_FILE'];
  if (file === undefined) return {};
  try {
    return { checkpoints: signerOf(resolve(file)) };
  } catch (error) {
    throw new SettingsError(
      `AUDIT_KEY_FILE: got "${file}", expected a key of "daybook checkpoint --new-key": ${(error as Error).message}`,
    );
  }
};

/** Name of the log file in a data folder. */
export const logFile = 'events.sqlite';

const readLog = (env: NodeJS.ProcessEnv, dataDir: string): LogAddress => {
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
  // A prefix that begins like a stream name would read streams of another log.
  const taken = /^(catalog|source|days|alerts|audit|webhooks|answers|deliveries)-$/.test(prefix);
  if (taken || !/^([a-z][a-z0-9_]{0,62}-)?$/.test(prefix))
    throw new SettingsError(
      `EVENTSTOREDB_PREFIX: got "${prefix}", expected lower-case letters, digits and _, at most 63, ending with a dash, and not the beginning of a stream name`,
    );
  return { kind: 'eventstoredb', url, prefix };
};

const readTokens = (env: NodeJS.ProcessEnv, dataDir: string): TokenSettings => {
  const url = env['JWT_JWKS_URL'];
  const secret = env['JWT_SECRET'];
  if (url !== undefined && secret !== undefined)
    throw new SettingsError('JWT_SECRET and JWT_JWKS_URL: got both, expected one of them');
  const issuer = named(env, 'JWT_ISSUER');
  const audience = named(env, 'JWT_AUDIENCE');
  const algorithms = (possible: readonly string[]): readonly string[] => {
    const asked = env['JWT_ALGORITHMS']?.split(/[\s,]+/).filter(name => name !== '') ?? possible;
    const wrong = asked.filter(name => !possible.includes(name));
    if (asked.length === 0 || wrong.length > 0)
      throw new SettingsError(
        `JWT_ALGORITHMS: got "${env['JWT_ALGORITHMS']}", expected ${possible.join(' or ')} ` +
          `${url === undefined ? 'with a secret' : 'with JWT_JWKS_URL'}`,
      );
    return asked;
  };
  if (url !== undefined)
    return {
      key: { kind: 'jwks', url: safeUrl('JWT_JWKS_URL', url) },
      algorithms: algorithms(keyAlgorithms),
      issuer,
      audience,
    };
  if (secret !== undefined && Buffer.byteLength(secret) < secretBytesMin)
    throw new SettingsError(
      `JWT_SECRET: got ${Buffer.byteLength(secret)} bytes, expected at least ${secretBytesMin}`,
    );
  const key = { kind: 'secret', secret: secret ?? keptSecret(dataDir) } as const;
  return { key, algorithms: algorithms(secretAlgorithms), issuer, audience };
};

const named = (env: NodeJS.ProcessEnv, name: string): string => {
  const value = env[name] ?? 'daybook';
  if (value.trim() === '') throw new SettingsError(`${name}: got an empty value, expected a name`);
  return value;
};

/** Plain http is accepted for this machine only: keys fetched without TLS could be forged. */
const safeUrl = (name: string, text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !local))
    throw new SettingsError(`${name}: got "${text}", expected an https address (http on this machine only)`);
  return url;
};

/** The secret of the data folder, created at the first start: 256 random bits that only the owner can read. */
const keptSecret = (dataDir: string): string => {
  const file = join(dataDir, 'jwt-secret');
  const making = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    // Linking a finished file makes one of two concurrent first starts win; the other reads its secret.
    if (!existsSync(file)) {
      writeFileSync(making, randomBytes(32).toString('hex'), { mode: 0o600 });
      linkSync(making, file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new SettingsError(`DATA_DIR: ${file} cannot be written: ${(error as Error).message}`);
  } finally {
    rmSync(making, { force: true });
  }
  chmodSync(file, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  if (Buffer.byteLength(secret) < secretBytesMin)
    throw new SettingsError(
      `${file}: got ${secret.length} bytes, expected at least ${secretBytesMin}; delete it for a new one`,
    );
  return secret;
};
