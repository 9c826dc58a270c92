import { sourcesMaxUsual } from '../../domain/source/sourceState.js';
import { resolve } from 'node:path';
import type { Signer } from '../../auditing/checkpoint.js';
import { makeFolder } from '../environment.js';
import type { ScrubPace } from '../../application/reading/scrubber.js';
import type { NameSources } from '../network/nameResolver.js';
import { signerOf } from '../signingKeyFile.js';
import { dataDirOf, readLog, type LogAddress } from './logAddress.js';
import { readTokens, type TokenSettings, readOidc, type SignIn } from './tokenSettings.js';
import { portOf, hostOf, SettingsError, requireSpelling } from './values.js';
import { privateReceiversOf, type PrivateReceivers } from '../webhooks/privateReceivers.js';
import { senderOf, smtpServer, type MailSettings } from '../mail/mailSettings.js';

/** Settings of mails and of links in messages. */
type MessageSettings = {
  /** Server and sender of mails; undefined when mails cannot be sent. */
  readonly mail?: MailSettings;
  /** Address of the screens for links in messages, without a slash at its end; undefined for no links. */
  readonly publicUrl?: string;
};

/**
 * The address of the screens.
 * @throws SettingsError without the value, which may contain a password
 */
const readPublicUrl = (env: NodeJS.ProcessEnv): Pick<MessageSettings, 'publicUrl'> => {
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

/**
 * Server and sender of mails.
 * @throws SettingsError without the address, which may contain a password
 */
const readMail = (env: NodeJS.ProcessEnv): Pick<MessageSettings, 'mail'> => {
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

/** Where spans are sent. */
export type Collector = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the service in traces. */
  readonly serviceName: string;
};

/** Address of the traces of an OTLP endpoint, as OpenTelemetry defines it; undefined for another text. */
const tracesUrl = (endpoint: string): URL | undefined => {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url;
};

/** Headers in the form `name=value,name=value`, values percent-encoded; undefined for another text. */
const headersOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter(part => part.trim() !== '')) {
    const [, name, value = ''] = /^\s*([A-Za-z0-9-]+)\s*=\s*([\x21-\x7e ]*?)\s*$/.exec(pair) ?? [];
    if (name === undefined) return undefined;
    try {
      headers[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
    if (/[^\x20-\x7e]/.test(headers[name])) return undefined;
  }
  return headers;
};

/** Settings of metrics and tracing. */
type MonitoringSettings = {
  /** Address of the metrics; undefined when the address of the API serves them, to tokens with the scope. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Where spans are sent; undefined for no tracing. */
  readonly tracing?: Collector;
};

/** The address of the metrics. @throws SettingsError */
const readMetrics = (env: NodeJS.ProcessEnv): Pick<MonitoringSettings, 'metrics'> => {
  const { METRICS_PORT: port, METRICS_HOST: host } = env;
  if (port !== undefined)
    return { metrics: { host: hostOf('METRICS_HOST', host), port: portOf('METRICS_PORT', port) } };
  if (host !== undefined)
    throw new SettingsError('METRICS_HOST: set without METRICS_PORT; set METRICS_PORT or neither');
  return {};
};

/** The collector of spans. @throws SettingsError without the headers, which may contain a secret */
const readTracing = (env: NodeJS.ProcessEnv): Pick<MonitoringSettings, 'tracing'> => {
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

/** All settings of the environment. */
export type Settings = {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly dataDir: string;
  readonly log: LogAddress;
  readonly tokens: TokenSettings;
  /** Signs checkpoints of the log; undefined when no key is configured. */
  readonly checkpoints?: Signer;
  /** Bytes that must be free on the disk of the data folder before writes are accepted; 0 for no check. */
  readonly diskFreeMinBytes: number;
  readonly logLevel: string;
  /** Bytes per second that a client has to send of a body; 0 for no minimum. */
  readonly bodyRateMin: number;
  /** Most sources of a tenant that are not archived. */
  readonly sourcesMax: number;
  /** Origins whose scripts may call the API; none by default. */
  readonly corsOrigins: readonly string[];
  /** Whether the start of an unused service shows a code for a first sign-in. */
  readonly firstStart: boolean;
  /** Receivers in private networks that webhooks may send to. */
  readonly webhookAllowPrivate: PrivateReceivers;
  /** Files and servers that know names; absent for those of the system. No variable sets it. */
  readonly names?: NameSources;
  /** When read models are compared with the log; absent for the usual pace. No variable sets it. */
  readonly scrub?: ScrubPace;
  /** Milliseconds that a request waits for what follows from it; absent for the usual time. No variable sets it. */
  readonly outcomeMs?: number;
} & MonitoringSettings &
  SignIn &
  MessageSettings;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const bodyRateMinUsual = 8192;

/**
 * Settings of `env`, with defaults. Creates the data folder, and a random secret in it when no key for tokens is
 * configured.
 * @throws SettingsError at the first invalid value
 */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => {
  requireSpelling(env);
  const port = portOf('PORT', env['PORT'] ?? '8080');
  const host = hostOf('HOST', env['HOST']);
  const metrics = readMetrics(env);

  const logLevel = readLogLevel(env);
  const diskFreeMinBytes = readDiskFreeMin(env);
  const bodyRateMin = readBodyRateMin(env);
  const dataDir = readDataDir(env);
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
    bodyRateMin,
    sourcesMax: readSourcesMax(env),
    corsOrigins: corsOriginsOf(env['CORS_ORIGINS'] ?? ''),
    firstStart: readFirstStart(env),
    webhookAllowPrivate: readPrivateReceivers(env['WEBHOOK_ALLOW_PRIVATE'] ?? 'false'),
    ...readPublicUrl(env),
    ...readMail(env),
  };
};

/** @throws SettingsError */
const readFirstStart = (env: NodeJS.ProcessEnv): boolean => {
  const text = env['FIRST_START_CODE'] ?? 'true';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new SettingsError(`FIRST_START_CODE: got "${text}", expected true or false`);
};

/** @throws SettingsError */
const readPrivateReceivers = (text: string): PrivateReceivers => {
  const receivers = privateReceiversOf(text);
  if (receivers === undefined)
    throw new SettingsError(
      `WEBHOOK_ALLOW_PRIVATE: got "${text}", expected true, false or at most 200 of host:port with commas between ` +
        'them: alertmanager.lan:9093, 10.0.0.5:443, [fd00::5]:8080',
    );
  return receivers;
};

const readLogLevel = (env: NodeJS.ProcessEnv): string => {
  const level = env['LOG_LEVEL'] ?? 'info';
  if (!logLevels.includes(level))
    throw new SettingsError(`LOG_LEVEL: got "${level}", expected one of ${logLevels.join(', ')}`);
  return level;
};

const readDiskFreeMin = (env: NodeJS.ProcessEnv): number => {
  const megabytes = env['DISK_FREE_MIN_MB'] ?? '64';
  if (!/^\d{1,9}$/.test(megabytes))
    throw new SettingsError(
      `DISK_FREE_MIN_MB: got "${megabytes}", expected a number of megabytes, 0 for no check`,
    );
  return Number(megabytes) * 1_000_000;
};

const readBodyRateMin = (env: NodeJS.ProcessEnv): number => {
  const rate = env['BODY_RATE_MIN'] ?? String(bodyRateMinUsual);
  if (!/^\d{1,7}$/.test(rate))
    throw new SettingsError(`BODY_RATE_MIN: got "${rate}", expected 0 to 9999999 bytes a second`);
  return Number(rate);
};

const readSourcesMax = (env: NodeJS.ProcessEnv): number => {
  const count = env['SOURCES_MAX'] ?? String(sourcesMaxUsual);
  if (!/^[1-9]\d{0,6}$/.test(count))
    throw new SettingsError(`SOURCES_MAX: got "${count}", expected 1 to 9999999 sources of a tenant`);
  return Number(count);
};

/** The data folder, which is created if necessary. */
const readDataDir = (env: NodeJS.ProcessEnv): string => {
  const dataDir = dataDirOf(env);
  try {
    makeFolder(dataDir, 0o700);
  } catch (error) {
    throw new SettingsError(`DATA_DIR: ${dataDir} cannot be created: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return dataDir;
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
  const refusal = `AUDIT_KEY_FILE: got "${file}", expected a key of "daybook checkpoint --new-key"`;
  if (file.trim() === '') throw new SettingsError(refusal);
  try {
    return { checkpoints: signerOf(resolve(file)) };
  } catch (error) {
    throw new SettingsError(`${refusal}: ${(error as Error).message}`);
  }
};
