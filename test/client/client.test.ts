// The client with a real service: uploads, waits, lists and the stream of changes.
import { liveEvents } from '../../client/liveEvents.js';
import { openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { daybookClient, ProblemError, type LiveEvent } from '../../client/index.js';
import { freePort } from '../helpers/freePort.js';
import { csvOf, ordinaryDays, startService } from '../helpers/service.js';

const service = await startService(t, { PORT: String(await freePort()) });
const client = daybookClient({
  url: service.address(),
  token: () => service.tokenFor({}),
  retries: { delayMs: 20, delayMaxMs: 5000 },
});

const reference = csvOf(ordinaryDays('2023-01-02', 84));
// Every third of the recent days is empty.
const recent = csvOf(
  ordinaryDays('2023-04-03', 12).map((day, at) =>
    at % 3 === 1 ? { ...day, activity: day.activity.map(() => 0.5) } : day,
  ),
);
let sourceId = 0;

t.test('a file becomes a source, its analysis and its check are waited for', async t => {
  const file = join(t.testdir(), 'reference.csv');
  writeFileSync(file, reference);
  let sent = 0;
  const created = await client.upload('/v1/import-csv/create-source', {
    file: await openAsBlob(file),
    params: { query: { name: 'Gate' } },
    onProgress: ({ bytes }) => (sent = bytes),
  });
  t.equal(sent, Buffer.byteLength(reference));
  sourceId = created.source.id;
  t.equal((await client.analysed(sourceId)).analysis.status, 'completed');
  await t.rejects(client.analysed(sourceId + 1), ProblemError);
  const imported = await client.upload('/v1/import-csv/{source_id}/days', {
    file: new Blob([recent]),
    params: { path: { source_id: sourceId } },
  });
  const { days } = await client.checked(imported);
  t.notOk(days.some(({ status }) => status === 'pending'));
  // A pending day, as in an answer 202: the import is read until it is checked.
  const pending = { ...imported, days: [{ ...imported.days[0], status: 'pending' as const }] };
  t.strictSame((await client.checked(pending)).days, days);
  const { id } = imported.import;
  const points = { ...pending, import: { ...imported.import, id: `${id.slice(0, -1)}x`, points: 1 } };
  await t.rejects(client.checked(points), {
    name: 'UnfinishedError',
    message: 'the check of points goes on: they have no import, read the days of the source',
  });
  t.equal((await client.checked({ ...points, days })).days, days, 'points that are checked');
});

/** All records of an iterator. */
const collected = async <One>(records: AsyncIterable<One>): Promise<One[]> => {
  const all: One[] = [];
  for await (const record of records) all.push(record);
  return all;
};

t.test('lists are iterated over all their pages', async t => {
  const all = await collected(client.list.alerts({ sourceId }));
  t.ok(all.length > 2);
  t.strictSame(await collected(client.list.alerts({ sourceId, limit: 2 })), all, 'many pages');
  t.strictSame(
    (await collected(client.list.sources({ limit: 1 }))).map(({ id }) => id),
    [sourceId],
  );
  t.ok((await collected(client.list.incidents({ limit: 1 }))).length > 0);
  const events = await collected(client.list.auditEvents({ sourceId, limit: 2 }));
  t.equal(events[0]?.type, 'SourceIdReserved');
});

t.test('the stream of changes goes on after the service was away, without a gap', async t => {
  const ending = new AbortController();
  let lose = (): void => {};
  const lost = new Promise<void>(resolve => (lose = resolve));
  const stream = client.changes({ signal: ending.signal, onLost: () => lose() });
  /** The next change but those of incidents, which follow each change of an alert. */
  const next = async (): Promise<LiveEvent | undefined> => {
    for (;;) {
      const event = (await stream.next()).value ?? undefined;
      if (event?.kind !== 'change' || event.type !== 'AlertsGrouped') return event;
    }
  };
  const alerts = await collected(client.list.alerts({ sourceId, state: 'open' }));
  const acknowledge = (at: number) =>
    client.post('/v1/alert/{id}/acknowledge', { params: { path: { id: alerts[at]?.id ?? '' } } });
  t.equal((await next())?.kind, 'ready');
  await acknowledge(0);
  const first = await next();
  t.match(first, { kind: 'change', type: 'AlertAcknowledged', sourceId });
  await service.stop();
  const afterwards = next();
  await lost;
  await service.restart();
  t.match(await afterwards, { kind: 'ready' });
  await acknowledge(1);
  const second = await next();
  t.match(second, { kind: 'change', type: 'AlertAcknowledged', sourceId });
  ending.abort();
  t.strictSame(await stream.next(), { done: true, value: undefined });

  const resumed = client.changes({ lastEventId: first?.id ?? '' });
  t.equal((await resumed.next()).value?.kind, 'ready');
  const missed = [await resumed.next(), await resumed.next()];
  t.ok(
    missed.some(({ value }) => value?.id === second?.id),
    'a missed change is repeated',
  );
  await resumed.return();
});

t.test('a stream is resumed after the id of its last heartbeat', async t => {
  const ending = new AbortController();
  const asked: (string | null)[] = [];
  const sendOnce = async ({ headers }: Request): Promise<Response> => {
    asked.push(headers.get('Last-Event-ID'));
    if (asked.length === 2) ending.abort();
    return new Response('id: 5\nevent: ready\ndata: {}\n\n:\n\nid: 9\n\n');
  };
  const connection = { url: service.address(), sendOnce, retries: {} } as unknown;
  const seen = await collected(
    liveEvents(connection as Parameters<typeof liveEvents>[0], { signal: ending.signal }),
  );
  t.strictSame(seen, [{ kind: 'ready', id: '5' }], 'a heartbeat is no change');
  t.strictSame(asked, [null, '9']);
});

t.test('a stream that the service refuses throws', async t => {
  const stranger = daybookClient({ url: service.address(), token: 'none' });
  await t.rejects(stranger.changes().next(), { name: 'ProblemError', status: 401, code: 'tokenInvalid' });
});

t.test('other formats than JSON come as they are', async t => {
  const response = await client.fetch(`/v1/audit/event?sourceId=${sourceId}&format=ndjson`);
  t.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  t.match(await response.text(), /^\{.*\}\n/);
});
