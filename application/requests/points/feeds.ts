import { dayMs } from '../../../domain/dates.js';
import { LRUCache } from 'lru-cache';
import { type Feed, type Series, seriesText, tagsOf } from '../../../domain/source/feed.js';
import type { ReadModels } from '../../../projections/readModels.js';

/** The feed of a source. */
export type SourceFeed = { readonly sourceId: number; readonly feed: Feed };

/** The source that takes the points of a series; undefined for none. */
export type FeedRoutes = (series: Series) => number | undefined;

/** Tenants whose feeds stay in memory. */
const routedTenantsMax = 1000;

const groupOf = ({ measurement, field }: Pick<Feed, 'measurement' | 'field'>): string =>
  JSON.stringify([measurement, field]);

/** Feeds of a measurement and a field that name the same tags. */
type KeySet = {
  /** Keys of the tags, ascending. */
  readonly keys: readonly string[];
  /** The smallest source by the values of the tags. */
  readonly sources: Map<string, number>;
};

/** Key sets of all feeds by measurement and field, those with the most keys first. */
const keySetsOf = (feeds: readonly SourceFeed[]): ReadonlyMap<string, readonly KeySet[]> => {
  const groups = new Map<string, Map<string, KeySet>>();
  for (const { sourceId, feed } of feeds) {
    const tags = tagsOf(feed.tags);
    const keys = tags.map(([key]) => key);
    const group = groups.get(groupOf(feed)) ?? new Map<string, KeySet>();
    groups.set(groupOf(feed), group);
    const { sources } = group.get(JSON.stringify(keys)) ?? { sources: new Map<string, number>() };
    group.set(JSON.stringify(keys), { keys, sources });
    const values = JSON.stringify(tags.map(([, value]) => value));
    sources.set(values, Math.min(sourceId, sources.get(values) ?? Infinity));
  }
  const sorted = [...groups].map(([text, group]) => {
    const sets = [...group.values()].sort((a, b) => b.keys.length - a.keys.length);
    return [text, sets] as const;
  });
  return new Map(sorted);
};

/**
 * Routes by the feeds of a tenant. When a series fits several feeds, the one with the most tags has it, among equals
 * the one of the source with the smallest id. A series is looked up once for each key set, not for each feed.
 */
export const routesBy = (feeds: readonly SourceFeed[]): FeedRoutes => {
  const groups = keySetsOf(feeds);
  return series => {
    const values = new Map(series.tags);
    let found: { readonly sourceId: number; readonly tags: number } | undefined;
    for (const { keys, sources } of groups.get(groupOf(series)) ?? []) {
      if (found && keys.length < found.tags) break;
      if (!keys.every(key => values.has(key))) continue;
      const sourceId = sources.get(JSON.stringify(keys.map(key => values.get(key))));
      if (sourceId !== undefined && !(found && found.sourceId < sourceId))
        found = { sourceId, tags: keys.length };
    }
    return found?.sourceId;
  };
};

/** Returns a function that finds the routes of a tenant; they are rebuilt after a change of a source. */
export const feedRoutes = ({
  sources,
}: {
  readonly sources: Pick<ReadModels['sources'], 'feeds' | 'feedChanges'>;
}): ((tenant: string) => FeedRoutes) => {
  const known = new LRUCache<string, { readonly changes: number; readonly routes: FeedRoutes }>({
    max: routedTenantsMax,
  });
  return tenant => {
    const changes = sources.feedChanges(tenant);
    const found = known.get(tenant);
    if (found?.changes === changes) return found.routes;
    const routes = routesBy(sources.feeds(tenant));
    known.set(tenant, { changes, routes });
    return routes;
  };
};

/** A series that no source takes. */
export type UnclaimedFeed = Series & {
  /** When points came, in ms since 1970. */
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly points: number;
};

/** Series that no source took when points came, since the start of this instance. Their values are not kept. */
export type UnclaimedFeeds = {
  readonly note: (tenant: string, series: Series, points: number, nowMs: number) => void;
  /** Series of the last seven days, those with the latest points first. */
  readonly list: (tenant: string, nowMs: number) => readonly UnclaimedFeed[];
};

/** Most series of a tenant, and most tenants. */
export const unclaimedMax = 1000;
const tenantsMax = 100;
const keptMs = 7 * dayMs;
/** Longest text of a series that is listed. */
const textLengthMax = 2000;

/** An empty list. A tenant with too many series loses those without points for the longest time. */
export const unclaimedFeeds = (): UnclaimedFeeds => {
  const tenants = new LRUCache<string, LRUCache<string, UnclaimedFeed>>({ max: tenantsMax });
  const of = (tenant: string): LRUCache<string, UnclaimedFeed> => {
    const known = tenants.get(tenant) ?? new LRUCache({ max: unclaimedMax });
    tenants.set(tenant, known);
    return known;
  };
  return {
    note: (tenant, { measurement, field, tags }, points, nowMs) => {
      const text = seriesText({ measurement, field, tags });
      if (text.length > textLengthMax) return;
      const before = of(tenant).get(text);
      of(tenant).set(text, {
        ...{ measurement, field, tags },
        firstSeenMs: before?.firstSeenMs ?? nowMs,
        lastSeenMs: nowMs,
        points: points + (before?.points ?? 0),
      });
    },
    list: (tenant, nowMs) =>
      [...(tenants.get(tenant)?.values() ?? [])].filter(({ lastSeenMs }) => lastSeenMs > nowMs - keptMs),
  };
};
