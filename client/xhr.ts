import type { Connection } from './requests.js';

/** A file: a Blob (`await openAsBlob(path)` in Node.js), or a function that opens it, again for each try. */
export type UploadSource = Blob | (() => AsyncIterable<Uint8Array>);

/** Bytes that have been sent; `total` is undefined when the size is not known. */
export type Progress = { readonly bytes: number; readonly total: number | undefined };

/** One upload, as it is sent. */
export type Sending = {
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
export const hasXhr = (): boolean => BrowserRequest !== undefined;

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
export const sendWithXhr = async (
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
