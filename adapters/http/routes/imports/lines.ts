import type { Context, Next } from 'koa';
import { requireCapacity } from '../../../../application/requests/access.js';
import { shown } from '../../../../application/requests/imports/faults.js';
import type { RejectedLines } from '../../../../application/requests/points/pointList.js';
import type { Service } from '../../../../application/requests/service.js';
import { writeLines } from '../../../../application/requests/useCases/importPoints.js';
import {
  collectLines,
  linesLimits,
  precisionNamed,
  precisions,
  type Precision,
} from '../../../lineProtocol/collectLines.js';
import { clockOf } from '../../../timeZones.js';
import { bodyPlaces, isPacked, requestBody, requireLength } from '../../body.js';
import type { BodyRate } from '../../bodyRate.js';
import type { ClientConnection } from '../../clientConnection.js';
import { writePaths } from '../../middleware/lineProtocol.js';
import { requireScope, type Actor } from '../../middleware/tokens.js';
import { Problem } from '../../problem.js';
import Type from '../../typebox.js';
import { unclaimedMax } from '../../../../application/requests/points/feeds.js';
import { inPlace } from '../../answers/largeAnswer.js';
import { ok, route, type Route } from '../../route.js';
import { instantSchema, strict } from '../../schemas/common.js';

/** Methods of the paths of writes, for `allowedMethods`. */
export const writeRoutes = writePaths.map(path => ({ method: 'post', path }) as const);

/** @throws Problem `linesRejected` for an unknown precision */
const precisionOf = (query: URLSearchParams): Precision => {
  const given = query.get('precision') ?? '';
  const precision = precisionNamed(given);
  if (precision) return precision;
  throw new Problem(
    'linesRejected',
    `invalid precision: got ${shown(given)}, expected one of ${precisions.join(', ')}; nothing was stored`,
  );
};

/** The problem of lines that were not stored; in the words of InfluxDB, which writers look for. */
const partialWrite = (rejected: RejectedLines): Problem => {
  const reasons = rejected.first().map(({ line, reason }) => `line ${line}: ${reason}`);
  const others = rejected.count() - reasons.length;
  const more = others > 0 ? `; and ${others} further lines` : '';
  return new Problem(
    'linesRejected',
    `partial write: ${reasons.join('; ')}${more}; all other lines are stored, dropped=${rejected.count()}`,
  );
};

/**
 * Middleware of writes in line protocol. They are outside the API description: their form is that of InfluxDB.
 * @throws Problem `linesRejected` after the other lines are stored
 */
export const lineWrites = (service: Service, rate: BodyRate) => {
  const readInPlace = bodyPlaces({
    watchQueue: (_, waiting) => service.metrics.watchQueue('lines', waiting),
  });
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== 'POST' || !writeRoutes.some(({ path }) => path === ctx.path)) return next();
    const actor = ctx.state['actor'] as Actor;
    requireScope(actor, 'import');
    service.requireRoom();
    requireCapacity(service, actor);
    const precision = precisionOf(new URLSearchParams(ctx.querystring));
    const packedBytesMax = isPacked(ctx) ? linesLimits.bytesMax : undefined;
    requireLength(ctx.req, linesLimits.bytesMax);
    await service.freshness.forWrite();
    const { bytes } = requestBody(ctx.req, { prefix: undefined, rate, packedBytesMax });
    const { signal } = ctx.state['client'] as ClientConnection;
    const rule = { precision, nowMs: service.environment.nowMs() };
    const batch = await readInPlace({ actor, stream: bytes, signal }, chunks => collectLines(chunks, rule));
    service.requireWhole();
    const by = await service.people.sealed(actor, actor.subject);
    await writeLines(service, { actor, by }, batch, clockOf);
    if (batch.rejected.count() > 0) throw partialWrite(batch.rejected);
    ctx.status = 204;
  };
};

const tagsSchema = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  examples: [{ room: 'hall' }],
});

const unclaimedSchema = Type.Object(
  {
    measurement: Type.String({ examples: ['energy'] }),
    field: Type.String({ examples: ['value'] }),
    tags: tagsSchema,
    firstSeen: instantSchema,
    lastSeen: instantSchema,
    points: Type.Integer({ minimum: 1, description: 'Points that came, with repeats.', examples: [1200] }),
  },
  { ...strict, title: 'UnclaimedFeed' },
);

const listSchema = Type.Object(
  {
    feeds: Type.Array(unclaimedSchema, {
      description: `At most ${unclaimedMax}, those with the latest points first.`,
    }),
  },
  { ...strict, title: 'UnclaimedFeeds' },
);

/** Routes about feeds. */
export const feedRoutes = (service: Service): readonly Route[] => [
  route({
    at: 'GET /v1/feed/unclaimed',
    operationId: 'listUnclaimedFeeds',
    summary: 'List the series of line protocol that came in the last 7 days and that no source takes',
    scope: 'read',
    answers: ok('The series', listSchema),
    run: call =>
      inPlace(service, call, () => {
        const { tenant } = call.actor;
        const routes = service.feeds.routesOf(tenant);
        const instant = (ms: number): string => new Date(ms).toISOString();
        const feeds = service.feeds.unclaimed
          .list(tenant, service.environment.nowMs())
          .filter(series => routes(series) === undefined)
          .map(({ tags, firstSeenMs, lastSeenMs, measurement, field, points }) => ({
            ...{ measurement, field, tags: Object.fromEntries(tags) },
            ...{ firstSeen: instant(firstSeenMs), lastSeen: instant(lastSeenMs), points },
          }));
        return { status: 200, body: { feeds } };
      }),
  }),
];
