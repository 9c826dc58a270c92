import { randomUUID } from 'node:crypto';
import { expectedNames } from '../../domain/text.js';
import { SettingsError } from '../settings/values.js';
import { accessOf, answerTo, type Sent } from './pull/daybook.js';
import { PullFault } from './pull/retries.js';
import { integerOption, parsedArguments, wrongOption, type Command } from './terminal/arguments.js';
import { plain, table } from './terminal/text.js';

/** Repetitions of a request that may succeed later: some four seconds. */
const retries = 3;

/** A request of a command, and its answer as lines. */
export type Request<Body> = {
  readonly sent: Sent;
  /** Scope that the token needs. */
  readonly scope: string;
  /** Whether the answer is printed as JSON. */
  readonly json: boolean;
  readonly lines: (body: Body) => readonly string[];
};

/** Sends a request to the service of DAYBOOK_URL and prints its answer. @returns the exit code */
const sendRequest = async <Body>(
  { sent, scope, json, lines }: Request<Body>,
  env: NodeJS.ProcessEnv,
): Promise<number> => {
  const access = accessOf(env, `the scope ${scope}`);
  const { signal } = new AbortController();
  const keyed = sent.method === 'POST' ? { ...sent, key: randomUUID() } : sent;
  try {
    const body = (await answerTo(access, keyed, { retries, signal })) as Body;
    process.stdout.write(`${json ? JSON.stringify(body) : lines(body).join('\n')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof PullFault)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
};

/** The request of each verb of a command. */
type Verbs = Readonly<Record<string, (args: readonly string[]) => Request<never>>>;

/** A command whose first argument is a verb, which sends one request to a running service. */
export const requestCommand = (name: string, usage: string, verbs: Verbs): Command => ({
  usage,
  run: async ([verb, ...args], env) => {
    const names = Object.keys(verbs);
    const request = verb !== undefined && names.includes(verb) ? verbs[verb] : undefined;
    if (request) return sendRequest(request(args), env);
    const got = verb === undefined ? 'nothing' : `"${plain(verb)}"`;
    const expected = expectedNames(verb ?? '', names, 'a verb');
    throw new SettingsError(`got ${got}, ${expected}; see daybook ${name} --help`);
  },
});

/** The option for answers as JSON. */
export const jsonOption = { json: { type: 'boolean', default: false } } as const;

/** The verb that deletes something by its id. @param done what is printed before the id */
export const deletion =
  (path: string, scope: string, done: string) =>
  (args: readonly string[]): Request<{ readonly id: string }> => {
    const { values, positionals } = parsedArguments({
      args: [...args],
      allowPositionals: true,
      options: jsonOption,
    });
    const [id, ...more] = positionals;
    if (!id || more.length > 0) throw new SettingsError(`got ${positionals.length} ids, expected one`);
    const sent = { method: 'DELETE', path: `${path}/${encodeURIComponent(id)}` } as const;
    return { sent, scope, ...values, lines: answer => [`${done}: ${plain(answer.id)}`] };
  };

/** Options that say what a mute or a rule covers. */
export const placeOptions = {
  source: { type: 'string' },
  label: { type: 'string', multiple: true, default: [] as string[] },
} as const;

/** The id of a source. @throws SettingsError */
export const sourceOption = (text: string): number =>
  integerOption('--source', text, 1, Number.MAX_SAFE_INTEGER);

/** Labels `key:value` as an object. @throws SettingsError */
export const labelsOption = (texts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    texts.map(text => {
      const at = text.indexOf(':');
      if (at < 1 || at === text.length - 1) throw wrongOption('--label', text, 'key:value');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );

/** Refuses other than one given value. @throws SettingsError */
export const expectOne = (names: string, values: readonly unknown[]): void => {
  const count = values.filter(value => value !== undefined && String(value) !== '').length;
  if (count !== 1) throw new SettingsError(`got ${count} of ${names}, expected one of them`);
};

/** A required option. @throws SettingsError */
export const requiredOption = (option: string, value: string | undefined, expected: string): string => {
  if (!value) throw new SettingsError(`${option}: got none, expected ${expected}`);
  return value;
};

/** The source, labels or incident of a mute or a rule, in words. */
export const placeText = ({
  sourceId,
  labels,
  incidentId,
}: {
  readonly sourceId?: number | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly incidentId?: string;
}): string => {
  const pairs = Object.entries(labels ?? {}).map(pair => pair.join(':'));
  if (pairs.length > 0) return pairs.join(' ');
  return typeof sourceId === 'number' ? `source ${sourceId}` : `incident ${incidentId}`;
};

/** Rows below their titles, or a text when there are none. */
export const listed = (rows: readonly (readonly string[])[], titles: string, none: string) => {
  const columns = titles.split(' ');
  if (rows.length === 0) return [none];
  return table([columns, ...rows.map(row => row.map(plain))], 'l'.repeat(columns.length));
};
