import { distance } from '../../domain/text.js';

/**
 * An invalid setting; the message has its name, the value and the expected value. With a cause of the operating system
 * the setting may be right later.
 */
export class SettingsError extends Error {
  readonly name = 'SettingsError';
}

/** A port, 0 for any free one. @throws SettingsError */
export const portOf = (name: string, text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new SettingsError(`${name}: got "${text}", expected 0 to 65535`);
  return Number(text);
};

/** A host name or an address; 127.0.0.1 when none is given. @throws SettingsError */
export const hostOf = (name: string, text = '127.0.0.1'): string => {
  if (text.trim() === '')
    throw new SettingsError(`${name}: got an empty value, expected a name or an address`);
  return text;
};

/** A setting that is a name; `daybook` when none is given. @throws SettingsError */
export const named = (env: NodeJS.ProcessEnv, name: string): string => {
  const value = env[name] ?? 'daybook';
  if (value.trim() === '') throw new SettingsError(`${name}: got an empty value, expected a name`);
  return value;
};

/**
 * An https address. Plain http is accepted for this machine only: keys fetched without TLS could be forged.
 * @throws SettingsError without the address, which may contain a password
 */
export const safeUrl = (name: string, text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !local))
    throw new SettingsError(`${name}: expected an https address (http on this machine only)`);
  return url;
};

/** Names of all settings of the environment. */
export const settingNames: readonly string[] = [
  'HOST',
  'PORT',
  'METRICS_PORT',
  'METRICS_HOST',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'DATA_DIR',
  'DISK_FREE_MIN_MB',
  'EVENT_STORE',
  'EVENTSTOREDB_URL',
  'EVENTSTOREDB_PREFIX',
  'JWT_SECRET',
  'JWT_JWKS_URL',
  'JWT_ALGORITHMS',
  'JWT_ISSUER',
  'JWT_AUDIENCE',
  'JWT_SCOPE_CLAIM',
  'JWT_SCOPE_PREFIX',
  'JWT_TENANT_CLAIM',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_SCOPE',
  'OIDC_AUDIENCE',
  'OIDC_RESOURCE',
  'AUDIT_KEY_FILE',
  'CORS_ORIGINS',
  'BODY_RATE_MIN',
  'SOURCES_MAX',
  'PUBLIC_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'FIRST_START_CODE',
  'WEBHOOK_ALLOW_PRIVATE',
  'LOG_LEVEL',
];

/** Letters that may differ. Short names are not compared: variables of other programs are like them. */
const changesMax = 2;
const lengthMin = 8;
/** Longest name of which one letter may differ, and none of its first part: AMQP_URL and SFTP_URL are of others. */
const strictLengthMax = 10;

const firstPart = (name: string): string => name.split('_', 1)[0] ?? '';
const lettersOf = (name: string): string => [...name.replaceAll('_', '')].sort().join('');

/** Endings by which other programs take the same setting, such as `JWT_SECRET_FILE` for a secret that is mounted. */
const ending = /_(FILE|KEY|PATH|VALUE)$/;

const isSimilar = (name: string, known: string): boolean => {
  if (name === `DAYBOOK_${known}`) return true;
  if (known.length < lengthMin) return false;
  if (name.replace(ending, '') === known) return true;
  const isStrict = known.length <= strictLengthMax;
  const changes = isStrict ? 1 : changesMax;
  if (Math.abs(known.length - name.length) > changes || distance(known, name) > changes) return false;
  return !isStrict || firstPart(name) === firstPart(known) || lettersOf(name) === lettersOf(known);
};

/** Settings that decide who gets in, where the data are, or that have a secret. */
const decisive =
  /^(JWT_|OIDC_|FIRST_START_CODE|AUDIT_KEY_FILE|DATA_DIR|EVENT_?STORE|SMTP_URL|OTEL_EXPORTER_OTLP_HEADERS)/;

/** The setting that a variable nearly has the name of; undefined for a setting and for another name. */
const meantBy = (name: string): string | undefined =>
  settingNames.includes(name)
    ? undefined
    : settingNames.find(setting => isSimilar(name.toUpperCase(), setting));

/** Hints at variables that are no setting but nearly have the name of one. Values are not shown. */
export const similarSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env).flatMap(name => {
    const known = meantBy(name);
    return known === undefined ? [] : `${name} is not a setting and has no effect; expected ${known}`;
  });

/**
 * Refuses a variable that nearly has the name of a decisive setting, which is not set: the service would run with
 * another secret or other data than its operator believes.
 * @throws SettingsError
 */
export const requireSpelling = (env: NodeJS.ProcessEnv): void => {
  for (const name of Object.keys(env)) {
    const known = meantBy(name);
    if (known === undefined || !decisive.test(known) || env[known] !== undefined) continue;
    throw new SettingsError(`${name}: there is no such setting, expected ${known}; rename it or remove it`);
  }
};
