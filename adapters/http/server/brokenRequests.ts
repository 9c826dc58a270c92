import { maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem, problemBody, problemMedia } from '../problem.js';

/** Answers requests that the parser of Node.js refuses with a problem. Its own answers have a status and no reason. */
export const answerBrokenRequests = (server: Server): void => {
  const answersOf = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    const answers = answersOf.get(socket) ?? new Set();
    answersOf.set(socket, answers.add(response));
    response.once('close', () => answers.delete(response));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isAnswering = [...(answersOf.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (isAnswering || !socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    socket.end(answerOf(problemOfParser(error)), () => socket.destroy());
  });
};

/** The problem of a request that is no HTTP, has too many bytes of headers, or does not arrive. */
const problemOfParser = ({ code, message }: NodeJS.ErrnoException): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headersTooLarge', `got more than ${maxHeaderSize} bytes of headers`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('bodyTooSlow', 'got a part of a request, and the rest did not arrive in time');
  return new Problem('unparseable', `the request is not HTTP/1.1: ${message.replace(/^Parse Error: /, '')}`);
};

/** An answer as bytes of HTTP, which ends the connection. */
const answerOf = (problem: Problem): string => {
  const body = JSON.stringify(problemBody(problem));
  return [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Connection: close',
    'Cache-Control: no-store',
    `Content-Type: ${problemMedia}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
};
