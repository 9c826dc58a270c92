import type { Context } from 'koa';
import { Problem } from '../problem.js';
import { mergePatch, type BodyKind } from '../route.js';

/**
 * Refuses a body of another media type, charset or encoding than the route expects.
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
      `got Content-Type ${ctx.get('Content-Type') || 'none'}, expected ${media} in UTF-8`,
      { headers: { Accept: media } },
    );
  const encoding = ctx.get('Content-Encoding');
  if (encoding !== '' && encoding !== 'identity')
    throw new Problem('contentEncoding', `got Content-Encoding ${encoding}, expected none`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
};
