import type { OverviewSource } from '../../api/client.js';
import type { Formats } from '../../messages/formats.js';
import type { Messages } from '../../messages/en.js';

/**
 * The reason that keeps the days of a source from being checked, or its newest data.
 * @param until time of day of the last data
 */
export const tileText = (
  { parked, analysis, lastDate }: Pick<OverviewSource, 'parked' | 'analysis' | 'lastDate'>,
  until: string | null | undefined,
  { wall, overview }: Pick<Messages, 'wall' | 'overview'>,
  { dayFull }: Pick<Formats, 'dayFull'>,
): string => {
  const { collecting, failed } = overview.unlearned;
  if (parked) return overview.parked(parked.type, parked.position);
  if (analysis === 'failed') return failed;
  if (lastDate === null) return analysis === 'collecting' ? collecting : overview.noData;
  const day = until == null ? dayFull(lastDate) : wall.until(dayFull(lastDate), until);
  return analysis === 'collecting' ? `${day} · ${collecting}` : day;
};
