import { SettingsError } from '../../settings/values.js';
import { nameForm } from '../../../domain/source/sourceDescription.js';
import { plain } from '../terminal/text.js';
import { mayPass, PullFault, retried, retryAfterMs, Transient, type Retries } from './retries.js';

/** Fields of a source that a pull needs. */
export type PulledSource = {
  readonly id: number;
  readonly name: string;
  readonly timeZone: string;
  readonly activitySize: number;
  readonly aggregation: string;
  readonly reference: { readonly from: string; readonly to: string; readonly days: number };
  readonly lastData: { readonly date: string };
  readonly counts: { readonly recentDays: number };
  /** The source that learned again from this one; null for none. */
  readonly relearnedAs: number | null;
};

type Notes = readonly { readonly code: string; readonly detail: string; readonly cure?: string }[];

/** A value at an instant in seconds since 1970. */
export type Samples = { readonly times: readonly number[]; readonly values: readonly number[] };

/** The result of sent points. */
export type SentPoints = { readonly raised: number; readonly warnings: Notes };

/** The service as a pull uses it. Its methods repeat a request that may succeed later, and throw PullFault. */
export type Daybook = {
  /**
   * The source of an id or a name, or the one that learned again from it; undefined for a name that no source has.
   * @throws SourceArchived
   */
  readonly presentSource: (given: number | string) => Promise<PulledSource | undefined>;
  /** Creates a source from its reference; undefined when a source has the name already. */
  readonly create: (
    query: URLSearchParams,
    csv: string,
  ) => Promise<{ readonly source: PulledSource; readonly warnings: Notes } | undefined>;
  readonly sendPoints: (sourceId: number, samples: Samples) => Promise<SentPoints>;
};

/** The source of a feed is archived. */
export class SourceArchived extends PullFault {
  constructor({ id, name }: PulledSource) {
    super(
      1,
      `source ${id} "${plain(name)}" is archived: restore it, or take the feed out; nothing is created`,
    );
  }
}

/** The service refused the token, which a later request of the process cannot change. */
export class TokenRefused extends PullFault {}

type Problem = {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly detail: string }[];
};
/** A request of a command. */
export type Sent = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  /** Idempotency-Key, with which a repeat has the first answer. */
  readonly key?: string;
};
type Access = { readonly address: string; readonly token: string };
type Answer = { readonly status: number; readonly body: unknown };

/** Longest wait for an answer; a creation of a year waits for its turn. */
const answerMsMax = 120_000;
const faultsMax = 5;
/** Pages of sources that are searched for a name. */
const pagesMax = 100;

const reasonOf = ({ detail, title, errors = [] }: Problem): string =>
  plain(
    [detail ?? title ?? 'no reason was given', ...errors.slice(0, faultsMax).map(one => one.detail)].join(
      '; ',
    ),
  );

/** A request once. @throws PullFault, Transient */
const askOnce = async (
  { address, token }: Access,
  { method, path, type, body, key }: Sent,
  stopped: AbortSignal,
): Promise<Answer> => {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${address}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(type !== undefined && { 'Content-Type': type }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(answerMsMax)]),
    });
    text = await response.text();
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Transient(`${address} cannot be reached: ${cause instanceof Error ? cause.message : message}`);
  }
  const { status } = response;
  let answer: unknown;
  try {
    answer = JSON.parse(text) ?? {};
  } catch {
    answer = { detail: `got no JSON, "${plain(text.slice(0, 80))}"` };
    // A proxy in front of the service answers with a page of its own.
    if (status === 200) throw new Transient(`the service answered 200: ${reasonOf(answer as Problem)}`);
  }
  const problem = answer as Problem;
  if (status === 401 || status === 403) {
    // A proxy refuses without a code, and may let the next request pass.
    const Refused = typeof problem.code === 'string' ? TokenRefused : PullFault;
    throw new Refused(2, `DAYBOOK_TOKEN is refused (${status}): ${reasonOf(problem)}`);
  }
  if (mayPass(status) || problem.code === 'keyInUse')
    throw new Transient(
      `the service answered ${status}: ${reasonOf(problem)}`,
      retryAfterMs(response.headers.get('Retry-After'), Date.now()),
    );
  return { status, body: answer };
};

const refused = ({ status, body }: Answer): PullFault =>
  new PullFault(1, `the service answered ${status}: ${reasonOf(body as Problem)}`);

/**
 * Address and token of the service.
 * @param scopes that the token needs, in words
 * @param option that gives the address in place of DAYBOOK_URL
 * @throws SettingsError
 */
