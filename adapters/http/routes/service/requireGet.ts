import type { Context } from 'koa';
import { Problem } from '../../problem.js';

/**
 * Refuses a request to a path that can only be read.
 * @throws Problem `methodNotAllowed` for another method than GET and HEAD
 */
export const requireGet = ({ method }: Pick<Context, 'method'>): void => {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('methodNotAllowed', `got ${method}, expected GET`, {
      headers: { Allow: 'GET, HEAD' },
    });
};
