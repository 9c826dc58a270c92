import { usualRetries, withRetries, type Retries } from './retries.js';

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
  /** Calls `onTokenRefused` for a status of 401. */
  readonly reportRefusal: (status: number, token: string | null) => void;
};

/** 128 random bits. `crypto.randomUUID` is missing in pages without TLS. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-');

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
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'GET' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', newIdempotencyKey());
    const { signal } = request;
    return withRetries(() => sendOnce(request.clone()), { ...retries, signal });
  };
  return {
    url: new URL(url).href.replace(/\/+$/, ''),
    retries,
    authorisation,
    sendOnce,
    send,
    reportRefusal,
  };
};
