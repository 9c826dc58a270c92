import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import { InvalidInput, TooLarge } from '../../../application/imports/faults.js';
import { daysBodyLimits } from '../../json/limits.js';
import { newlinesIn } from '../../json/jsonBytes.js';
import { requireShallow, parseAt } from '../../json/parseAt.js';
import { requireRate, type BodyRate } from './bodyRate.js';
import { checker } from '../schemas.js';

/** A request's bytes, and the digest of those read so far. */
export type RequestBody = { readonly bytes: AsyncIterable<Buffer>; readonly digest: () => string };

/**
 * The body of a request. Reading may stop anywhere without harm to the connection, on which the refusal
 * still has to go out.
 * @param rate  at which it has to come
 * @param named what the digest (SHA-256) covers beside the bytes; undefined when nobody will ask for it
 */
export const requestBody = (
  request: IncomingMessage,
  named: string | undefined,
  rate: BodyRate,
): RequestBody => {
  const bytes = requireRate(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, rate);
  if (named === undefined) return { bytes, digest: () => '' };
  const hash = createHash('sha256').update(named);
  const hashed = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  };
  return { bytes: hashed(), digest: () => hash.copy().digest('hex') };
};

/**
 * Refuses a body that announces more bytes than the limit, before it is read.
 * @throws TooLarge
 */
export const requireLength = (request: IncomingMessage, bytesMax: number): void => {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new TooLarge(bytesMax);
};

/** Reads a whole JSON body of at most `bytesMax` bytes and checks it. */
export const jsonReader = (schema: TSchema, bytesMax: number) => {
  const check = valueChecker(schema);
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

/**
 * Gives the value back when it fits the schema.
 * @throws InvalidInput with every fault
 */
export const valueChecker = (schema: TSchema) => {
  const check = checker(schema);
  return (value: unknown): unknown => {
    const faults = check(value);
    if (faults.length > 0) throw new InvalidInput('bodyInvalid', 'the body is not valid', faults);
    return value;
  };
};

/** A whole body's value; what nests deeper than any of ours does is refused before it takes memory. */
const parseJson = (bytes: Buffer): unknown => {
  requireShallow(bytes, daysBodyLimits.depthMax);
  return parseAt(bytes, index => ({
    byte: index,
    line: 1 + newlinesIn(bytes.subarray(0, index)),
  }));
};
