import type { Context, Next } from 'koa';
import { Problem } from '../problem.js';
import type { Route } from '../route.js';

type RoutePath = Pick<Route, 'method' | 'path'>;

const supported: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** A pattern of paths, such as `/v1/source/{source_id}`, as its segments, with its methods. */
type Pattern = { readonly segments: readonly string[]; readonly methods: string[] };

/** Orders patterns of as many segments: a fixed segment goes before a parameter. */
const bySpecificity = (one: Pattern, other: Pattern): number => {
  const at = one.segments.findIndex((own, place) => isParameter(own) !== isParameter(other.segments[place]!));
  return at < 0 ? 0 : isParameter(one.segments[at]!) ? 1 : -1;
};

/** Patterns by their number of segments, the most specific first. */
const patternsOf = (routes: readonly RoutePath[]): ReadonlyMap<number, readonly Pattern[]> => {
  const byPath = new Map<string, Pattern>();
  for (const { method, path } of routes) {
    const pattern = byPath.get(path) ?? { segments: path.split('/'), methods: [] };
    pattern.methods.push(...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    byPath.set(path, pattern);
  }
  const byLength = new Map<number, Pattern[]>();
  for (const pattern of byPath.values()) {
    const { length } = pattern.segments;
    byLength.set(length, [...(byLength.get(length) ?? []), pattern].sort(bySpecificity));
  }
  return byLength;
};

/**
 * Methods of a path: those of the most specific pattern that it matches, so that `/v1/source/list` is no source.
 * @returns undefined for a path of no route
 */
export const methodsAt = (
  routes: readonly RoutePath[],
): ((path: string) => readonly string[] | undefined) => {
  const byLength = patternsOf(routes);
  return path => {
    const found = path.split('/');
    const isMatch = ({ segments }: Pattern): boolean =>
      segments.every((segment, at) => (isParameter(segment) ? found[at] !== '' : segment === found[at]));
    return byLength.get(found.length)?.find(isMatch)?.methods;
  };
};

/**
 * Middleware before the routes: answers OPTIONS, and refuses a method that the path does not have, with `Allow`.
 * @throws Problem `methodNotAllowed`, or `notImplemented` for an unknown method
 */
export const allowedMethods = (routes: readonly RoutePath[]) => {
  const methodsOf = methodsAt(routes);
  return async (ctx: Context, next: Next): Promise<void> => {
    const methods = methodsOf(ctx.path);
    const allow = methods?.join(', ');
    const headers = allow === undefined ? {} : { Allow: allow };
    if (!supported.has(ctx.method))
      throw new Problem('notImplemented', `got ${ctx.method}, expected ${allow ?? 'a method of HTTP'}`, {
        headers,
      });
    if (!methods || methods.includes(ctx.method)) return next();
    if (ctx.method !== 'OPTIONS')
      throw new Problem('methodNotAllowed', `got ${ctx.method}, expected ${allow}`, { headers });
    ctx.set(headers);
    ctx.status = 200;
    ctx.body = '';
  };
};
