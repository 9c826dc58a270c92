import {
  createServer,
  type RequestListener,
  type Server,
  maxHeaderSize,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem, problemBody, problemMedia, unavailable } from './problem.js';

/** The position in words; nothing while the read models cannot be read, which must not end the start. */
const reachedText = (position: () => bigint): string => {
  try {
    return `: its read models have the log up to position ${position()}`;
  } catch {
    return '';
  }
};

/**
 * Answers requests until the service is ready, which takes a while on a long log: the process is alive, and everything
 * else is to be asked again.
 * @param position  position that the read models have reached
 */
export const starting =
  (position: () => bigint): RequestListener =>
  ({ url = '' }, response) => {
    const send = (status: number, media: string, body: object): void => {
      response.writeHead(status, {
        'Content-Type': media,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        ...(status === 503 && { 'Retry-After': '5' }),
      });
      response.end(JSON.stringify(body));
    };
    if (url.split('?')[0] === '/health/live') return send(200, 'application/json', { status: 'ok' });
    const detail = `the service is starting${reachedText(position)}; retry later`;
    const problem = unavailable('readModelsBehind', detail);
    send(problem.status, problemMedia, problemBody(problem));
  };

/** Waiting requests of a connection above which the connection is not read. */
const waitingMax = 8;
/** Waiting requests above which the connection is closed: one read can bring many. */
const waitingLast = 1000;

/** Pipelined requests of a connection: those that wait for the answer to an earlier one. */
type Pipeline = { readonly waiting: (() => void)[]; busy: boolean };

/**
 * Returns a listener that handles the requests of a connection one after the other: the next one when the previous
 * answer was passed to the operating system. So a client that sends requests and reads no answers has one answer in
 * memory. Its waiting requests are dropped when it disconnects.
 */
const inPipelineOrder = (listener: RequestListener): RequestListener => {
  const pipelines = new WeakMap<Socket, Pipeline>();

  const pipelineOf = (socket: Socket): Pipeline => {
    const known = pipelines.get(socket);
    if (known) return known;
    const made: Pipeline = { waiting: [], busy: false };
    pipelines.set(socket, made);
    socket.once('close', () => made.waiting.splice(0));
    // The HTTP parser resumes a paused socket after each answer.
    socket.on('resume', () => {
      if (made.waiting.length >= waitingMax) socket.pause();
    });
    return made;
  };

  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelineOf(socket);
    const run = (): void => {
      pipeline.busy = true;
      response.once('close', () => {
        pipeline.busy = false;
        if (socket.destroyed) return void pipeline.waiting.splice(0);
        pipeline.waiting.shift()?.();
        if (pipeline.waiting.length < waitingMax) socket.resume();
      });
      listener(request, response);
    };
    if (!pipeline.busy) return run();
    pipeline.waiting.push(run);
    if (pipeline.waiting.length > waitingLast) socket.destroy();
    else if (pipeline.waiting.length >= waitingMax) socket.pause();
  };
};

/** Answers requests that the parser of Node.js refuses with a problem. Its own answers have a status and no reason. */
const answerBrokenRequests = (server: Server): void => {
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
    return new Problem(
      'bodyTooSlow',
      `got a part of a request, expected its headers within ${headersTimeoutMs / 1000} s and all of it within ` +
        `${requestTimeoutMs / 1000} s`,
    );
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

/** A listening server. */
export type Listening = {
  readonly address: string;
  /** Refuses new connections and resolves when all requests in progress are answered. */
  readonly close: () => Promise<void>;
};

/** A socket is closed after this time without traffic, unless its client waits for an answer. */
const idleUsualMs = 120_000;
/** Keep-alive of a connection without a request: longer than that of usual reverse proxies. */
export const keepAliveTimeoutMs = 75_000;
/** Longest time for the bytes of one request: enough for a gigabyte over a slow line. */
const requestTimeoutMs = 3_600_000;
const headersTimeoutMs = 60_000;
/** The rest of a refused body is read and dropped for this time, so that the client reads the answer. */
const lingerMs = 2000;

/**
 * Starts an HTTP server on an address; port 0 means any free port.
 * @throws Error of the operating system when the address is not available
 */
export const listen = async (
  listener: RequestListener,
  {
    host,
    port,
    idleTimeoutMs = idleUsualMs,
  }: { readonly host: string; readonly port: number; readonly idleTimeoutMs?: number },
): Promise<Listening> => {
  const server = createServer(
    // Without a Host the application refuses the request, with a problem.
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      requireHostHeader: false,
    },
    inPipelineOrder(listener),
  );
  server.setTimeout(idleTimeoutMs);
  keepWaiting(server);
  linger(server);
  answerBrokenRequests(server);
  const unused = unusedSockets(server);
  let closing = false;
  server.prependListener('request', (_request, response) => {
    // Further requests on an open connection would keep a closing server alive.
    if (closing) response.shouldKeepAlive = false;
    response.on('finish', () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    close: () =>
      new Promise(resolve => {
        closing = true;
        server.close(() => resolve());
        server.closeIdleConnections();
        // Node.js counts a connection without a first request as busy; browsers open such connections in advance.
        for (const socket of unused) socket.destroy();
      }),
  };
};

/** Open sockets that have not sent a request. */
const unusedSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', ({ socket }) => sockets.delete(socket));
  return sockets;
};

/** Keeps a silent connection while its request waits for the first byte of its answer, or for its body to be read. */
const keepWaiting = (server: Server): void => {
  server.on('request', (request, response) =>
    response.on('timeout', (socket: Socket) => {
      const waits = request.complete || request.readableLength > 0;
      if (response.headersSent || !waits) socket.destroy();
    }),
  );
};

/** Lets a client that is still sending read its answer, then closes the connection if the body goes on. */
const linger = (server: Server): void => {
  server.on('request', (request, response) => {
    response.on('finish', () => {
      if (request.complete) return;
      request.resume();
      const timer = setTimeout(() => request.socket.destroy(), lingerMs);
      request.once('close', () => clearTimeout(timer));
    });
  });
};
