import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchOptions,
  type MethodResponse,
} from 'openapi-fetch';
import type { paths } from './openapi.js';
import type { Connection } from './requests.js';
import { problemOf } from './retries.js';

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

export const methodsOf = ({ url, send }: Connection): Methods => {
  const request = createClient<paths>({ baseUrl: url, fetch: send }).request as unknown as Untyped;
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
