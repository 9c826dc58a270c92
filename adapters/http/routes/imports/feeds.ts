import Type from '../../typebox.js';
import { unclaimedMax } from '../../../../application/requests/points/unclaimedFeeds.js';
import type { Service } from '../../../../application/requests/service.js';
import { inPlace } from '../../answers/largeAnswer.js';
import { ok, route, type Route } from '../../route.js';
import { instantSchema, strict } from '../../schemas/common.js';

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
