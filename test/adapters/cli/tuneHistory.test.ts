import t from 'tap';
import { readHistory } from '../../../adapters/cli/tune/history.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { exactList } from '../../helpers/exactList.js';
import { eventually, ordinaryDays } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';
import { tuned } from '../../helpers/tuned.js';

// `daybook tune --source` while dates are in progress or missing, and before there is a reference.

const pool = sharedAnalyst();

t.test('dates in progress and without data', async t => {
  const dir = t.testdir({ data: {}, out: {} });
  const clock = drivenClock('2023-05-09T09:00:00.000Z');
  const env = { EVENT_STORE: 'sqlite', DATA_DIR: `${dir}/data` };
  const { ask, create } = await serviceBy(t, clock, pool, { env });
  const sourceId = await create('Gate');
  const all = ordinaryDays('2023-05-01', 8);
  const days = all.filter(({ date }) => date !== '2023-05-04');
  await ask('POST', '/v1/import/days', { sourceId, days });
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map(hour => ({ at: `2023-05-09T0${hour}:10:00Z`, value: 900 }));
  await ask('POST', '/v1/import/points', { sourceId, points });
  const { alerts } = await ask<{ alerts: { date: string }[] }>('GET', '/v1/alert/list');
  t.match(alerts.map(({ date }) => date).sort(), exactList('2023-05-04', '2023-05-09'));
  for (const date of ['20230504', '20230509'])
    await ask('POST', `/v1/alert/${sourceId}-${date}-1/resolve`, { verdict: 'anomaly' });

  const { recent, inProgress, validAlerts, overtaken } = readHistory(env.DATA_DIR, sourceId);
  t.strictSame(
    recent.map(({ date }) => date),
    days.map(({ date }) => date),
  );
  t.strictSame({ inProgress, validAlerts }, { inProgress: ['2023-05-09'], validAlerts: [] });
  t.equal(overtaken, 0, 'neither alert is about data that were replaced');
  const short = ['--models', '2', '--coverage', '0.95', '--calendar', 'none', '--json'];
  const args = ['--log', env.DATA_DIR, '--source', String(sourceId), ...short, '--out', `${dir}/out`];
  const { stderr, stdout } = await tuned(...args);
  t.equal(stderr, 'note: 2023-05-09 is in progress and left out, with its alerts\n');
  t.match(JSON.parse(stdout), { data: { recent: { days: 7, to: '2023-05-08' } } });

  const { id } = await ask<{ id: number }>('POST', '/v1/source', { name: 'New meter', activitySize: 24 });
  t.throws(() => readHistory(env.DATA_DIR, id), {
    name: 'SettingsError',
    message: `--source: source ${id} collects its reference; tune it when it has its first models`,
  });

  const copy = `${dir}/out/events.sqlite`;
  await new Database(`${env.DATA_DIR}/events.sqlite`).backup(copy);
  const db = new Database(copy);
  db.pragma('ignore_check_constraints = ON');
  db.exec('drop trigger events_never_updated');
  db.exec(`update events set data = substr(data, 2) where stream = 'days-${sourceId}' and revision = 1`);
  db.close();
  t.throws(() => readHistory(copy, sourceId), {
    name: 'LogDamaged',
    message: new RegExp(`^--log: revision 1 of days-${sourceId} .* is damaged: position .*daybook verify`),
  });
});

t.test('alerts and verdicts of days that points filled are about the whole days', async t => {
  const dir = t.testdir({ data: {} });
  const clock = drivenClock('2023-05-09T08:30:00.000Z');
  const env = { EVENT_STORE: 'sqlite', DATA_DIR: `${dir}/data` };
  const { ask, create, events } = await serviceBy(t, clock, pool, { env });
  const sourceId = await create('Gate');
  await ask('POST', '/v1/import/days', { sourceId, days: ordinaryDays('2023-05-01', 8) });
  const send = async (date: string, hours: readonly number[]): Promise<void> => {
    const points = hours.map(hour => ({ at: `${date}T${String(hour).padStart(2, '0')}:10:00Z`, value: 900 }));
    await ask('POST', '/v1/import/points', { sourceId, points });
  };
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const next = '2023-05-10';
  await send('2023-05-09', hours.slice(0, 8));
  await ask('POST', `/v1/alert/${sourceId}-20230509-1/resolve`, { verdict: 'anomaly' });
  await clock.leapTo(`${next}T08:30:00Z`);
  await send('2023-05-09', hours.slice(8));
  await send(next, hours.slice(0, 8));
  await clock.leapTo('2023-05-11T00:05:00Z');
  await send(next, hours.slice(8));
  await clock.goTo('2023-05-11T00:30:00Z');
  const isOver = async (date: string): Promise<boolean> => {
    const { inProgress = false } = await ask<{ inProgress?: boolean }>('GET', `/v1/day/${sourceId}/${date}`);
    return !inProgress;
  };
  await eventually('dates that are over and checked', async () => {
    await clock.goTo(new Date(clock.environment.nowMs() + 60_000).toISOString());
    const last = (await events()).at(-1)?.type ?? '';
    const areOver = (await isOver('2023-05-09')) && (await isOver(next));
    return (areOver && ['DaysChecked', 'AlertsGrouped'].includes(last)) || undefined;
  });
  const { validAlerts, overtaken } = readHistory(env.DATA_DIR, sourceId);
  t.strictSame(validAlerts, [
    { date: '2023-05-09', verdict: 'anomaly' },
    { date: next, verdict: null },
  ]);
  t.equal(overtaken, 0);
});
