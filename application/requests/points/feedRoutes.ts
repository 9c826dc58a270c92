import { LRUCache } from 'lru-cache';
import { hasTagsOf, type Feed, type Series } from '../../../domain/source/feed.js';
import type { ReadModels } from '../../../projections/readModels.js';

/** The feed of a source. */
export type SourceFeed = { readonly sourceId: number; readonly feed: Feed };

/** The source that takes the points of a series; undefined for none. */
export type FeedRoutes = (series: Series) => number | undefined;

/** Tenants whose feeds stay in memory. */
const tenantsMax = 1000;

const groupOf = ({ measurement, field }: Pick<Feed, 'measurement' | 'field'>): string =>
  JSON.stringify([measurement, field]);

/**
 * Routes by the feeds of a tenant. When a series fits several feeds, the one with the most tags has it, among equals
 * the one of the source with the smallest id.
 */
export const routesBy = (feeds: readonly SourceFeed[]): FeedRoutes => {
  const tagsOf = ({ feed }: SourceFeed): number => Object.keys(feed.tags).length;
  const sorted = feeds.toSorted((a, b) => tagsOf(b) - tagsOf(a) || a.sourceId - b.sourceId);
  const groups = new Map<string, SourceFeed[]>();
  for (const one of sorted) {
    const group = groups.get(groupOf(one.feed));
    if (group) group.push(one);
    else groups.set(groupOf(one.feed), [one]);
  }
  return series => groups.get(groupOf(series))?.find(({ feed }) => hasTagsOf(series, feed))?.sourceId;
};

/** Returns a function that finds the routes of a tenant; they are rebuilt after a change of a source. */
export const feedRoutes = ({
  sources,
}: {
  readonly sources: Pick<ReadModels['sources'], 'feeds' | 'feedChanges'>;
}): ((tenant: string) => FeedRoutes) => {
  const known = new LRUCache<string, { readonly changes: number; readonly routes: FeedRoutes }>({
    max: tenantsMax,
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
