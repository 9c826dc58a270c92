// Writes a log of this build with its answers into a folder: `npm run release:log -- test/fixtures/logs/<version>`.
// Later builds have to open, verify, rebuild and answer from it: test/recordedLog.test.ts.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventVersions } from '../../../domain/events.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import { launchService, run } from '../process.js';
import { csvOf, ordinaryDay, ordinaryDays } from '../service.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('got no folder, expected npm run release:log -- <folder>');

const place = mkdtempSync(join(tmpdir(), 'daybook-log-'));
const env = { DATA_DIR: join(place, 'data'), LOG_LEVEL: 'warn', WEBHOOK_ALLOW_PRIVATE: '127.0.0.1:9' };
const service = launchService(env);
const url = await service.ready;
const token = async (subject: string) => (await run(['token', '--subject', subject], env)).stdout.trim();
const tokens = { anna: await token('anna'), bob: await token('bob') };

type Body = Record<string, unknown>;
type Sent = { readonly json?: unknown; readonly text?: string; readonly by?: keyof typeof tokens };

/** Sends a request. @throws Error for an answer that is no success */
const ask = async <Answer = Body>(method: string, path: string, sent: Sent = {}): Promise<Answer> => {
  const { json, text, by = 'anna' } = sent;
  const type = json === undefined ? 'text/csv' : 'application/json';
  const body = json === undefined ? text : JSON.stringify(json);
  const answer = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${tokens[by]}`, ...(body !== undefined && { 'Content-Type': type }) },
    ...(body !== undefined && { body }),
  });
  const got = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: got ${answer.status} ${got}`);
  return (got === '' ? {} : JSON.parse(got)) as Answer;
};
const post = <Answer = Body>(path: string, json: unknown = {}, by: Sent['by'] = 'anna') =>
  ask<Answer>('POST', path, { json, by });

const pause = (ms: number): Promise<void> => new Promise(done => setTimeout(done, ms));
const analysed = async (id: number): Promise<void> => {
  type Source = { readonly analysis: { readonly status: string } };
  while ((await ask<Source>('GET', `/v1/source/${id}`)).analysis.status !== 'completed') await pause(100);
};

const days = (first: string, count: number, change = (values: readonly number[]) => values) =>
  Array.from({ length: count }, (_, index) => dateOf(dayNumber(first) + index)).map(date => ({
    date,
    activity: change(ordinaryDay(date).activity),
  }));
const workingDays = (...of: Parameters<typeof days>) =>
  days(...of).filter(({ date }) => weekday(dayNumber(date)) < 5);
const twice = (values: readonly number[]) => values.map(value => 2 * value);
const quarterMore = (values: readonly number[]) => values.map(value => 1.25 * value);

/** Reference of both sources: few days, since a fixture stays in the repository. */
const firstDay = '2023-09-04';
const dayCount = 112;

/** Two sources with recent days, alerts, corrections, points, and days that are taken back. */
const writeData = async (): Promise<void> => {
  const choices = 'timeZone=Europe/Berlin&calendar=DE-BE&label=site:one';
  await ask('POST', `/v1/import-csv/create-source?name=Gate&${choices}`, {
    text: csvOf(ordinaryDays(firstDay, dayCount)),
  });
  await post('/v1/import/create-source', {
    name: 'Hall',
    referenceYear: 2023,
    labels: { site: 'one' },
    days: ordinaryDays(firstDay, dayCount),
  });
  await analysed(1);
  await analysed(2);
  await post('/v1/import/days', { sourceId: 1, days: days('2024-01-08', 28) });
  await post('/v1/import/days', { sourceId: 1, days: workingDays('2024-02-05', 2, twice) });
  await post('/v1/import/days', { sourceId: 2, days: workingDays('2024-02-05', 3, twice) }, 'bob');
  await post('/v1/import/days', { sourceId: 2, days: workingDays('2024-03-04', 8, quarterMore) });
  await post('/v1/import/points', { sourceId: 1, points: [{ at: '2024-02-07T09:10:00Z', value: 990 }] });
  await ask('DELETE', '/v1/day/1/2024-01-30?reason=counted%20twice');
  await post('/v1/source', { name: 'Yard', activitySize: 24 });
};

