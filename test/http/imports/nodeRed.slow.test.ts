import { join } from 'node:path';
import t from 'tap';
import { exactList } from '../../helpers/exactList.js';
import { startNodeRed, withoutNodeRed } from '../../helpers/nodeRed.js';
import { repositoryRoot } from '../../helpers/repository.js';
import { eventually, ordinaryDays, startService } from '../../helpers/service.js';

// Node-RED with the flow of examples/node-red.json writes to a source.

t.test('Node-RED: readings of its flow are points of the feed', { skip: withoutNodeRed }, async t => {
  const service = await startService(t);
  const { call } = service;
  const feed = { measurement: 'energy', field: 'value', tags: { room: 'hall' } };
  const created = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name: 'Hall', referenceYear: 2023, days: ordinaryDays('2023-01-01', 30), feed },
  });
  const { id } = created.body.source;
  const flows = join(repositoryRoot(), 'examples/node-red.json');
  const folder = join(service.settings.dataDir, 'node-red');
  const env = {
    DAYBOOK_URL: service.address(),
    DAYBOOK_TOKEN: await service.tokenFor({ subject: 'node-red', scopes: ['import'] }),
  };
  const { address, version } = await startNodeRed(t, { folder, flows }, env);
  t.comment(`Node-RED ${version}`);
  // The middle of an hour that has passed.
  const at = new Date((Math.floor(Date.now() / 3_600_000) - 2.5) * 3_600_000).toISOString();
  const send = (reading: object) =>
    fetch(`${address}/reading`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(reading),
    });
  await eventually('the flow', async () =>
    (await send({ room: 'hall', value: '31.25', at })).status === 204 ? true : undefined,
  );
  await eventually('the value', async () => {
    const { body } = await call<{ day: { activity: readonly number[] } | null }>(
      'GET',
      `/v1/day/${id}/${at.slice(0, 10)}`,
    );
    return body.day?.activity[Number(at.slice(11, 13))] === 31.25 ? true : undefined;
  });
  t.equal((await send({ room: 'roof', value: 7 })).status, 204);
  const unclaimed = await eventually('a series that no source takes', async () => {
    const { body } = await call<{ feeds: readonly object[] }>('GET', '/v1/feed/unclaimed');
    return body.feeds.length > 0 ? body.feeds : undefined;
  });
  t.match(unclaimed, exactList({ ...feed, tags: { room: 'roof' }, points: 1 }));
});
