import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  csvOptions,
  parametersIn,
  textOptions,
  openContent,
  sourceNameOf,
  Unreadable,
  withOptions,
} from './terminal/inputFiles.js';
import { parsedArguments, integerOption, labelsOption } from './terminal/arguments.js';
import { accessOf } from './pull/daybook.js';
import { mayPass } from './pull/retries.js';
import { plain } from './terminal/text.js';
import { SettingsError } from '../settings/values.js';

/** Options that become parameters of a creation, by their names. */
const choices = {
  'time-zone': 'timeZone',
  calendar: 'calendar',
  'activity-size': 'activitySize',
  aggregation: 'aggregation',
  interpolation: 'interpolationMethod',
  coverage: 'coverage',
  'expected-interval': 'expectedInterval',
} as const;

/** Options of an import of a folder. */
type FolderOptions = {
  readonly folder: string;
  readonly address: string;
  readonly token: string;
  /** File that records the created sources. */
  readonly stateFile: string | undefined;
  readonly atOnce: number;
  /** Labels `key:value`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly allowDuplicate: boolean;
  /** Parameters of the API. */
  readonly choices: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
};

const atOnceMax = 16;

/** Options of arguments and environment. @throws SettingsError, WrongArguments */
export const folderOptions = (args: readonly string[], env: NodeJS.ProcessEnv): FolderOptions => {
  const { values, positionals } = parsedArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...textOptions({ ...choices, ...csvOptions }),
      token: { type: 'string' },
      state: { type: 'string' },
      url: { type: 'string' },
      'at-once': { type: 'string', default: '4' },
      label: { type: 'string', multiple: true, default: [] },
      'allow-duplicate': { type: 'boolean', default: false },
    },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw new SettingsError(`got ${positionals.length} folders, expected: daybook import-folder <folder>`);
  const given = {
    DAYBOOK_URL: values.url ?? env['DAYBOOK_URL'],
    DAYBOOK_TOKEN: values.token ?? env['DAYBOOK_TOKEN'],
  };
  return {
    ...accessOf(given, 'the scope import', values.url === undefined ? undefined : '--url'),
    ...{ folder, stateFile: values.state },
    atOnce: integerOption('--at-once', values['at-once'], 1, atOnceMax),
    labels: labelsOption(values.label),
    allowDuplicate: values['allow-duplicate'],
    choices: parametersIn(choices, values),
    form: parametersIn(csvOptions, values),
  };
};

/** A request that creates a source from a file. */
export type Creation = {
  readonly path: string;
  readonly contentType: string;
  /** The same for the same file and parameters. */
  readonly digest: string;
  /** A new body for each attempt. */
  readonly body: () => AsyncIterable<Uint8Array> | string;
};

/** A source that was created; earlier versions noted no instant. */
export type CreatedSource = { readonly sourceId: number; readonly createdAt?: string };

/** The service refused a file; `faults` have their places. */
export class FileRefused extends Error {
  readonly name = 'FileRefused';
  readonly faults: readonly string[];

  constructor(message: string, faults: readonly string[]) {
    super(message);
    this.faults = faults;
  }
}

/** The service refused the token. */
export class TokenRefused extends Error {
  readonly name = 'TokenRefused';
}

/** The service could not be reached for too long. */
export class Unreachable extends Error {
  readonly name = 'Unreachable';
}

const numbers: readonly string[] = ['activitySize', 'coverage'];

/** The creation of a source from a JSON file. Fields of the file replace options. */
const jsonCreation = async (file: string, options: FolderOptions): Promise<Omit<Creation, 'digest'>> => {
  const text = await readFile(file, 'utf8');
  let given: object;
  try {
    given = JSON.parse(text) as object;
  } catch (error) {
    throw new FileRefused('it is not valid JSON', [(error as Error).message]);
  }
  const choices = Object.entries(options.choices).map(([name, value]) => [
    name,
    numbers.includes(name) ? Number(value) : value,
  ]);
  const body = JSON.stringify({
    name: sourceNameOf(file, 'source'),
    ...(Object.keys(options.labels).length > 0 && { labels: options.labels }),
    ...Object.fromEntries(choices),
    ...given,
  });
  const query = options.allowDuplicate ? '?allowDuplicate=true' : '';
  return { path: `/v1/import/create-source${query}`, contentType: 'application/json', body: () => body };
};

const csvCreation = (file: string, options: FolderOptions): Omit<Creation, 'digest'> => {
  const query = new URLSearchParams({
    ...{ name: sourceNameOf(file, 'source'), ...options.choices, ...options.form },
    ...(options.allowDuplicate && { allowDuplicate: 'true' }),
  });
  for (const pair of Object.entries(options.labels)) query.append('label', pair.join(':'));
  return {
    path: `/v1/import-csv/create-source?${query}`,
    contentType: 'text/csv',
    body: () => openContent(file).content,
  };
};

