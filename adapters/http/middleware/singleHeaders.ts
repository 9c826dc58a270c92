import type { Context, Next } from 'koa';
import { Problem } from '../problem.js';

/** Header fields that have one value: of several, a proxy before this service may have used another one. */
export const singleFields: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'content-encoding',
  'idempotency-key',
  'last-event-id',
  'origin',
]);

/**
 * Refuses a request that has a field twice that has one value, and one without Host (RFC 9112 §3.2): Node.js would use
 * the first of several.
 * @throws Problem `unparseable`
 */
export const singleHeaders = async ({ req }: Context, next: Next): Promise<void> => {
  const found = new Set<string>();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]?.toLowerCase() ?? '';
    if (!singleFields.has(name)) continue;
    if (found.has(name))
      throw new Problem('unparseable', `the request has several header fields "${name}", expected one`);
    found.add(name);
  }
  if (!found.has('host') && req.httpVersion !== '1.0')
    throw new Problem('unparseable', 'the request has no header field "host", expected one');
  await next();
};
