import t from 'tap';
import type { Exported } from '../../../auditing/eventBytes.js';
import type { AlertsGroupedData } from '../../../domain/incidents/incidents.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { amount } from '../../helpers/amount.js';

// The groupings of alerts into incidents are repeated from the log, also those over several sources.

const pool = rememberingAnalyst();
t.teardown(() => pool.close());

/** A log with incidents of one source, of two sources of one place, with decisions, splits and merges. */
const history = async (): Promise<readonly Exported[]> => {
  const { call, events, stop } = await startService(t);
  await call('PATCH', '/v1/settings', { json: { incidentLabels: ['site'] } });
  const create = async (name: string, site: string): Promise<number> => {
    const json = { name, referenceYear: 2023, days: ordinaryDays('2023-01-01', 90), labels: { site } };
    const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
    await analysed(call, body.source.id);
    return body.source.id;
  };
  const importDays = async (sourceId: number, factors: Readonly<Record<string, number>>): Promise<void> => {
    const days = Object.entries(factors).map(([date, factor]) => {
      const { activity } = ordinaryDay(date);
      return { date, activity: activity.map((value, hour) => (hour % 5 === 4 ? value : value * factor)) };
    });
    await call('POST', '/v1/import/days', { json: { sourceId, days } });
    await idle(call);
  };
  const [one, two, far] = [
    await create('one', 'lyon'),
    await create('two', 'lyon'),
    await create('far', 'nice'),
  ];
  await importDays(one, { '2024-01-03': 3, '2024-01-04': 3, '2024-01-05': 1, '2024-01-15': 3 });
  await importDays(two, { '2024-01-03': 3, '2024-01-04': 1, '2024-02-20': 0.2 });
  await importDays(far, { '2024-01-03': 3, '2024-01-04': 0.2 });
  const { body } = await call<{ incidents: { id: string; alertIds: string[] }[] }>(
    'GET',
    '/v1/incident/list',
  );
  const { id = '' } = body.incidents.find(({ alertIds }) => alertIds.length > 2) ?? {};
  await call('POST', `/v1/incident/${id}/resolve`, { json: { verdict: 'anomaly', comment: null } });
  await idle(call);
  await importDays(one, { '2024-01-04': 1, '2024-01-16': 3 });
  await importDays(two, { '2024-01-16': 3 });
  await call('PATCH', '/v1/settings', { json: { incidentLabels: [] } });
  const { body: open } = await call<{ alerts: { id: string }[] }>(
    'GET',
    `/v1/alert/list?sourceId=${two}&state=open`,
  );
  for (const alert of open.alerts) await call('POST', `/v1/alert/${alert.id}/acknowledge`);
  await idle(call);
  const log = exported(events());
  await stop();
  return log;
};

const isGrouped = ({ type }: Exported): boolean => type === 'AlertsGrouped';

t.test('groupings of alerts are repeated, and a changed one is named', async t => {
  const log = await history();
  const all = await decidedBy(pool, log);
  t.strictSame(all.findings, []);
  t.strictSame(all.reasons, []);
  const without = await decidedBy(
    pool,
    log.filter(event => !isGrouped(event)),
  );
  const groupings = log.filter(isGrouped);
  t.equal(all.proved - without.proved, groupings.length);
  const reasons = groupings.flatMap(({ data }) =>
    (data as AlertsGroupedData).joined.map(({ reason }) => reason),
  );
  for (const reason of ['opened', 'neighbour', 'repeat', 'place'])
    t.ok(reasons.includes(reason as never), reason);

  const changes: readonly ((data: AlertsGroupedData) => AlertsGroupedData)[] = [
    data => ({ ...data, joined: data.joined.map(one => ({ ...one, incidentId: 'inc-of-another' })) }),
    data => ({ ...data, joined: data.joined.map(one => ({ ...one, reason: 'replaced' })) }),
    data => ({ ...data, joined: data.joined.slice(1) }),
    data => ({ ...data, incidents: data.incidents.map(one => ({ ...one, criticity: 0.5 })) }),
    data => ({ ...data, incidents: [] }),
    data => ({ ...data, merged: [{ incidentId: 'a', into: 'b', alertId: 'c' }] }),
  ];
  const targets = groupings.filter(({ data }) => (data as AlertsGroupedData).joined.length > 0);
  // The quick loop makes each change at one grouping, the slow one at each.
  const places = amount({ quick: 1, slow: targets.length });
  for (const [index, change] of changes.entries())
    for (let n = 0; n < places; n += 1) {
      const target = targets[(index + n) % targets.length];
      const copy = forged(
        log,
        ({ id }) => id === target?.id,
        data => change(data as never) as never,
      );
      const { findings } = await decidedBy(pool, copy);
      t.ok(
        findings.some(({ id, detail }) => id === target?.id && /AlertsGrouped does not follow/.test(detail)),
        `${target?.id}: ${String(change)}`,
      );
    }

  // The first rules gave an alert the present labels: they tear the incident of two sources.
  const older = forged(
    log,
    ({ id }) => id === groupings.at(-1)?.id,
    ({ rules, ...data }) => data,
  );
  t.match((await decidedBy(pool, older)).findings, exactList({ id: groupings.at(-1)?.id }));

  const [first] = groupings;
  const unreadable = forged(
    log,
    ({ id }) => id === first?.id,
    data => ({ ...data, incidents: null }),
  );
  const { findings, reasons: undecided } = await decidedBy(pool, unreadable);
  t.match(findings, exactList({ id: first?.id, detail: /^it cannot be replayed: / }));
  const because = 'an earlier event cannot be replayed';
  t.match(undecided, exactList({ because, count: groupings.length - 1 }));
});
