import { resolve } from 'node:path';
import type { Signer } from '../../auditing/checkpoint.js';
import { makeFolder } from '../makeFolder.js';
import type { NameSources } from '../network/nameResolver.js';
import { signerOf } from '../signingKeyFile.js';
import { dataDirOf, readLog, type LogAddress } from './logAddress.js';
import { readTokens, type TokenSettings } from './tokenSettings.js';
import { readMetrics, readTracing, type MonitoringSettings } from './monitoringSettings.js';
import { readOidc, type SignIn } from './signIn.js';
import { readPublicUrl, readMail, type MessageSettings } from './messageSettings.js';
import { portOf, hostOf, readSwitch } from './values.js';
import { SettingsError } from './settingsError.js';
import { requireSpelling } from './similarSettings.js';

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
  /** Origins whose scripts may call the API; none by default. */
  readonly corsOrigins: readonly string[];
  /** Whether webhooks may send to addresses of private networks. */
  readonly webhookAllowPrivate: boolean;
  /** Files and servers that know names; absent for those of the system. No variable sets it. */
  readonly names?: NameSources;
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
    corsOrigins: corsOriginsOf(env['CORS_ORIGINS'] ?? ''),
    webhookAllowPrivate: readSwitch(env, 'WEBHOOK_ALLOW_PRIVATE'),
    ...readPublicUrl(env),
    ...readMail(env),
  };
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

/** The data folder, which is created if necessary. */
const readDataDir = (env: NodeJS.ProcessEnv): string => {
  const dataDir = dataDirOf(env);
  try {
    makeFolder(dataDir, 0o700);
  } catch (error) {
    throw new SettingsError(`DATA_DIR: ${dataDir} cannot be created: ${(error as Error).message}`);
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
