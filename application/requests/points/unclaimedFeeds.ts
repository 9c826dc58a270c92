import { LRUCache } from 'lru-cache';
import { seriesText, type Series } from '../../../domain/source/feed.js';

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
const keptMs = 7 * 86_400_000;
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
