import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TSchema } from '../typebox.js';
import { TooLarge } from '../../../application/imports/faults.js';
import { newlinesIn } from '../../json/jsonBytes.js';
import { daysBodyLimits } from '../../json/limits.js';
import { parseAt, requireShallow } from '../../json/parseAt.js';
import { bodyChecker } from '../schemaChecker.js';
import { requireRate, type BodyRate } from './bodyRate.js';

/** The bytes of a request, and the digest of the bytes read so far. */
export type RequestBody = { readonly bytes: AsyncIterable<Buffer>; readonly digest: () => string };

/**
 * The body of a request. The reader may stop early: the connection stays open for the answer.
 * @param prefix text that the digest (SHA-256) covers before the bytes; undefined for no digest
 * @param rate   minimum rate of the body
 */
export const requestBody = (
  request: IncomingMessage,
  prefix: string | undefined,
  rate: BodyRate,
): RequestBody => {
  const bytes = requireRate(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, rate);
  if (prefix === undefined) return { bytes, digest: () => '' };
  const hash = createHash('sha256').update(prefix);
  const hashed = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  };
  return { bytes: hashed(), digest: () => hash.copy().digest('hex') };
};

/**
 * Refuses a body whose Content-Length is above the limit.
 * @throws TooLarge
 */
export const requireLength = (request: IncomingMessage, bytesMax: number): void => {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new TooLarge(bytesMax);
};

/**
 * Returns a function that reads a whole JSON body and checks it.
 * @throws TooLarge, Unparseable, InvalidInput
 */
export const jsonReader = (schema: TSchema, bytesMax: number) => {
  const check = bodyChecker(schema);
  return async (body: AsyncIterable<Buffer>): Promise<unknown> => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new TooLarge(bytesMax);
      chunks.push(chunk);
    }
    return check(parseJson(Buffer.concat(chunks)));
  };
};

/** Parses a whole body. Deep nesting is refused first, because it takes memory. */
const parseJson = (bytes: Buffer): unknown => {
  requireShallow(bytes, daysBodyLimits.depthMax);
  return parseAt(bytes, index => ({
    byte: index,
    line: 1 + newlinesIn(bytes.subarray(0, index)),
  }));
};
