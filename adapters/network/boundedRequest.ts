import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

/** A request whose answer is limited. */
export type BoundedRequest = {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string;
  readonly lookup: LookupFunction;
  /** Bytes of the body of the answer that are accepted. */
  readonly bytesMax: number;
  /** Ends the request, also while its answer is read. It should end by itself: it is the limit of time. */
  readonly signal: AbortSignal;
};

/** An answer exceeded a limit of bytes or of informational responses. */
export class AnswerTooLong extends Error {
  readonly name = 'AnswerTooLong';
}

/** Informational responses (1xx) that are accepted before an answer: servers send one or two. */
const informationalMax = 8;
/** Bytes of the header fields of an answer, and of the trailer fields. */
const headerBytesMax = 16_384;
/** Bytes of an answer that are not its body: header and trailer fields, informational responses, chunk sizes. */
const framingBytesMax = 65_536;

/** Ends a request whose connection brings more than the limits: their bytes are counted before they are parsed. */
const limitAnswer = (
  request: ClientRequest,
  bytesMax: number,
  refused: (error: AnswerTooLong) => void,
): void => {
  let informational = 0;
  let bytes = 0;
  const refuse = (what: string): void => {
    const error = new AnswerTooLong(`got more than ${what} from ${request.host}`);
    // The rest of what was read may have the answer.
    refused(error);
    request.destroy(error);
  };
  request.on('information', () => {
    informational += 1;
    if (informational > informationalMax) refuse(`${informationalMax} informational responses`);
  });
  request.on('socket', socket =>
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax + framingBytesMax) refuse(`${bytesMax + framingBytesMax} bytes`);
    }),
  );
};

/**
 * Sends one request on a connection of its own, and resolves to the head of its answer; redirects are answers like all
 * others. The caller reads the body with `dropBody` or `bodyText`.
 * @throws AnswerTooLong, the reason of the signal, or the error of the connection or the parser
 */
export const boundedRequest = (
  url: URL,
  { body, bytesMax, signal, ...options }: BoundedRequest,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // One connection a request: an address that was checked once may lead elsewhere later.
    const request = send(url, { ...options, agent: false, maxHeaderSize: headerBytesMax }, resolve);
    // Unlike the option `signal`, this also ends an answer whose body does not end.
    const abort = (): void => void request.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    request.on('error', reject);
    request.on('close', () => {
      signal.removeEventListener('abort', abort);
      // After a switch to another protocol (101) there is neither an answer nor an error.
      reject(new Error('the connection ended without an answer'));
    });
    limitAnswer(request, bytesMax, reject);
    request.end(body);
  });

/** Reads and drops a body, so that its connection ends in good order; ends a longer one. */
export const dropBody = (answer: IncomingMessage, bytesMax: number): void => {
  let bytes = 0;
  answer.on('error', () => {});
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) answer.destroy();
  });
};

/** The text of a body in UTF-8. @throws AnswerTooLong, or the error of the connection */
export const bodyText = async (answer: IncomingMessage, bytesMax: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new AnswerTooLong(`got more than ${bytesMax} bytes, expected fewer`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
