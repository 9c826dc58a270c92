import type { Context } from 'koa';
import { shown } from '../../../application/imports/faults.js';
import { Problem } from '../problem.js';
import { mergePatch, type BodyKind } from '../route.js';

/** Advice for the media type that curl gives to `-d` without a header. */
const formAdvice = (ctx: Context, media: string): string =>
  ctx.is('application/x-www-form-urlencoded')
    ? `. With curl add -H 'Content-Type: ${media}' and send a file by --data-binary @file`
    : '';

/**
 * Refuses a body of another media type or charset than the route expects.
 * @throws Problem 415, or 400 without a body
 */
export const requireMediaType = (ctx: Context, kind: BodyKind['kind']): void => {
  if (kind === 'none') return;
  const media = kind === 'csv' ? 'text/csv' : 'application/json';
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
