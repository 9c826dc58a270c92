import { createServer, type RequestListener } from 'node:http';
import { Duplex } from 'node:stream';

/** A request on the simulated network. */
export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A response. */
export type Came = { readonly status: number; readonly body: unknown };

/** A server, and a function that sends requests to it. */
export type InMemory = {
  readonly send: (request: Sent) => Promise<Came>;
  /** Closes the connections of requests without an answer. */
  readonly close: () => void;
};

/**
 * Node's HTTP server without a network: a request is answered within one turn of the event loop, so that no real time
 * passes.
 */
export const inMemory = (listener: RequestListener): InMemory => {
  const open = new Set<Duplex>();
  const server = createServer({ connectionsCheckingInterval: 2 ** 31 - 1 }, listener);
  const send: InMemory['send'] = ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = new Duplex({
        read: () => {},
        write: (chunk: Buffer, _encoding, done) => {
          chunks.push(chunk);
          done();
        },
      });
      socket.on('error', reject);
      open.add(socket);
      socket.on('finish', () => {
        open.delete(socket);
        // The parser of Node references its connection until the connection is closed.
        socket.destroy();
        resolve(answerOf(Buffer.concat(chunks).toString('utf8')));
      });
      server.emit('connection', socket);
      const all = {
        Host: 'simulated',
        Connection: 'close',
        'Content-Length': Buffer.byteLength(body),
        ...headers,
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
      socket.push([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
    });
  const close = (): void => {
    for (const socket of open) socket.destroy();
  };
  return { send, close };
};

const answerOf = (text: string): Came => {
  const end = text.indexOf('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  const isChunked = /^transfer-encoding: chunked\r$/im.test(text.slice(0, end + 1));
  const rest = text.slice(end + 4);
  const body = isChunked ? rest.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '') : rest;
  return { status, body: body.trim() === '' ? undefined : JSON.parse(body) };
};
