import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchOptions,
  type MethodResponse,
} from 'openapi-fetch';
import type { paths } from './openapi.js';
import { usualRetries, withRetries, type Retries, problemOf, whole } from './retries.js';

/** Address of a service, and how requests are sent to it. */
export type ClientOptions = {
  /** Address of the service, without a path: `https://daybook.example`. */
  readonly url: string;
  /** A JWT, or a function that gives the present one before each request; null for none. */
  readonly token: string | (() => string | null | Promise<string | null>);
  /** Tag of the language of sentences, such as fr; default: that of the browser, else English. */
  readonly language?: string;
  /** Default: 5 attempts, waits from 0.5 s to 30 s. */
  readonly retries?: Partial<Retries>;
  /** Called when the service refused a token (401). */
  readonly onTokenRefused?: (token: string | null) => void;
  readonly fetch?: typeof fetch;
};

/** Address, token and sending of a client, shared by its parts. */
export type Connection = {
  readonly url: string;
  readonly retries: Retries;
  /** Headers with the present token and the language, and the token itself. */
  readonly authorisation: () => Promise<{
    readonly token: string | null;
    readonly headers: Record<string, string>;
  }>;
  /** Sends once, with the token. */
  readonly sendOnce: (request: Request) => Promise<Response>;
  /** Sends with the token, an Idempotency-Key for all but GET, and retries. */
  readonly send: typeof fetch;
  /** As `send`, until the body of the answer was read, too. */
  readonly sendWhole: typeof fetch;
  /** Calls `onTokenRefused` for a status of 401. */
  readonly reportRefusal: (status: number, token: string | null) => void;
};

/** 128 random bits. `crypto.randomUUID` is missing in pages without TLS. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-');

/** A connection to a service: its address, token and limits. */
export const connectionTo = ({
  url,
  token: given,
  language,
  retries: changed,
  onTokenRefused,
  fetch: fetchOnce = (...args) => fetch(...args),
}: ClientOptions): Connection => {
  const retries = { ...usualRetries, ...changed };
  const authorisation: Connection['authorisation'] = async () => {
    const token = typeof given === 'string' ? given : await given();
    const headers = {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(language !== undefined && { 'Accept-Language': language }),
    };
    return { token, headers };
  };
  const reportRefusal: Connection['reportRefusal'] = (status, token) => {
    if (status === 401) onTokenRefused?.(token);
  };
  const sendOnce: Connection['sendOnce'] = async request => {
    const { token, headers } = await authorisation();
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    const response = await fetchOnce(request);
    reportRefusal(response.status, token);
    return response;
  };
  const sending =
    (once: Connection['sendOnce']): typeof fetch =>
    async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== 'GET' && !request.headers.has('Idempotency-Key'))
        request.headers.set('Idempotency-Key', newIdempotencyKey());
      const { signal } = request;
      return withRetries(() => once(request.clone()), { ...retries, signal });
    };
  return {
    url: new URL(url).href.replace(/\/+$/, ''),
    retries,
    authorisation,
    sendOnce,
    send: sending(sendOnce),
    sendWhole: sending(async request => whole(await sendOnce(request))),
    reportRefusal,
  };
};

type Api = Client<paths, 'application/json'>;
type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths of the API that have a method. */
export type PathsOf<Method extends Verb> = ClientPathsWithMethod<Api, Method>;

/** Parameters and body of a request. */
export type RequestOf<Method extends Verb, Path extends PathsOf<Method>> = Omit<
  FetchOptions<paths[Path][Method]>,
  'parseAs' | 'baseUrl' | 'fetch' | 'middleware'
>;

/** The JSON body of a successful answer. */
export type AnswerOf<Method extends Verb, Path extends PathsOf<Method>> = MethodResponse<Api, Method, Path>;

/** Sends a request; resolves to the body of its answer. @throws ProblemError */
export type Send<Method extends Verb> = <Path extends PathsOf<Method>>(
  path: Path,
  ...request: object extends RequestOf<Method, Path> ? [RequestOf<Method, Path>?] : [RequestOf<Method, Path>]
) => Promise<AnswerOf<Method, Path>>;

/** One function for each HTTP method, typed by the description of the API. */
export type Methods = { readonly [Method in Verb]: Send<Method> };

type Untyped = (
  method: Verb,
  path: string,
  request: object | undefined,
) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>;

/** One function for each method of HTTP, typed by the path. */
export const methodsOf = ({ url, sendWhole }: Connection): Methods => {
  const request = createClient<paths>({ baseUrl: url, fetch: sendWhole }).request as unknown as Untyped;
  const method = (name: Verb) => async (path: string, options?: object) => {
    const { data, error, response } = await request(name, path, options);
    if (!response.ok) throw problemOf(response.status, error);
    return data;
  };
  return {
    get: method('get') as Send<'get'>,
    post: method('post') as Send<'post'>,
    put: method('put') as Send<'put'>,
    patch: method('patch') as Send<'patch'>,
    delete: method('delete') as Send<'delete'>,
  };
};

// Resources of the API, from its generated description.
export type Source = AnswerOf<'get', '/v1/source/{source_id}'>;
export type Import = AnswerOf<'get', '/v1/import/{import_id}'>;
export type ImportSummary = Import['import'];
export type Alert = AnswerOf<'get', '/v1/alert/list'>['alerts'][number];
/** An alert with its broken limits as lines of a chart. */
export type DrawnAlert = AnswerOf<'get', '/v1/alert/{id}'>;
/** The facts that led to an alert, each with its event. */
export type Explanation = AnswerOf<'get', '/v1/alert/{id}/explanation'>;
export type Incident = AnswerOf<'get', '/v1/incident/list'>['incidents'][number];
export type IncidentStep = AnswerOf<'get', '/v1/incident/{id}/history'>['events'][number];
export type Mute = AnswerOf<'get', '/v1/mute/list'>['mutes'][number];
export type AlertStep = AnswerOf<'get', '/v1/alert/{id}/history'>['events'][number];
export type AlertState = Alert['state'];
export type Verdict = NonNullable<Alert['verdict']>;
export type Overview = AnswerOf<'get', '/v1/overview'>;
export type OverviewSource = Overview['sources'][number];
export type DayCell = OverviewSource['days'][number];
export type ModelList = AnswerOf<'get', '/v1/model/list/{source_id}'>;
export type Model = ModelList['models'][number];
export type ModelsPreview = AnswerOf<'post', '/v1/model/preview/{source_id}/{model_count}'>;
export type MovedOverride = ModelsPreview['overrides'][number];
export type StoredDay = AnswerOf<'get', '/v1/day/list/{source_id}/{year}'>['days'][number];
export type DayDetails = AnswerOf<'get', '/v1/day/{source_id}/{date}'>;
export type PlanningYear = AnswerOf<'get', '/v1/planning/list/{source_id}/{year}'>;
export type Plan = PlanningYear['days'][number];
export type CalendarYear = AnswerOf<'get', '/v1/calendar/list/{source_id}/{year}'>;
export type CalendarDay = CalendarYear['days'][number];
export type CalendarRule = AnswerOf<'get', '/v1/calendar-rule/{rule_id}'>;
export type Webhook = AnswerOf<'get', '/v1/webhook/{webhook_id}'>;
export type Token = AnswerOf<'get', '/v1/token/list'>['tokens'][number];
export type DeliveryAttempt = AnswerOf<'post', '/v1/webhook/{webhook_id}/test'>;
export type AuditEvent = AnswerOf<'get', '/v1/audit/event'>['events'][number];
