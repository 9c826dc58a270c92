import { distance } from '../../application/texts/nearest.js';

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
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'AUDIT_KEY_FILE',
  'CORS_ORIGINS',
  'BODY_RATE_MIN',
  'PUBLIC_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'WEBHOOK_ALLOW_PRIVATE',
  'LOG_LEVEL',
];

/** Letters that may differ. Short names are not compared: variables of other programs are like them. */
const changesMax = 2;
const lengthMin = 8;

const isSimilar = (name: string, known: string): boolean =>
  name === `DAYBOOK_${known}` ||
  (known.length >= lengthMin &&
    Math.abs(known.length - name.length) <= changesMax &&
    distance(known, name) <= changesMax);

/** Hints at variables that are no setting but nearly have the name of one. Values are not shown. */
export const similarSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env).flatMap(name => {
    if (settingNames.includes(name)) return [];
    const known = settingNames.find(setting => isSimilar(name.toUpperCase(), setting));
    return known === undefined ? [] : `${name} is not a setting and has no effect; expected ${known}`;
  });
