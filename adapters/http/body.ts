import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { TSchema } from './typebox.js';
import { TooLarge, shown } from '../../application/requests/imports/faults.js';
import { newlinesIn, daysBodyLimits, parseAt, requireSimple } from '../json/jsonBytes.js';
import { Problem } from './problem.js';
import { bodyChecker } from './schemaChecker.js';
import { requireRate, type BodyRate } from './clientConnection.js';
import type { Context } from 'koa';
import { mergePatch, smallBodyBytesMax, type BodyKind, type Call } from './route.js';
import type { Metrics } from '../../application/ports/monitoring.js';
import { fairQueue, sharedCapacity, type SharedCapacity } from '../../application/ports/sharing/fairQueue.js';

/** Advice for the media type that curl gives to `-d` without a header. */
const formAdvice = (ctx: Context, media: string): string =>
  ctx.is('application/x-www-form-urlencoded')
    ? `. With curl add -H 'Content-Type: ${media}' and send a file by --data-binary @file`
    : '';

/** Media types of bodies that are no JSON. */
const textMedia: Partial<Record<BodyKind['kind'], string>> = { csv: 'text/csv', iCalendar: 'text/calendar' };

/**
 * Refuses a body of another media type or charset than the route expects.
 * @throws Problem 415, or 400 without a body
 */
export const requireMediaType = (ctx: Context, kind: BodyKind['kind']): void => {
  if (kind === 'none') return;
  const media = textMedia[kind] ?? 'application/json';
  const matches = kind === 'patch' ? ctx.is(media, mergePatch) : ctx.is(media);
  if (matches === null) throw new Problem('unparseable', `got no body, expected ${media}`);
  if (matches === false || !/^(utf-?8)?$/i.test(ctx.request.charset))
    throw new Problem(
      'mediaType',
      `got Content-Type ${ctx.get('Content-Type') || 'none'}, expected ${media} in UTF-8${formAdvice(ctx, media)}`,
      { headers: { Accept: media } },
    );
};

/**
 * Whether the body of a request is packed with gzip.
 * @throws Problem 415 for other encodings, and for several
 */
export const isPacked = (ctx: Context): boolean => {
  const encoding = ctx.get('Content-Encoding').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return false;
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  throw new Problem('contentEncoding', `got Content-Encoding ${shown(encoding)}, expected gzip or none`, {
    headers: { 'Accept-Encoding': 'gzip' },
  });
};

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
    if (code === 'Z_BUF_ERROR')
      throw gzipInvalid(
        `it ends after ${got} packed bytes, before its end mark, or has other bytes after it`,
      );
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
  const bytes = Number(request.headers['content-length'] ?? 0);
  if (bytes > bytesMax) throw new TooLarge(bytesMax, bytes);
};

/** The bytes of a whole body. @throws TooLarge */
export const wholeBody = async (body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new TooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * Returns a function that reads a whole JSON body and checks it.
 * @throws TooLarge, Unparseable, InvalidInput
 */
export const jsonReader = (schema: TSchema, bytesMax: number) => {
  const check = bodyChecker(schema);
  return async (body: AsyncIterable<Buffer>): Promise<unknown> =>
    check(parseJson(await wholeBody(body, bytesMax)));
};

/** Parses a whole body. Deep nesting and very many values are refused first, because they take memory and time. */
const parseJson = (bytes: Buffer): unknown => {
  requireSimple(bytes, daysBodyLimits.depthMax);
  return parseAt(bytes, index => ({
    byte: index,
    line: 1 + newlinesIn(bytes.subarray(0, index)),
  }));
};

/** Maximum bodies that are parsed at the same time. A body that waits for bytes has no place. */
const placesMax = 16;
/** Memory for the content of bodies that are read or used. */
const keptBytesMax = 1_000_000_000;

/** Memory that the content of a body needs at most, in bytes: of each byte, and of the whole body. */
export type BodyMemory = { readonly ofByte: number; readonly most: number };

/** That of days: a digit and a comma become a double; 50,000 days of 144 values. */
const daysMemory: BodyMemory = { ofByte: 4, most: 60_000_000 };

type From = Pick<Call<unknown, unknown, unknown>, 'actor' | 'stream' | 'signal'>;

/** Reads the body of a call in its turn, and counts its memory until what was read has been used. */
export type ReadBody = <Content, Result>(
  from: From,
  read: (bytes: AsyncIterable<Buffer>) => Promise<Content>,
  use: (content: Content) => Promise<Result>,
  memory?: BodyMemory,
) => Promise<Result>;

/** Memory for bodies of all kinds. */
export const bodiesMemory = (): SharedCapacity => sharedCapacity(keptBytesMax, 'bytes of bodies');

/**
 * Reads bodies in turns. A body has a place while its bytes are parsed, not while it waits for its client, so a slow
 * client delays no others. A body counts with the memory that it may need, so small bodies count little.
 * @throws QueueFull when the bodies of a tenant take more memory than is left; errors of `read` and `use`
 */
export const bodyPlaces = (
  { watchQueue }: Pick<Metrics, 'watchQueue'>,
  memory = bodiesMemory(),
): ReadBody => {
  const places = fairQueue({
    atOnce: placesMax,
    reserving: true,
    // The number of requests is bounded elsewhere.
    waitingMax: Infinity,
    name: 'bodies',
  });
  watchQueue('bodies', places.waiting);

  return async ({ actor: { tenant }, stream, signal }, read, use, { ofByte, most } = daysMemory) => {
    let leave: (() => void) | undefined;
    let bytes = 0;
    let kept = 0;
    const keep = (chunk: Buffer): void => {
      bytes += chunk.length;
      const more = Math.min(ofByte * bytes, most) - kept;
      memory.take(tenant, more);
      kept += more;
    };
    const boundedChunks = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        keep(chunk);
        leave = await places.enter(tenant, signal);
        yield chunk;
        leave();
      }
      // The result is computed after the last byte.
      leave = await places.enter(tenant, signal);
    };
    const content = async () => {
      try {
        return await read(boundedChunks());
      } finally {
        leave?.();
      }
    };
    try {
      return await use(await content());
    } finally {
      memory.release(tenant, kept);
    }
  };
};

/** Memory of a JSON body: its bytes, its text and its values. */
const jsonMemory: BodyMemory = { ofByte: 8, most: 60_000_000 };

/**
 * Returns a function that reads the JSON body of a call and uses it; one that may be large in its turn.
 * @throws as `jsonReader`; QueueFull
 */
export const jsonInTurn = (schema: TSchema, bytesMax: number, places: ReadBody) => {
  const read = jsonReader(schema, bytesMax);
  return async (from: From, use: (body: unknown) => Promise<void>): Promise<void> =>
    bytesMax <= smallBodyBytesMax ? use(await read(from.stream)) : places(from, read, use, jsonMemory);
};
