import { SettingsError } from '../../settings/values.js';

/** Names of environment variables that a feed gives for its secrets. */
export type SecretNames = {
  readonly tokenFrom?: string | undefined;
  readonly userFrom?: string | undefined;
  readonly passwordFrom?: string | undefined;
  /** Further header fields, such as X-Scope-OrgID. */
  readonly headersFrom?: Readonly<Record<string, string>> | undefined;
};

/** Bytes that a header field may have. */
const headerValue = /^[\t\x20-\x7e]{1,8192}$/;

/** The value of a variable. Messages have its name only. @throws SettingsError */
const secretOf = (env: NodeJS.ProcessEnv, variable: string, place: string): string => {
  const value = env[variable];
  if (value === undefined || value === '')
    throw new SettingsError(`${place}: the environment variable ${variable} is not set`);
  return value;
};

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** The value of Authorization; undefined without credentials. */
const authorization = (
  { tokenFrom, userFrom, passwordFrom }: SecretNames,
  env: NodeJS.ProcessEnv,
  place: string,
): string | undefined => {
  if (tokenFrom !== undefined && (userFrom !== undefined || passwordFrom !== undefined))
    throw new SettingsError(`${place}: got tokenFrom and userFrom or passwordFrom, expected one kind`);
  if (tokenFrom !== undefined) return `Bearer ${secretOf(env, tokenFrom, `${place}.tokenFrom`)}`;
  if (userFrom !== undefined || passwordFrom !== undefined) {
    if (userFrom === undefined || passwordFrom === undefined)
      throw new SettingsError(`${place}: got one of userFrom and passwordFrom, expected both`);
    const user = secretOf(env, userFrom, `${place}.userFrom`);
    return basic(user, secretOf(env, passwordFrom, `${place}.passwordFrom`));
  }
  const { PROMETHEUS_TOKEN: token, PROMETHEUS_USER: user, PROMETHEUS_PASSWORD: password } = env;
  if (token) return `Bearer ${token}`;
  return user ? basic(user, password ?? '') : undefined;
};

/** Header fields with the secrets of a feed. @throws SettingsError */
export const secretHeaders = (
  names: SecretNames,
  env: NodeJS.ProcessEnv,
  place: string,
): Readonly<Record<string, string>> => {
  const authorized = authorization(names, env, place);
  const further = Object.entries(names.headersFrom ?? {}).map(
    ([field, variable]) => [field, secretOf(env, variable, `${place}.headersFrom.${field}`)] as const,
  );
  const headers = {
    ...(authorized !== undefined && { Authorization: authorized }),
    ...Object.fromEntries(further),
  };
  for (const [field, value] of Object.entries(headers))
    if (!headerValue.test(value))
      throw new SettingsError(`${place}: the secret for ${field} has characters that a header cannot have`);
  return headers;
};
