import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { TSchema } from '../typebox.js';
import { TooLarge } from '../../../application/imports/faults.js';
import { newlinesIn } from '../../json/jsonBytes.js';
import { daysBodyLimits } from '../../json/limits.js';
import { parseAt, requireShallow } from '../../json/parseAt.js';
import { Problem } from '../problem.js';
import { bodyChecker } from '../schemaChecker.js';
import { requireRate, type BodyRate } from './bodyRate.js';

/** The bytes of a request, and the digest of the bytes read so far. */
export type RequestBody = { readonly bytes: AsyncIterable<Buffer>; readonly digest: () => string };

/** Bytes of each unpacked chunk, at most. */
const unpackedChunkBytes = 65_536;

const gzipInvalid = (why: string): Problem => new Problem('gzipInvalid', `the body is not gzip: ${why}`);

/**
 * The bytes of a gzip body, unpacked as they are read: a reader that stops at its limit unpacks no more. Several
 * members (RFC 1952) are one body.
 * @param bytesMax limit of the packed bytes as well, since members may be empty
 * @throws TooLarge; Problem `gzipInvalid` for other bytes, also after the end; errors of the chunks
 */
export async function* unpacked(packed: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: unpackedChunkBytes });
  let got = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of packed) {
      got += chunk.length;
      if (got > bytesMax) throw new TooLarge(bytesMax);
      yield chunk;
    }
  };
  // The error of either stream ends the loop below.
  pipeline(Readable.from(counted()), gunzip, () => {});
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw gzipInvalid(`it ends after ${got} packed bytes, before its end mark`);
    if (code.startsWith('Z_'))
      throw gzipInvalid(`${(error as Error).message} in the first ${got} packed bytes`);
    throw error;
  } finally {
    gunzip.destroy();
  }
  if (got === 0) throw gzipInvalid('got no bytes');
  if (gunzip.bytesWritten < got) throw gzipInvalid(`got other bytes after its end mark`);
}

/** How the bytes of a body are read. */
export type BodyReading = {
  /** Text that the digest (SHA-256) covers before the unpacked bytes; undefined for no digest. */
  readonly prefix: string | undefined;
  /** Minimum rate of the body as it is sent. */
  readonly rate: BodyRate;
  /** Limit of a body packed with gzip; undefined for one that is not packed. */
  readonly packedBytesMax: number | undefined;
};

/** The body of a request. The reader may stop early: the connection stays open for the answer. */
export const requestBody = (
  request: IncomingMessage,
  { prefix, rate, packedBytesMax }: BodyReading,
): RequestBody => {
  const sent = requireRate(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, rate);
  const bytes = packedBytesMax === undefined ? sent : unpacked(sent, packedBytesMax);
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
