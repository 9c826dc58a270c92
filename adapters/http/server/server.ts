import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerBrokenRequests } from './brokenRequests.js';
import { inPipelineOrder } from './pipelines.js';

/** A listening server. */
export type Listening = {
  readonly address: string;
  /** Refuses new connections and resolves when all requests in progress are answered. */
  readonly close: () => Promise<void>;
};

/** An idle socket is closed after this time. */
const idleTimeoutMs = 120_000;
/** Keep-alive of a connection without a request: longer than that of usual reverse proxies. */
export const keepAliveTimeoutMs = 75_000;
/** Longest time for the bytes of one request: enough for a gigabyte over a slow line. */
const requestTimeoutMs = 3_600_000;
/** The rest of a refused body is read and dropped for this time, so that the client reads the answer. */
const lingerMs = 2000;

/**
 * Starts an HTTP server on an address; port 0 means any free port.
 * @throws Error of the operating system when the address is not available
 */
export const listen = async (
  listener: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> => {
  const server = createServer(
    // Without a Host the application refuses the request, with a problem.
    { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs, requireHostHeader: false },
    inPipelineOrder(listener),
  );
  server.setTimeout(idleTimeoutMs);
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
