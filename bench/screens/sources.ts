import { ordinaryDays } from '../../test/helpers/service.js';
import { multiply } from '../speed/longLog.js';
import { startService } from '../speed/service.js';

type Created = { readonly source: { readonly id: number } };

/** One of this many sources has an alert on its last day. */
const perAlert = 8;

const lastDate = '2024-01-28';

/** A data folder with so many sources: 90 reference days and 28 recent ones of 24 values, some with an alert. */
export const preparedSources = async (root: string, count: number): Promise<string> => {
  const first = await startService(root);
  const days = ordinaryDays('2023-01-01', 90);
  const { source } = await first.post<Created>('/v1/import/create-source', {
    name: 'Station 0001',
    referenceYear: 2023,
    days,
  });
  await first.analysed(source.id);
  const recent = ordinaryDays('2024-01-01', 27);
  await first.post('/v1/import/days', { sourceId: source.id, days: recent });
  await first.reactedToAll();
  await first.stop();
  await multiply(first.folder, source.id, count, id => `Station ${String(id).padStart(4, '0')}`);
  const all = await startService(root, { folder: first.folder });
  const [day] = ordinaryDays(lastDate, 1);
  for (let sourceId = 1; sourceId <= count; sourceId += 1) {
    const factor = sourceId % perAlert === 0 ? 2 + (sourceId % 3) : 1;
    const activity = day?.activity.map(value => value * factor);
    await all.post('/v1/import/days', { sourceId, days: [{ date: lastDate, activity }] });
  }
  await all.reactedToAll();
  await all.stop();
  return first.folder;
};
