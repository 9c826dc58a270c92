// The same series imported on the embedded store and on a real EventStoreDB: the same models, planning and alerts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { canonicalJson } from '../../../auditing/eventBytes.js';
import { newAddress, withoutEventStoreDb } from '../../helpers/eventStoreDb/eventStoreDb.js';
import { readPart, seriesNames } from '../../../bench/quality/dataFolder.js';
import { realSeriesFolder } from '../../helpers/data/realSeries.js';
import { analysed, idle, startService, type TestService } from '../../helpers/service.js';

const folder = realSeriesFolder();
const skip = withoutEventStoreDb;

/** Every series of the folder, compressed or not. */
const names = (): string[] => seriesNames(folder).sort();

const read = (name: string, part: string): Buffer => readPart(folder, name, part);

/** Result of a series as canonical JSON, without what differs in each run: instants and ids of imports. */
const outcome = async ({ call }: TestService, name: string): Promise<Record<string, string>> => {
  const created = await call<{ source: { id: number } }>(
    'POST',
    `/v1/import-csv/create-source?name=${name}`,
    { csv: read(name, 'reference') },
  );
  if (created.status !== 201) throw new Error(`${name}: ${created.text}`);
  const { id } = created.body.source;
  await analysed(call, id);
  const imported = await call('POST', `/v1/import-csv/${id}/days`, { csv: read(name, 'recent') });
  if (![200, 202].includes(imported.status)) throw new Error(`${name}: ${imported.text}`);
  await idle(call);
  const year = /(\d{4})-\d\d-\d\dT/.exec(read(name, 'recent').subarray(0, 2000).toString('utf8'))?.[1];
  const texts: Record<string, string> = {};
  for (const path of [`model/list/${id}`, `planning/list/${id}/${year}`, `day/list/${id}/${year}`])
    texts[path] = (await call('GET', `/v1/${path}`)).text;
  for (let cursor = '', page = 1; ; page += 1) {
    const alerts = await call<{ nextCursor?: string }>(
      'GET',
      `/v1/alert/list?sourceId=${id}&limit=500${cursor}`,
    );
    texts[`alert/list page ${page}`] = alerts.text;
    if (alerts.body.nextCursor === undefined) break;
    cursor = `&cursor=${alerts.body.nextCursor}`;
  }
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [
      path,
      // SQLite stores canonical JSON, EventStoreDB the order of fields in which an event was made.
      canonicalJson(JSON.parse(text))
        .replaceAll(/"(raisedAt|updatedAt|importedAt|checkedAt)":"[^"]*"/g, '"$1":"…"')
        .replaceAll(/"importId":"[^"]*"/g, '"importId":"…"'),
    ]),
  );
};

t.test('each series gives the same models, planning and alerts on both stores', { skip }, async t => {
  const folders = mkdtempSync(join(tmpdir(), 'daybook-both-'));
  // Registered before the services: teardowns run in reverse order.
  t.teardown(() => rmSync(folders, { recursive: true }));
  const embedded = await startService(t, { DATA_DIR: join(folders, 'embedded'), EVENT_STORE: 'sqlite' });
  const { url, prefix } = newAddress();
  const shared = await startService(t, {
    DATA_DIR: join(folders, 'shared'),
    EVENT_STORE: 'eventstoredb',
    EVENTSTOREDB_URL: url,
    EVENTSTOREDB_PREFIX: prefix,
  });
  const list = names();
  t.ok(list.length > 0, `${list.length} series`);
  for (const name of list) {
    const [one, other] = await Promise.all([outcome(embedded, name), outcome(shared, name)]);
    t.strictSame(Object.keys(one), Object.keys(other), `${name}: the same answers`);
    for (const [path, text] of Object.entries(one))
      t.ok(other[path] === text, `${name}: ${path}, ${text.length} characters`);
  }
});