export const accessOf = (env: NodeJS.ProcessEnv, scopes: string, option = 'DAYBOOK_URL'): Access => {
  const address = env['DAYBOOK_URL'] || 'http://127.0.0.1:8080';
  const token = env['DAYBOOK_TOKEN'];
  // Errors of requests name the address.
  if (address.includes('@'))
    throw new SettingsError(`${option}: got credentials in the address, expected http://host:port`);
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new SettingsError(`${option}: got "${plain(address)}", expected http://host:port`);
  if (!token) throw new SettingsError(`DAYBOOK_TOKEN: got none, expected a token with ${scopes}`);
  return { address: address.replace(/\/$/, ''), token };
};

/** The body of the answer to a request, repeated while its fault may pass. @throws PullFault */
export const answerTo = async (access: Access, sent: Sent, retries: Retries): Promise<unknown> => {
  const answer = await retried(retries, () => askOnce(access, sent, retries.signal));
  if (answer.status >= 300) throw refused(answer);
  return answer.body;
};

/** The service at an address. */
export const daybookAt = (access: Access, retries: Retries): Daybook => {
  /** Sends a request; the body of an answer 200 must have a field of a type, which a page of a proxy does not have. */
  const ask = (sent: Sent, hasField: (body: unknown) => boolean = () => true): Promise<Answer> =>
    retried(retries, async () => {
      const answer = await askOnce(access, sent, retries.signal);
      if (answer.status === 200 && !hasField(answer.body))
        throw new Transient('the service answered 200 without the fields of its API');
      return answer;
    });

  /** The first source that `isWanted` in a list. */
  const listed = async (
    filter: Readonly<Record<string, string>>,
    isWanted: (source: PulledSource) => boolean,
  ): Promise<PulledSource | undefined> => {
    let cursor: string | undefined;
    for (let page = 0; page < pagesMax; page += 1) {
      const query = new URLSearchParams({ ...filter, ...(cursor !== undefined && { cursor }) });
      const answer = await ask({ method: 'GET', path: `/v1/source/list?${query}` }, body =>
        Array.isArray((body as { sources?: unknown } | null)?.sources),
      );
      if (answer.status !== 200) throw refused(answer);
      const list = answer.body as { readonly sources: readonly PulledSource[]; readonly nextCursor?: string };
      const found = list.sources.find(isWanted);
      if (found || list.nextCursor === undefined) return found;
      cursor = list.nextCursor;
    }
    return undefined;
  };

  const sourceOf = async (id: number): Promise<Answer> =>
    ask({ method: 'GET', path: `/v1/source/${id}` }, body =>
      Number.isInteger((body as PulledSource | null)?.id),
    );

  const presentSource: Daybook['presentSource'] = async given => {
    const isWanted = ({ id, name }: PulledSource): boolean =>
      given === id || (typeof given === 'string' && nameForm(given) === nameForm(name));
    const filter = typeof given === 'string' ? { text: nameForm(given) } : {};
    const answer = typeof given === 'number' ? await sourceOf(given) : undefined;
    if (answer?.status === 200) return answer.body as PulledSource;
    if (answer && answer.status !== 404) throw refused(answer);
    const found = answer ? undefined : await listed(filter, isWanted);
    if (found) return found;
    const archived = await listed({ ...filter, archived: 'true' }, isWanted);
    if (archived && archived.relearnedAs !== null) return presentSource(archived.relearnedAs);
    if (archived) throw new SourceArchived(archived);
    if (answer) throw refused(answer);
    return undefined;
  };

  return {
    presentSource,
    create: async (query, csv) => {
      const path = `/v1/import-csv/create-source?${query}`;
      const answer = await ask({ method: 'POST', path, type: 'text/csv', body: csv });
      if (answer.status === 409 && (answer.body as Problem).code === 'sourceNameTaken') return undefined;
      if (answer.status !== 201) throw refused(answer);
      const { source, import: { warnings = [] } = {} } = answer.body as {
        readonly source: PulledSource;
        readonly import?: { readonly warnings?: Notes };
      };
      return { source, warnings };
    },
    sendPoints: async (sourceId, { times, values }) => {
      const points = times.map((at, index) => ({
        at: new Date(1000 * at).toISOString(),
        value: values[index],
      }));
      const body = JSON.stringify({ sourceId, points });
      const answer = await ask({ method: 'POST', path: '/v1/import/points', type: 'application/json', body });
      if (answer.status !== 200 && answer.status !== 202) throw refused(answer);
      const { import: { warnings = [] } = {}, alerts } = answer.body as {
        readonly import?: { readonly warnings?: Notes };
        readonly alerts?: { readonly raised?: readonly unknown[] };
      };
      return { raised: alerts?.raised?.length ?? 0, warnings };
    },
  };
};
