import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { Rejection, type RejectionCode } from '../../../domain/rejection.js';
import { QueueFull } from '../../../application/analyst.js';
import { HistoryTooLong } from '../../../application/history/asOf.js';
import {
  Contention,
  OutcomeUnknown,
  StorageFull,
  StoreUnavailable,
} from '../../../application/eventStore.js';
import { ReadModelsBehind } from '../../../application/freshness.js';
import { InvalidInput, TooLarge, Unparseable, type InputFault } from '../../../application/imports/faults.js';
import { BodyTooSlow } from '../bodies/bodyRate.js';
import { ClientGone } from '../server/presence.js';

/** A refusal as HTTP says it (RFC 9457). */
export class Problem extends Error {
  readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly InputFault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    extra: {
      readonly errors?: readonly InputFault[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = extra.errors ?? [];
    this.headers = extra.headers ?? {};
  }
}

/** What each rule's refusal is over HTTP. */
const rejectionStatus: Readonly<Record<RejectionCode, number>> = {
  sourceNotFound: 404,
  sourceExists: 409,
  modelNotFound: 422,
  modelsInvalid: 422,
  alertNotFound: 404,
  alertTransition: 409,
  importOutOfOrder: 409,
  checkOutdated: 409,
  tooManySpecialDays: 422,
  personNotFound: 404,
  webhookNotFound: 404,
  tooManyWebhooks: 422,
};

const titles: Readonly<Record<number, string>> = {
  400: 'The request cannot be parsed',
  401: 'A valid token is needed',
  403: 'The token does not allow this',
  404: 'Not found',
  405: 'Not a method of this resource',
  408: 'The request took too long',
  409: 'Not possible in the present state',
  413: 'The body is too large',
  415: 'Not a media type that is taken here',
  422: 'Well-formed, but not valid',
  500: 'Internal error',
  501: 'Not implemented',
  503: 'Not possible now; try again',
};

const retryAfter = { 'Retry-After': '5' };

/** Any error as the problem that a client may see; what is not expected becomes a bare 500. */
const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (error instanceof Unparseable)
    return new Problem(400, 'unparseable', error.message, { errors: error.faults });
  if (error instanceof InvalidInput)
    return new Problem(422, error.code, error.message, { errors: error.faults });
  if (error instanceof HistoryTooLong) return new Problem(422, 'historyTooLong', error.message);
  if (error instanceof BodyTooSlow)
    return new Problem(408, 'bodyTooSlow', error.message, { headers: { Connection: 'close' } });
  if (error instanceof TooLarge) return new Problem(413, 'tooLarge', error.message);
  if (error instanceof Rejection)
    return new Problem(rejectionStatus[error.code], error.code, error.message, { errors: error.faults });
  if (error instanceof Contention)
    return new Problem(503, 'contention', `${error.message}; nothing of the request took effect, try again`, {
      headers: retryAfter,
    });
  if (error instanceof OutcomeUnknown)
    return new Problem(
      503,
      'outcomeUnknown',
      'the event store went away before it said what became of the request; the same Idempotency-Key tells',
      { headers: retryAfter },
    );
  if (error instanceof StorageFull)
    return new Problem(503, 'storageFull', `${error.message}; nothing of the request took effect`, {
      headers: retryAfter,
    });
  if (error instanceof StoreUnavailable)
    return new Problem(
      503,
      'storeUnavailable',
      'the event store cannot be used now; nothing of the request took effect',
      {
        headers: retryAfter,
      },
    );
  if (error instanceof ReadModelsBehind)
    return new Problem(503, 'readModelsBehind', error.message, { headers: retryAfter });
  if (error instanceof QueueFull)
    return new Problem(503, 'queueFull', error.message, { headers: retryAfter });
  return new Problem(500, 'internal', 'the request failed; the log has the reason under its request id');
};

/** Whether a refusal says for sure what became of the request: it is over, and may be made anew. */
export const isOutcomeKnown = (error: unknown): boolean =>
  !['internal', 'storeUnavailable', 'storageFull', 'outcomeUnknown', 'contention'].includes(
    problemOf(error).code,
  );

const write = (ctx: Context, { status, code, message, errors, headers }: Problem): void => {
  ctx.status = status;
  ctx.set(headers);
  ctx.body = {
    type: `urn:daybook:problem:${code}`,
    title: titles[status] ?? 'The request failed',
    status,
    detail: message,
    code,
    ...(errors.length > 0 ? { errors } : {}),
  };
  ctx.type = 'application/problem+json';
};

/** The outermost middleware: every error, and every path or method that nobody took, becomes a problem. */
export const problems =
  (log: Logger) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      const nobody = ctx.body === undefined || ctx.body === null;
      if (nobody && ctx.status === 404) write(ctx, new Problem(404, 'notFound', `nothing is at ${ctx.path}`));
      if (nobody && (ctx.status === 405 || ctx.status === 501)) {
        const allow = ctx.response.get('Allow');
        write(
          ctx,
          new Problem(
            ctx.status,
            ctx.status === 405 ? 'methodNotAllowed' : 'notImplemented',
            `got ${ctx.method}, expected ${allow || 'a method of HTTP'}`,
            { headers: allow ? { Allow: allow } : {} },
          ),
        );
      }
    } catch (error) {
      // A client that hangs up gets no answer.
      if (error instanceof ClientGone || (ctx.req.destroyed && !ctx.req.complete)) {
        log.info({ requestId: ctx.state['requestId'] }, 'the client went away');
        ctx.respond = false;
        return;
      }
      const problem = problemOf(error);
      if (problem.status >= 500)
        log.error({ err: error, requestId: ctx.state['requestId'] }, 'request failed');
      write(ctx, problem);
    }
  };
