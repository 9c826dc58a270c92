import t from 'tap';
import { amount } from '../../helpers/amount.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { eventually, ordinaryDay, ordinaryDays } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// The log does not grow with the number of points, but with the number of slices.

const pool = sharedAnalyst();

const date = '2024-03-06';
const eventsMax = 300;
const bytesMax = 200_000;
/** Requests in a day, one point each: three a slice, or one each 10 seconds. */
const requests = amount({ quick: 432, slow: 8640 });

/** A day of 144 slices from one of 24. */
const fine = (day: ReturnType<typeof ordinaryDay>) => ({
  date: day.date,
  activity: day.activity.flatMap(value => Array<number>(6).fill(value)),
});

t.test('a fed day of 144 slices adds at most 300 events and 200 KB, with an alert or without', async t => {
  const clock = drivenClock(`${date}T00:00:00.000Z`);
  const { ask, events } = await serviceBy(t, clock, pool);
  const created = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    ...{ name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120).map(fine) },
  });
  const sourceId = created.source.id;
  await eventually('the analysis', async () => {
    const { analysis } = await ask<{ analysis: { status: string } }>('GET', `/v1/source/${sourceId}`);
    return analysis.status === 'completed' ? true : undefined;
  });
  const before = (await events()).length;
  const usual = ordinaryDay(date).activity;
  const first = Date.parse(`${date}T00:00:00Z`);
  for (let request = 0; request < requests; request += 1) {
    const atMs = first + (request * 86_400_000) / requests;
    const hour = Math.floor((request * 24) / requests);
    await clock.goTo(new Date(atMs + 1000).toISOString());
    const value = (usual[hour] ?? 0) * (hour >= 9 && hour < 15 ? 3 : 1) + (request % 7) / 3;
    const points = [{ at: new Date(atMs).toISOString(), value }];
    await ask('POST', '/v1/import/points', { sourceId, points });
  }
  await clock.goTo('2024-03-07T00:20:00Z');
  const all = await eventually('the check of the whole day', async () => {
    const log = await events();
    const last = log.findLast(({ type }) => type === 'DaysChecked');
    const days = (last?.data as { days: readonly { elapsed?: number }[] }).days;
    return days.some(({ elapsed }) => elapsed !== undefined) ? undefined : log;
  });
  const added = all.slice(before);
  // The columns of the embedded store.
  const bytes = added.reduce((sum, { id, stream, type, data, metadata, at, hash = '' }) => {
    const texts = [id, stream, type, JSON.stringify(data), JSON.stringify(metadata), at, hash];
    return sum + texts.reduce((length, text) => length + Buffer.byteLength(text), 0);
  }, 0);
  t.comment(`${requests} requests: ${added.length} events, ${bytes} bytes`);
  t.ok(added.length <= eventsMax, `${added.length} events`);
  t.ok(bytes <= bytesMax, `${bytes} bytes`);
  t.equal(added.filter(({ type }) => type === 'AlertRaised').length, 1);
  t.strictSame((await decidedAgain(all)).findings, []);
});
