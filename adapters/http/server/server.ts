import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { oneByOne } from './pipelines.js';

/** A server that takes requests. */
export type Listening = {
  readonly address: string;
  /** Takes no more connections, lets requests under way finish, and resolves when all are gone. */
  readonly close: () => Promise<void>;
};

/** A socket on which nothing moves for so long is closed. */
const idleTimeoutMs = 120_000;
/** A connection without a request is kept so long: longer than what stands before a service keeps its own. */
const keepAliveTimeoutMs = 75_000;
/** A gigabyte over a slow line takes its time; what never ends is ended all the same. */
const requestTimeoutMs = 3_600_000;
/** What a client still sends of a refused body is read and thrown away for so long, so that it sees the refusal. */
const lingerMs = 2000;

/**
 * Starts an HTTP server on an address; port 0 takes any free one.
 * @throws Error of the system when the address cannot be had
 */
export const listen = async (
  listener: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> => {
  const server = createServer(
    { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs },
    oneByOne(listener),
  );
  server.setTimeout(idleTimeoutMs);
  linger(server);
  let closing = false;
  server.prependListener('request', (_request, response) => {
    // A client that goes on asking on the connection that it has would keep a closing server alive.
    if (closing) response.shouldKeepAlive = false;
    response.on('finish', () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: given } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${given}`,
    close: () =>
      new Promise(resolve => {
        closing = true;
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
};

/** Lets a client that is still sending see its refusal, then ends the connection if the body does not end. */
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
