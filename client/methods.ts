import createClient, { type Client, type ClientPathsWithMethod, type FetchOptions } from 'openapi-fetch';
import type { MethodResponse } from 'openapi-fetch';
import type { paths } from './openapi.js';
import { problemOf } from './problemError.js';
import type { Connection } from './requests.js';

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
