import { parse, YAMLParseError } from 'yaml';
import { secondsPerDay } from '../../../domain/dates.js';
import { expectedNames } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import { clockOf, timeZoneFault } from '../../timeZones.js';
import { parametersIn } from '../terminal/inputFiles.js';
import { plain } from '../terminal/text.js';
import * as fields from './fields.js';

/** Shortest step, in seconds: a day is one window at most. */
export const stepSecondsMin = 15;

/** Names of environment variables that a feed gives for its secrets. */
type SecretNames = {
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
const secretHeaders = (
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

/** A query whose values a source gets. */
export type Feed = {
  /** Its name in messages. */
  readonly title: string;
  readonly url: string;
  readonly query: string;
  /** The source: an id, or a name under which it is created if necessary. */
  readonly source: number | string;
  /** First and last date, both inclusive. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** Undefined: a slice of the source. */
  readonly stepSeconds: number | undefined;
  /** Whether a value describes the step before its time, as avg_over_time does, or the one that begins there. */
  readonly stamps: 'start' | 'end';
  readonly timeoutMs: number;
  readonly retries: number;
  readonly acceptsWarnings: boolean;
  /** Header fields with secrets; never shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeZone: string;
  /** Parameters of the creation of its source. */
  readonly choices: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
};

/** Most feeds of a file. */
const feedsMax = 500;
const defaultTimeoutSeconds = 60;
const defaultRetries = 5;

/** Choices of a new source that are sent as they are. */
const choiceReaders = {
  activitySize: fields.choice,
  aggregation: fields.oneOf(['mean', 'sum', 'counter']),
  interpolationMethod: fields.choice,
  calendar: fields.choice,
  coverage: fields.choice,
  unit: fields.choice,
  lateness: fields.choice,
  expectedInterval: fields.choice,
};

const readers = {
  url: fields.address,
  query: fields.text(10_000),
  name: fields.text(100),
  source: fields.integer(1, Number.MAX_SAFE_INTEGER),
  since: fields.date,
  until: fields.date,
  step: fields.seconds(stepSecondsMin, secondsPerDay),
  stamps: fields.oneOf(['start', 'end']),
  timeout: fields.seconds(1, 600),
  retries: fields.integer(0, 20),
  acceptWarnings: fields.flag,
  tokenFrom: fields.variable,
  userFrom: fields.variable,
  passwordFrom: fields.variable,
  headersFrom: fields.headerVariables,
  timeZone: fields.text(64),
  labels: fields.texts,
  ...choiceReaders,
};

type Readers = typeof readers;
type Given = { readonly [Name in keyof Readers]?: ReturnType<Readers[Name]> };

/** The fields of a feed that are given, checked one by one. @throws SettingsError */
const givenOf = (from: Readonly<Record<string, unknown>>, place: string, at: Place['at']): Given => {
  const names = Object.keys(readers);
  const entries = Object.entries(from).map(([name, value]) => {
    if (/^(?:token|user|password|headers)$/.test(name))
      throw new SettingsError(
        `${place}: got ${name} in the file, expected ${name}From with the name of an environment variable`,
      );
    if (!Object.hasOwn(readers, name))
      throw new SettingsError(
        `${place}: got the field "${plain(name)}", ${expectedNames(name, names, 'a field')}`,
      );
    return [name, readers[name as keyof Readers](value, at(name))];
  });
  return Object.fromEntries(entries) as Given;
};

const required = <Value>(value: Value | undefined, place: string): Value => {
  if (value === undefined) throw new SettingsError(`${place}: got none, expected one`);
  return value;
};

/** Where a feed is, and its fields, in messages. */
type Place = { readonly place: string; readonly at: (field: string) => string };

/** A feed from its fields. @throws SettingsError */
const feedOf = (
  from: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  { place, at }: Place,
): Feed => {
  const given = givenOf(from, place, at);
  const { name, source, since, until, timeZone = 'UTC' } = given;
  if ((name === undefined) === (source === undefined))
    throw new SettingsError(`${place}: expected either name or source`);
  if (since !== undefined && until !== undefined && until < since)
    throw fields.wrongField(at('until'), until, `a date from since on, ${since}`);
  if (given.aggregation === 'counter' && given.stamps === 'end')
    throw fields.wrongField(at('stamps'), 'end', 'start: a reading of a counter is of its instant');
  if (!clockOf(timeZone)) throw new SettingsError(`${at('timeZone')}: ${timeZoneFault(timeZone)}`);
  const choices = Object.keys(choiceReaders).flatMap(choice => {
    const value = given[choice as keyof typeof choiceReaders];
    return value === undefined ? [] : [[choice, value] as const];
  });
  return {
    title: name ?? `source ${source}`,
    url: required(given.url, at('url')),
    query: required(given.query, at('query')),
    source: name ?? source ?? 0,
    ...{ since, until, timeZone, stepSeconds: given.step },
    stamps: given.stamps ?? 'start',
    timeoutMs: 1000 * (given.timeout ?? defaultTimeoutSeconds),
    retries: given.retries ?? defaultRetries,
    acceptsWarnings: given.acceptWarnings ?? false,
    headers: secretHeaders(given, env, place),
    choices: Object.fromEntries(choices),
    labels: given.labels ?? {},
  };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsed = (text: string, file: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = parse(text, { maxAliasCount: 100 });
    if (isRecord(value)) return value;
  } catch (error) {
    const reason = error instanceof YAMLParseError ? error.message.split('\n')[0] : (error as Error).message;
    throw new SettingsError(`${plain(file)} is not valid YAML: ${plain(reason ?? '')}`);
  }
  throw new SettingsError(`${plain(file)}: expected a list "feeds", and perhaps "defaults"`);
};

/** The feeds of a file in YAML; `defaults` has fields of all feeds. @throws SettingsError */
export const feedsOf = (text: string, file: string, env: NodeJS.ProcessEnv): readonly Feed[] => {
  const { feeds: list, defaults = {}, ...others } = parsed(text, file);
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new SettingsError(`${plain(file)}: got "${plain(other)}", expected feeds and defaults only`);
  if (!isRecord(defaults)) throw fields.wrongField('defaults', defaults, 'fields of a feed');
  if (!Array.isArray(list) || list.length === 0 || list.length > feedsMax)
    throw new SettingsError(`${plain(file)}: feeds: expected a list of 1 to ${feedsMax} feeds`);
  const feeds = list.map((one: unknown, index) => {
    const place = `feeds[${index}]`;
    if (!isRecord(one)) throw fields.wrongField(place, one, 'the fields of a feed');
    return feedOf({ ...defaults, ...one }, env, { place, at: field => `${place}.${field}` });
  });
  feeds.forEach(({ source }, index) => {
    const first = feeds.findIndex(other => other.source === source);
    if (first !== index)
      throw new SettingsError(
        `feeds[${index}] has the source of feeds[${first}], expected one feed a source`,
      );
  });
  return feeds;
};

/** Options of the command that are fields of its only feed. */
export const feedOptions = {
  prometheus: 'url',
  query: 'query',
  name: 'name',
  since: 'since',
  until: 'until',
  step: 'step',
  'time-zone': 'timeZone',
  calendar: 'calendar',
  'activity-size': 'activitySize',
  aggregation: 'aggregation',
  interpolation: 'interpolationMethod',
  stamps: 'stamps',
} as const;

/** The feed of options. @throws SettingsError */
export const feedOfOptions = (
  options: Readonly<Record<string, string | undefined>>,
  env: NodeJS.ProcessEnv,
): Feed => {
  for (const option of ['prometheus', 'query', 'name'])
    if (options[option] === undefined)
      throw new SettingsError(`--${option}: got none; see daybook pull --help`);
  const named = Object.entries(feedOptions);
  const at = (field: string): string => `--${named.find(([, name]) => name === field)?.[0] ?? field}`;
  return feedOf(parametersIn(feedOptions, options), env, { place: 'options', at });
};