/** Decisions of people about models, plans and reference days. */
const writePlans = async (): Promise<void> => {
  await post('/v1/day/1/2023-10-11/leave-out', { reason: 'closed' });
  await post('/v1/day/1/2023-10-12/leave-out', { reason: 'closed' });
  await post('/v1/day/1/2023-10-12/take-back');
  await post('/v1/model/reset/1/4');
  await post('/v1/model/restore/1/1');
  await ask('PATCH', '/v1/source/1', { json: { unit: 'people', minChange: { absolute: 0, percent: 5 } } });
  type Models = { readonly models: readonly { readonly id: number }[] };
  const { models } = await ask<Models>('GET', '/v1/model/list/1');
  await ask('PATCH', `/v1/model/1/${models[0]?.id}`, { json: { name: 'Open', anomaly: false } });
  await ask('PATCH', `/v1/model/1/${models.at(-1)?.id}`, { json: { anomaly: true } });
  await ask('PUT', '/v1/planning/1/2024-01-10', { json: { modelId: models[0]?.id } });
  await ask('PUT', '/v1/planning/1/2024-01-11', { json: { modelId: models[0]?.id } });
  await ask('DELETE', '/v1/planning/1/2024-01-11');
  await ask('PUT', '/v1/calendar/1/2024-01-12', { json: { name: 'fair' } });
  await ask('PUT', '/v1/calendar/1/2024-01-13', { json: { name: 'fair' } });
  await ask('DELETE', '/v1/calendar/1/2024-01-13');
  const rule = {
    labels: { site: 'one' },
    name: 'stocktaking',
    rule: 'DTSTART:20230131\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1',
  };
  await post('/v1/calendar-rule/create', rule);
  const { id } = await post<{ id: string }>('/v1/calendar-rule/create', { ...rule, name: 'market' });
  await ask('DELETE', `/v1/calendar-rule/${id}`);
  const fields = ['name', 'color', 'anomaly', 'activity', 'topTolerance', 'bottomTolerance'];
  const own = models.map(model =>
    Object.fromEntries(Object.entries(model).filter(([name]) => fields.includes(name))),
  );
  await post('/v1/model/bulk-replace/1', { models: own });
};

type Incidents = {
  readonly incidents: readonly { readonly id: string; readonly alertIds?: readonly string[] }[];
};
type Alerts = { readonly alerts: readonly { readonly id: string }[] };

/** Decisions about alerts and incidents, mutes and settings. */
const writeDecisions = async (): Promise<void> => {
  await ask('PATCH', '/v1/settings', { json: { incidentLabels: ['site'] } });
  const { alerts } = await ask<Alerts>('GET', '/v1/alert/list?sourceId=1');
  const [first, second] = alerts;
  await post(`/v1/alert/${first?.id}/acknowledge`, {}, 'bob');
  await post(`/v1/alert/${first?.id}/resolve`, { verdict: 'anomaly', comment: 'a fair' }, 'bob');
  await post(`/v1/alert/${first?.id}/reopen`);
  await post(`/v1/alert/${second?.id}/resolve`, { verdict: 'expected', comment: 'known' });
  const { incidents } = await ask<Incidents>('GET', '/v1/incident/list?sourceId=2');
  for (const { id } of incidents) {
    await post(`/v1/incident/${id}/assign`, { subject: 'bob' });
    await post(`/v1/incident/${id}/comment`, { text: 'looked at it' }, 'bob');
    const isChange = await post(`/v1/incident/${id}/accept`).then(
      () => true,
      () => false,
    );
    if (isChange) await post(`/v1/incident/${id}/withdraw-acceptance`);
    else await post(`/v1/incident/${id}/acknowledge`);
  }
  // Decisions have moved alerts.
  const later = (await ask<Incidents>('GET', '/v1/incident/list')).incidents;
  const [parted] = later.filter(({ alertIds = [] }) => alertIds.length > 1);
  if (parted) {
    const other = await post<{ id: string }>(`/v1/incident/${parted.id}/split`, {
      alertIds: parted.alertIds?.slice(1),
    });
    await post(`/v1/incident/${parted.id}/resolve`, { verdict: 'anomaly', comment: 'a fair' });
    await post(`/v1/incident/${parted.id}/reopen`);
    await post(`/v1/incident/${parted.id}/merge`, { incidentId: other.id }).catch(() => undefined);
  }
  // A mute that still goes on would end while a later build has the log open.
  const until = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toISOString();
  await post('/v1/mute', { sourceId: 1, until: until(2), reason: 'works' });
  const mute = await post<{ id: string }>('/v1/mute', { sourceId: 2, until: until(600), reason: 'works' });
  await ask('DELETE', `/v1/mute/${mute.id}`);
};

