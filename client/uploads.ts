import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import { type AnswerOf, type PathsOf, type Connection, newIdempotencyKey } from './requests.js';
import type { paths } from './openapi.js';
import { problemOfResponse, whole, withRetries } from './retries.js';

/** A file: a Blob (`await openAsBlob(path)` in Node.js), or a function that opens it, again for each try. */
export type UploadSource = Blob | (() => AsyncIterable<Uint8Array>);

/** Bytes that have been sent; `total` is undefined when the size is not known. */
export type Progress = { readonly bytes: number; readonly total: number | undefined };

/** One upload, as it is sent. */
type Sending = {
  readonly address: string;
  readonly headers: Record<string, string>;
  readonly file: UploadSource;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal | undefined;
};

/** The part of XMLHttpRequest that an upload uses; Node.js has no types of it. */
type Xhr = {
  readonly status: number;
  readonly responseText: string;
  readonly upload: {
    onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null;
  };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  readonly open: (method: string, url: string) => void;
  readonly setRequestHeader: (name: string, value: string) => void;
  readonly getAllResponseHeaders: () => string;
  readonly send: (body: Blob) => void;
  readonly abort: () => void;
};

const { XMLHttpRequest: BrowserRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Xhr };

/** Whether this is a browser that can report the progress of an upload. */
const hasXhr = (): boolean => BrowserRequest !== undefined;

/** All of a source in memory; browsers cannot stream a body over HTTP/1.1. */
const blobOf = async (file: UploadSource): Promise<Blob> => {
  if (file instanceof Blob) return file;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of file()) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(chunks);
};

/** Headers that `getAllResponseHeaders` gives as one text. */
const headersOf = (text: string): Headers => {
  const headers = new Headers();
  for (const line of text.trim().split(/[\r\n]+/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
};

/**
 * Sends once with XMLHttpRequest, because fetch of browsers does not report the progress of a body.
 * @throws TypeError without a connection; the reason of the signal
 */
const sendWithXhr = async (
  { authorisation, reportRefusal }: Connection,
  { address, headers, file, onProgress, signal }: Sending,
): Promise<Response> => {
  if (!BrowserRequest) throw new Error('XMLHttpRequest is missing');
  const body = await blobOf(file);
  const { token, headers: present } = await authorisation();
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const request = new BrowserRequest();
    request.open('POST', address);
    for (const [name, value] of Object.entries({ ...headers, ...present }))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress({ bytes: loaded, total });
    request.onload = () => {
      reportRefusal(request.status, token);
      const init = { status: request.status, headers: headersOf(request.getAllResponseHeaders()) };
      resolve(new Response(request.responseText, init));
    };
    request.onerror = () => reject(new TypeError('there is no connection'));
    request.onabort = () => reject((signal?.reason as Error) ?? new DOMException('Stopped', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
};

/** Paths that take a file. */
export type UploadPath = Extract<
  PathsOf<'post'>,
  | `/v1/import-csv/${string}`
  | '/v1/import/create-source'
  | '/v1/import/days'
  | '/v1/import/points'
  | '/v1/calendar-rule/import'
>;

type ParametersOf<Path extends UploadPath> = Omit<paths[Path]['post']['parameters'], 'header' | 'cookie'>;

export type Upload<Path extends UploadPath> = {
  readonly file: UploadSource;
  /** Default: the media type that the path takes. */
  readonly contentType?: string;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Default: a random key for this call. */
  readonly idempotencyKey?: string;
} & (object extends ParametersOf<Path>
  ? { readonly params?: ParametersOf<Path> }
  : { readonly params: ParametersOf<Path> });

/** Media type of the files that a path takes. */
const mediaOf = (path: UploadPath): string => {
  if (path === '/v1/calendar-rule/import') return 'text/calendar';
  return path.startsWith('/v1/import-csv/') ? 'text/csv' : 'application/json';
};

/** An error of the source of an upload, which is not an error of the connection. */
class SourceFault extends Error {
  override readonly name = 'SourceFault';
}

/** The bytes of a source as a stream that counts. Errors of the source are kept in `fault`. */
const countedStream = (source: UploadSource, onBytes: (bytes: number) => void) => {
  const opened = source instanceof Blob ? (source.stream() as AsyncIterable<Uint8Array>) : source();
  const chunks = opened[Symbol.asyncIterator]();
  let bytes = 0;
  let fault: { readonly error: unknown } | undefined;
  const stream = new ReadableStream<Uint8Array>({
    pull: async controller => {
      try {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        controller.enqueue(value);
        onBytes((bytes += value.byteLength));
      } catch (error) {
        fault = { error };
        controller.error(error);
      }
    },
    cancel: async () => void (await chunks.return?.()),
  });
  return { stream, fault: () => fault };
};

/** Sends once with fetch, as a stream. @throws SourceFault */
const sendWithFetch = async (
  { sendOnce }: Connection,
  { address, headers, file, onProgress, signal }: Sending,
): Promise<Response> => {
  const total = file instanceof Blob ? file.size : undefined;
  const { stream, fault } = countedStream(file, bytes => onProgress({ bytes, total }));
  const init = { method: 'POST', headers, body: stream, duplex: 'half', ...(signal && { signal }) };
  try {
    return await sendOnce(new Request(address, init as RequestInit));
  } catch (error) {
    const cause = fault();
    throw cause ? new SourceFault('the file cannot be read', { cause: cause.error }) : error;
  }
};

/**
 * Sends a file as the body of a request. Node.js streams it; browsers read a Blob from disk while they send it.
 * @throws ProblemError; the reason of the signal; what the source throws
 */
export const uploadTo =
  (connection: Connection) =>
  async <Path extends UploadPath>(
    path: Path,
    {
      file,
      contentType,
      onProgress = () => {},
      signal,
      idempotencyKey = newIdempotencyKey(),
      ...rest
    }: Upload<Path>,
  ): Promise<AnswerOf<'post', Path>> => {
    const type = contentType ?? mediaOf(path);
    const params = (rest as { params?: ParametersOf<UploadPath> }).params ?? {};
    const address = createFinalURL(path, {
      baseUrl: connection.url,
      params,
      querySerializer: createQuerySerializer(),
      pathSerializer: defaultPathSerializer,
    });
    const headers = { 'Content-Type': type, 'Idempotency-Key': idempotencyKey };
    const sending = { address, headers, file, onProgress, signal };
    const once = async () =>
      hasXhr() ? sendWithXhr(connection, sending) : whole(await sendWithFetch(connection, sending));
    const repetition = { ...connection.retries, ...(signal && { signal }) };
    const response = await withRetries(once, repetition).catch((error: unknown) => {
      throw error instanceof SourceFault ? error.cause : error;
    });
    if (!response.ok) throw await problemOfResponse(response);
    return (await response.json()) as AnswerOf<'post', Path>;
  };
