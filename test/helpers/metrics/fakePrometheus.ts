import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { repositoryRoot } from '../repository.js';

/** One request for a range. */
export type Asked = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly query: string;
  readonly start: number;
  readonly end: number;
  readonly step: number;
};

/** An answer: a status, header fields, and a body that becomes JSON unless it is a text. */
export type FakeAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** Series of a matrix, as query_range answers them. */
export const matrix = (
  ...series: readonly { readonly metric: object; readonly values: readonly (readonly [number, string])[] }[]
) => ({ status: 'success', data: { resultType: 'matrix', result: series } });

/** Values at the times of a request; undefined where there is none. */
export const evaluated = (
  { start, end, step }: Asked,
  valueAt: (at: number) => string | undefined,
  metric: object = { __name__: 'power', instance: 'a' },
): FakeAnswer => {
  const values: [number, string][] = [];
  for (let at = start; at <= end; at += step) {
    const value = valueAt(at);
    if (value !== undefined) values.push([at, value]);
  }
  if ((end - start) / step > 11_000)
    return {
      status: 400,
      body: { status: 'error', errorType: 'bad_data', error: 'exceeded maximum resolution' },
    };
  return { body: values.length > 0 ? matrix({ metric, values }) : matrix() };
};

const send = async (
  request: IncomingMessage,
  response: ServerResponse,
  answer: (asked: Asked) => FakeAnswer | undefined,
  asked: Asked[],
): Promise<void> => {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  const form = new URLSearchParams(text);
  const one: Asked = {
    ...{ path: request.url ?? '', headers: request.headers, query: form.get('query') ?? '' },
    start: Number(form.get('start')),
    end: Number(form.get('end')),
    step: Number(form.get('step')),
  };
  asked.push(one);
  const given = answer(one);
  if (!given) {
    response.destroy();
    return;
  }
  const { status = 200, headers = {}, body } = given;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** A server that answers query_range as a function says; an undefined answer ends the connection. */
export const fakePrometheus = async (
  t: Test,
  answer: (asked: Asked) => FakeAnswer | undefined,
  { tls = false } = {},
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> => {
  const asked: Asked[] = [];
  const listener: RequestListener = (request, response) => void send(request, response, answer, asked);
  const file = (name: string): Buffer => readFileSync(join(repositoryRoot(), 'test/fixtures/tls', name));
  const server = tls
    ? createTlsServer({ cert: file('node.crt'), key: file('node.key') }, listener)
    : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, asked };
};