/** A receiver, a person who is erased, a read of the audit trail, an archived source. */
const writeRest = async (): Promise<void> => {
  const { id } = await post<{ id: string }>('/v1/webhook/create', { url: 'http://127.0.0.1:9/in' });
  await post(`/v1/webhook/${id}/rotate-secret`);
  await ask('PATCH', `/v1/webhook/${id}`, { json: { minCriticity: 0.5 } });
  await post(`/v1/webhook/${id}/disable`);
  await post(`/v1/webhook/${id}/enable`);
  await post(`/v1/webhook/${id}/disable`);
  await post('/v1/person/erase', { subject: 'bob' });
  await ask('GET', '/v1/audit/event?limit=2');
  await ask('DELETE', '/v1/source/3');
  await post('/v1/source/3/restore');
  await ask('DELETE', '/v1/source/3');
};

const answered = [
  '/v1/source/list',
  '/v1/model/versions/1',
  '/v1/planning/list/1/2024',
  '/v1/calendar/list/1/2024',
  '/v1/settings',
  '/v1/alert/list',
  '/v1/incident/list',
  ...[1, 2].flatMap(id => [`/v1/model/list/${id}`, `/v1/day/list/${id}/2024`]),
];

await writeData();
await writePlans();
await writeDecisions();
await writeRest();
await pause(4000);
const answers: Record<string, unknown> = {};
for (const path of answered) answers[path] = await ask('GET', path);
await service.end('SIGTERM');

mkdirSync(folder, { recursive: true });
const into = (name: string): string => join(folder, name);
copyFileSync(join(env.DATA_DIR, 'events.sqlite'), into('events.db'));
copyFileSync(join(env.DATA_DIR, 'people.sqlite'), into('people.db'));
const log = ['--log', env.DATA_DIR];
const { stdout: exported } = await run(['export', ...log], env);
writeFileSync(into('events.ndjson'), exported);
const key = join(place, 'audit-key');
await run(['checkpoint', '--new-key', key], env);
copyFileSync(`${key}.pub`, into('audit-key.pub'));
const { stdout: checkpoint } = await run(
  ['checkpoint', '--key', key, ...log, '--fingerprints', into('leaves.txt')],
  env,
);
writeFileSync(into('checkpoint.json'), checkpoint);
writeFileSync(into('answers.json'), `${JSON.stringify({ answers }, null, 1)}\n`);
rmSync(place, { recursive: true });

const found = new Set([...exported.matchAll(/"type":"([A-Z]\w+)"/g)].map(([, type]) => type));
const missing = Object.keys(eventVersions).filter(type => !found.has(type));
process.stdout.write(`${exported.trimEnd().split('\n').length} events; not in it: ${missing.join(', ')}\n`);
