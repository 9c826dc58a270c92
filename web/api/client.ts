import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi.js';
import { currentSession, expire } from './session.js';

/** One fault of a request, at a line of a file or a place in a body. */
export type Fault = {
  readonly code: string;
  readonly detail: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly value?: string;
};

/** An error of the service (RFC 9457); `status` is 0 if it is unreachable. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly Fault[];

  constructor(status: number, code: string, detail: string, errors: readonly Fault[] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Problem of an answer whose body was read as JSON, or of anything else that came instead. */
export const problemOf = (status: number, body: unknown): ApiProblem => {
  const {
    code = 'unknown',
    detail = '',
    errors = [],
  } = (body ?? {}) as Partial<ApiProblem> & {
    detail?: string;
  };
  return new ApiProblem(status, code, detail || `HTTP ${status}`, errors);
};

/** 128 random bits; randomUUID is missing where the page came without TLS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-');

const authorised: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { token } = currentSession();
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  // A repeated request, e.g. after a double click, is executed once.
  if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
    request.headers.set('Idempotency-Key', newKey());
  const response = await fetch(request).catch((error: unknown) => {
    if (request.signal.aborted) throw error;
    throw new ApiProblem(0, 'unreachable', 'The service cannot be reached');
  });
  if (response.status === 401) expire(token);
  return response;
};

/** Client of the API, typed by the service's own description. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: authorised });

/** The body of a successful answer. @throws ApiProblem */
export const bodyOf = async <Body>(
  answer: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<NonNullable<Body>> => {
  const { data, error, response } = await answer;
  if (!response.ok || data === undefined || data === null) throw problemOf(response.status, error);
  return data as NonNullable<Body>;
};
