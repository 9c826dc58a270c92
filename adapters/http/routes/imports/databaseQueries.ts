import type { Context, Next } from 'koa';
import { shown } from '../../../../application/requests/imports/faults.js';
import { isPacked, requestBody, requireLength, wholeBody } from '../../body.js';
import type { BodyRate } from '../../bodyRate.js';
import { queryPath } from '../../middleware/lineProtocol.js';
import { requireScope, type Actor } from '../../middleware/tokens.js';
import { Problem } from '../../problem.js';

/** Methods of the path, for `allowedMethods`. */
export const queryRoutes = [
  { method: 'get', path: queryPath },
  { method: 'post', path: queryPath },
] as const;

/** Most bytes of a form with a query. */
const formBytesMax = 65_536;

/** The query of a request, in its address or in a form. @throws TooLarge */
const queryIn = async (ctx: Context, rate: BodyRate): Promise<string> => {
  const given = new URLSearchParams(ctx.querystring).get('q');
  if (given !== null || ctx.method !== 'POST') return given ?? '';
  requireLength(ctx.req, formBytesMax);
  const packedBytesMax = isPacked(ctx) ? formBytesMax : undefined;
  const { bytes } = requestBody(ctx.req, { prefix: undefined, rate, packedBytesMax });
  return new URLSearchParams((await wholeBody(bytes, formBytesMax)).toString()).get('q') ?? '';
};

/** The answer of InfluxDB to a statement about databases. @throws Problem `linesRejected` for others */
const resultOf = (statement: string, index: number): object => {
  if (/^create\s+database\s/i.test(statement)) return { statement_id: index };
  if (/^show\s+databases$/i.test(statement))
    return { statement_id: index, series: [{ name: 'databases', columns: ['name'] }] };
  throw new Problem(
    'linesRejected',
    `got ${statement === '' ? 'no query' : `the query ${shown(statement)}`}, expected CREATE DATABASE or SHOW DATABASES: this path is for writers; ` +
      'values are read at /v1/day/list/{source_id}',
  );
};

/**
 * Middleware for writers of the first API of InfluxDB, which create their database before they write. It is there
 * whatever its name: nothing is stored, and none is listed.
 */
export const databaseQueries =
  (rate: BodyRate) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== queryPath || !['GET', 'HEAD', 'POST'].includes(ctx.method)) return next();
    requireScope(ctx.state['actor'] as Actor, 'import');
    const query = await queryIn(ctx, rate);
    const statements = query.split(';').flatMap(one => one.trim() || []);
    ctx.body = { results: (statements.length > 0 ? statements : ['']).map(resultOf) };
  };
