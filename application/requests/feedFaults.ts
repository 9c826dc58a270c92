import { Rejection } from '../../domain/rejection.js';
import type { Feed } from '../../domain/source/feed.js';
import type { ReadModels } from '../../projections/readModels.js';

/**
 * Refuses a feed that another source of the tenant has.
 * @param sourceId the source; undefined for a new one
 * @throws Rejection `descriptionInvalid`
 */
export const requireFreeFeed = (
  { sources }: { readonly sources: Pick<ReadModels['sources'], 'fed'> },
  { tenant, sourceId }: { readonly tenant: string; readonly sourceId: number | undefined },
  feed: Feed | null | undefined,
): void => {
  const other = feed ? sources.fed(tenant, feed, sourceId) : undefined;
  if (other === undefined) return;
  throw new Rejection('descriptionInvalid', 'the description of the source is not valid', [
    {
      code: 'feedTaken',
      pointer: '/feed',
      detail: `got the feed that source ${other} has, expected one of no other source: change or remove it there first`,
    },
  ]);
};
