import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { Problem, problemBody, problemMedia, problemOf } from '../problem.js';
import { ClientGone } from '../clientConnection.js';

const writeProblem = (ctx: Context, problem: Problem): void => {
  ctx.status = problem.status;
  ctx.set(problem.headers);
  ctx.body = problemBody(problem);
  ctx.type = problemMedia;
};

/** The problem of a path without a route; undefined when a route answered. */
const unroutedProblem = (ctx: Context): Problem | undefined => {
  if (ctx.body !== undefined && ctx.body !== null) return undefined;
  return ctx.status === 404 ? new Problem('notFound', `no resource at ${ctx.path}`) : undefined;
};

/** Outer middleware that answers every error and unknown path with a problem. */
export const problems =
  (log: Logger) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const requestId = ctx.state['requestId'] as string;
    try {
      await next();
      const unrouted = unroutedProblem(ctx);
      if (unrouted) writeProblem(ctx, unrouted);
    } catch (error) {
      if (error instanceof ClientGone || (ctx.req.destroyed && !ctx.req.complete)) {
        log.info({ requestId }, 'client disconnected');
        ctx.respond = false;
        return;
      }
      const problem = problemOf(error);
      if (problem.status >= 500) log.error({ err: error, requestId }, 'request failed');
      writeProblem(ctx, problem);
    }
  };
