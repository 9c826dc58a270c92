import type { OverviewSource } from '../../api/types.js';

export const sorts = ['alerts', 'name', 'last'] as const;
export type Sort = (typeof sorts)[number];

/** Sources with the worst alerts first, by name, or those with the oldest data first. */
export const sortedBy = (
  sources: readonly OverviewSource[],
  sort: Sort,
  locale: string,
): OverviewSource[] => {
  const collator = new Intl.Collator(locale, { numeric: true });
  const byName = (a: OverviewSource, b: OverviewSource) => collator.compare(a.name, b.name) || a.id - b.id;
  const orders: Record<Sort, (a: OverviewSource, b: OverviewSource) => number> = {
    alerts: (a, b) =>
      (b.criticity ?? -1) - (a.criticity ?? -1) || b.openAlerts - a.openAlerts || byName(a, b),
    name: byName,
    last: (a, b) => (a.lastDate ?? '').localeCompare(b.lastDate ?? '') || byName(a, b),
  };
  return [...sources].sort(orders[sort]);
};
