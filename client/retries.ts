/** One fault of a request, at a line of a file or a place in a body. */
export type Fault = {
  readonly code: string;
  readonly detail: string;
  /** JSON Pointer into the body, or `/query/…` or `/path/…`. */
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly value?: string;
};

type Problem = { readonly code?: string; readonly detail?: string; readonly errors?: readonly Fault[] };

/**
 * A request was refused (RFC 9457), or its answer was lost.
 * `status` is the HTTP status, or 0 if the service cannot be reached; `code` is stable, `detail` is for people.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly Fault[];

  constructor(
    status: number,
    { code = 'unknown', detail = '', errors = [] }: Problem,
    options?: ErrorOptions,
  ) {
    super(detail || `HTTP ${status}`, options);
    this.status = status;
    this.code = code;
    this.detail = this.message;
    this.errors = errors;
  }
}

/** The error for an answer whose body was read as JSON, or as text when it is not JSON. */
export const problemOf = (status: number, body: unknown): ProblemError =>
  new ProblemError(status, typeof body === 'object' && body !== null ? body : {});

/** The error for an answer that is not 2xx; reads its body. */
export const problemOfResponse = async (response: Response): Promise<ProblemError> => {
  const text = await response.text().catch(() => '');
  try {
    return problemOf(response.status, JSON.parse(text));
  } catch {
    return problemOf(response.status, text);
  }
};

/** The error for a request without an answer. */
const unreachable = (cause: unknown): ProblemError =>
  new ProblemError(0, { code: 'unreachable', detail: 'The service cannot be reached' }, { cause });

/** A response whose body was read: an answer that is cut rejects before it is used. */
export const whole = async (response: Response): Promise<Response> => {
  const { status, statusText, headers } = response;
  const body = response.body && (await response.arrayBuffer());
  return new Response(body, { status, statusText, headers });
};

/** When failed requests are sent again: exponential backoff with jitter. */
export type Retries = {
  /** Maximum number of times that a request is sent, ≥ 1. */
  readonly attemptsMax: number;
  /** Upper end of the first wait, in ms; each further one is twice as long. */
  readonly delayMs: number;
  /** Longest wait, in ms. An answer whose Retry-After is longer is not repeated. */
  readonly delayMaxMs: number;
};

export const usualRetries: Retries = { attemptsMax: 5, delayMs: 500, delayMaxMs: 30_000 };

/** Statuses that end by themselves: overload, an unreachable store, a proxy without a service behind it. */
const passingStatuses = new Set([429, 502, 503, 504]);

/** Whether an answer ends by itself; 409 has a Retry-After while an earlier attempt of the request is in progress. */
const isPassingAnswer = ({ status, headers }: Response): boolean =>
  passingStatuses.has(status) || (status === 409 && headers.has('Retry-After'));

/** Milliseconds of a header Retry-After: seconds or a date; 0 without it. */
const retryAfterMs = (response: Response): number => {
  const text = response.headers.get('Retry-After');
  if (text === null) return 0;
  if (/^\d+$/.test(text)) return 1000 * Number(text);
  return Math.max(0, Date.parse(text) - Date.now() || 0);
};

/** Resolves after a time, or rejects with the reason of the signal. */
export const pause = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });

/** Wait after attempt number `attempts`, in ms: half of it is random, so that clients do not come back together. */
export const backoffMs = ({ delayMs, delayMaxMs }: Retries, attempts: number): number =>
  Math.min(delayMaxMs, delayMs * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2);

/** How one request is repeated. */
export type Repetition = Retries & {
  readonly signal?: AbortSignal | null;
};

/**
 * Sends a request until it has a lasting answer. Its key makes a repeat after a lost answer harmless.
 * @throws ProblemError `unreachable` after the last attempt; the reason of the signal
 */
export const withRetries = async (
  send: () => Promise<Response>,
  { signal, ...retries }: Repetition,
): Promise<Response> => {
  for (let attempts = 1; ; attempts += 1) {
    const answer = await send().catch((error: unknown) => {
      // fetch and its bodies reject with a TypeError when there is no connection, or it ends.
      if (signal?.aborted || !(error instanceof TypeError)) throw error;
      return unreachable(error);
    });
    const isLost = answer instanceof ProblemError;
    const isPassing = isLost || isPassingAnswer(answer);
    const waitMs = Math.max(backoffMs(retries, attempts), isLost ? 0 : retryAfterMs(answer));
    if (!isPassing || attempts >= retries.attemptsMax || waitMs > retries.delayMaxMs) {
      if (isLost) throw answer;
      return answer;
    }
    if (!isLost) await answer.body?.cancel();
    await pause(waitMs, signal);
  }
};
