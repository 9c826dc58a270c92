import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Context, Next } from 'koa';

/** Smallest body that is compressed, in bytes: a smaller one fits into a few packets as it is. */
const bytesMin = 4096;
/** Level of gzip: tables shrink to a tenth at twice the speed of the usual level. */
const level = 4;

const gzipped = promisify(gzip);

/** Media types of answers with much data. An event stream is sent event by event, and screens are built compressed. */
const types: readonly string[] = [
  'application/json',
  'text/csv',
  'application/x-ndjson',
  'application/vnd.apache.arrow.stream',
];

/** Marks an answer with a secret: next to text of an attacker its compressed length would reveal it (BREACH). */
export const neverCompress = (ctx: Context): void => {
  ctx.state['isSecret'] = true;
};

const isCompressible = (ctx: Context): boolean =>
  ctx.method !== 'HEAD' &&
  ctx.respond !== false &&
  ctx.state['isSecret'] !== true &&
  types.includes(ctx.type) &&
  !ctx.res.hasHeader('Content-Encoding');

/** The bytes of a body that is held whole; undefined for a stream. */
const wholeBody = (body: unknown): Buffer | undefined => {
  if (Buffer.isBuffer(body)) return body;
  return typeof body === 'string' ? Buffer.from(body) : undefined;
};

/**
 * Middleware that compresses large answers with gzip for clients that accept it. A stream is compressed as it is read.
 * The tag of a compressed answer is weak, since its bytes are others.
 */
export const compression =
  () =>
  async (ctx: Context, next: Next): Promise<void> => {
    await next();
    if (!isCompressible(ctx)) return;
    ctx.vary('Accept-Encoding');
    if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return;
    const { body } = ctx;
    const whole = wholeBody(body);
    if ((whole?.length ?? ctx.length ?? Infinity) < bytesMin) return;
    if (!whole && !(body instanceof Readable)) return;
    const tag = ctx.res.getHeader('ETag');
    if (typeof tag === 'string' && tag.startsWith('"')) ctx.set('ETag', `W/${tag}`);
    ctx.set('Content-Encoding', 'gzip');
    if (whole) {
      ctx.body = await gzipped(whole, { level });
      return;
    }
    const packed = createGzip({ level });
    ctx.remove('Content-Length');
    pipeline(body as Readable, packed, error => {
      // The head is sent: only a broken connection shows that the answer is not whole.
      if (error) ctx.res.destroy();
    });
    ctx.body = packed;
  };
