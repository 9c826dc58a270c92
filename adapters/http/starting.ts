import type { RequestListener } from 'node:http';
import { problemBody, problemMedia, unavailable } from './problem.js';

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
    const detail = `the service is starting: its read models have the log up to position ${position()}; retry later`;
    const problem = unavailable('readModelsBehind', detail);
    send(problem.status, problemMedia, problemBody(problem));
  };