/** The request for a file: CSV, packed CSV or JSON. @throws FileRefused, Unreadable */
export const creationOf = async (file: string, options: FolderOptions): Promise<Creation> => {
  try {
    const creation = /\.json$/i.test(file) ? await jsonCreation(file, options) : csvCreation(file, options);
    const hash = createHash('sha256').update(`${creation.path}\n`);
    const body = creation.body();
    if (typeof body === 'string') hash.update(body);
    else for await (const chunk of body) hash.update(chunk);
    return { ...creation, digest: hash.digest('hex') };
  } catch (error) {
    if (error instanceof FileRefused) throw error;
    throw new Unreadable(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** Longest time without an answer of the service, and longest pause between two attempts. */
const unreachableMsMax = 60_000;
const pauseMsMax = 5000;

/**
 * Sends a creation until it is answered: again while the service has no capacity or an earlier attempt still runs.
 * @throws FileRefused, TokenRefused, Unreachable
 */
export const sendCreation = async (
  { address, token }: Pick<FolderOptions, 'address' | 'token'>,
  { path, contentType, digest, body }: Creation,
): Promise<CreatedSource> => {
  let reached = performance.now();
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMsMax, 2 * pauseMs)) {
    try {
      const response = await fetch(`${address}${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': contentType,
          'Idempotency-Key': `import-folder-${digest}`,
        },
        body: body() as string,
        duplex: 'half',
      } as RequestInit);
      const answer = answerOf(await response.text());
      const { status } = response;
      if (answer.code === 'queueFull' || answer.code === 'keyInUse') reached = performance.now();
      if (status === 201 && answer.source)
        return { sourceId: answer.source.id, createdAt: answer.source.createdAt };
      if (status === 401 || status === 403) throw new TokenRefused(textOf(answer));
      const isAway = status === 503 || (answer.isPage && mayPass(status));
      if (!isAway && answer.code !== 'keyInUse') throw refusalOf(status, answer);
      if (performance.now() - reached > unreachableMsMax)
        throw new Unreachable(`the service at ${address} is unavailable: ${textOf(answer)}`);
      const seconds = Number(response.headers.get('Retry-After') ?? 0);
      await sleep(Math.max(pauseMs, 1000 * Math.min(60, seconds)) * (0.5 + Math.random() / 2));
    } catch (error) {
      if (error instanceof FileRefused || error instanceof TokenRefused) throw error;
      if (performance.now() - reached > unreachableMsMax)
        throw new Unreachable(`${address} cannot be reached: ${(error as Error).message}`);
      await sleep(pauseMs);
    }
  }
};

/**
 * Whether the service has a source, and not another one of the same id; `unknown` without an answer, and `unreadable`
 * with a token that may not read.
 */
export const lookFor = async (
  { address, token }: Pick<FolderOptions, 'address' | 'token'>,
  { sourceId, createdAt }: CreatedSource,
): Promise<'there' | 'missing' | 'unknown' | 'unreadable'> => {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${address}/v1/source/${sourceId}`, { headers });
    const source = (await response.json()) as Partial<CreatedSource>;
    const { status } = response;
    if (status === 403) return 'unreadable';
    if (status === 404) return 'missing';
    if (status !== 200) return 'unknown';
    return createdAt === undefined || source.createdAt === createdAt ? 'there' : 'missing';
  } catch {
    return 'unknown';
  }
};

type Answer = {
  readonly source?: { readonly id: number; readonly createdAt: string };
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly {
    readonly detail: string;
    readonly line?: number;
    readonly pointer?: string;
  }[];
  /** Whether a proxy in front of the service answered, with a page of its own. */
  readonly isPage?: boolean;
};

const answerOf = (text: string): Answer => {
  try {
    return (JSON.parse(text) ?? {}) as Answer;
  } catch {
    return { isPage: true, detail: `got no JSON, "${plain(text.slice(0, 80))}"` };
  }
};

const textOf = ({ detail, title }: Answer): string => detail ?? title ?? 'no reason was given';

const refusalOf = (status: number, answer: Answer): FileRefused =>
  new FileRefused(
    `${status} ${textOf(answer)}`,
    (answer.errors ?? []).map(({ line, pointer, detail }) => {
      const place = line === undefined ? (pointer ?? '') : `line ${line}`;
      return `${place === '' ? '' : `${place}: `}${withOptions(detail)}`;
    }),
  );
