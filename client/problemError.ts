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
export const unreachable = (cause: unknown): ProblemError =>
  new ProblemError(0, { code: 'unreachable', detail: 'The service cannot be reached' }, { cause });
