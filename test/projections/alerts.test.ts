import t from 'tap';
import { type AlertState } from '../../domain/alerts.js';
import type { AlertFilter, AlertRecord } from '../../projections/alerts.js';
import { findingOf, id, instant } from '../helpers/samples.js';
import { through, holding, lived, alertDate, manyAlerts, everything } from '../helpers/sourceHistory.js';

t.test('alerts: a record and its history through its life', async t => {
  const { events, add, importEvent } = lived();
  const { db, models } = holding(events);
  const alertId = '1-20240305-1';
  const data = { alertId, date: '2024-03-05' };
  const now = () => {
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
    return models.alerts.one(alertId);
  };
  const first: AlertRecord = {
    id: alertId,
    sourceId: 1,
    date: '2024-03-05',
    state: 'open',
    ...findingOf(1),
    modelsVersion: 1,
    importId: id(202),
    verdict: null,
    comment: null,
    raisedAt: instant(8),
    updatedAt: instant(8),
  };
  t.strictSame(now(), first);
  t.equal(models.alerts.one('1-20240305-2'), undefined);
  add('alerts-1', { type: 'AlertAcknowledged', data }, 'bo', id(7001));
  t.strictSame(now(), { ...first, state: 'acknowledged', updatedAt: instant(9) });
  add(
    'alerts-1',
    { type: 'AlertResolved', data: { ...data, verdict: 'newPattern', comment: 'ab heute' } },
    'cy',
    id(7002),
  );
  t.strictSame(now(), {
    ...first,
    state: 'resolved',
    verdict: 'newPattern',
    comment: 'ab heute',
    updatedAt: instant(10),
  });
  add('alerts-1', { type: 'AlertReopened', data }, 'bo', id(7003));
  t.strictSame(now(), { ...first, updatedAt: instant(11) }, 'open again, without the verdict');
  add(
    'alerts-1',
    { type: 'AlertInvalidated', data: { ...data, reason: 'ModelsReset' } },
    'reactor',
    id(7004),
  );
  t.strictSame(now(), { ...first, state: 'invalidated', updatedAt: instant(12) });

  const step = (position: number, type: string, by: string, cause: string, detail: object = {}) => ({
    type,
    at: instant(position),
    by,
    ...detail,
    cause,
    eventId: id(position),
  });
  t.strictSame(models.alerts.history(alertId), [
    step(8, 'AlertRaised', 'reactor', importEvent),
    step(9, 'AlertAcknowledged', 'bo', id(7001)),
    step(10, 'AlertResolved', 'cy', id(7002), { verdict: 'newPattern', comment: 'ab heute' }),
    step(11, 'AlertReopened', 'bo', id(7003)),
    step(12, 'AlertInvalidated', 'reactor', id(7004), { reason: 'ModelsReset' }),
  ]);
  t.strictSame(models.alerts.history('1-20240305-2'), []);
  t.strictSame(
    models.alerts.causedBy(importEvent, 'AlertRaised', 9).first.map(alert => [alert.id, alert.state]),
    [[alertId, 'invalidated']],
    'as it stands now',
  );
  t.strictSame(models.alerts.causedBy(importEvent, 'AlertInvalidated', 9), { first: [], count: 0 });
  t.strictSame(models.alerts.causedBy(importEvent, 'AlertRaised', 0), { first: [], count: 1 });
  t.strictSame(
    models.alerts.causedBy(id(7004), 'AlertInvalidated', 9).first.map(alert => alert.id),
    [alertId],
  );
  db.close();
});

t.test('alerts: lists keep to their filter, in order of date and id', async t => {
  const { db, models } = manyAlerts();
  const ids = (filter: Partial<AlertFilter>) =>
    models.alerts.page({ ...everything, ...filter }).map(({ id }) => id);
  const all = ids({});
  t.equal(all.length, 16);
  t.strictSame(all.slice(0, 5), [
    '1-20240229-1',
    '1-20240229-2',
    '2-20240229-1',
    '2-20240229-2',
    '1-20240305-1',
  ]);
  t.equal(ids({ tenant: 'north' }).length, 8);
  t.ok(ids({ tenant: 'north' }).every(id => id.startsWith('3-')));
  t.strictSame(ids({ tenant: 'nobody' }), []);
  t.strictSame(
    ids({ sourceId: 2 }),
    all.filter(id => id.startsWith('2-')),
  );
  t.strictSame(ids({ sourceId: 3 }), [], 'of another tenant');
  t.strictSame(
    ids({ from: '2024-03-06' }),
    all.filter(id => alertDate(id) >= '2024-03-06'),
  );
  t.strictSame(
    ids({ to: '2024-03-06' }),
    all.filter(id => alertDate(id) < '2024-03-06'),
  );
  t.strictSame(
    ids({ from: '2024-03-05', to: '2024-03-06' }),
    all.filter(id => alertDate(id) === '2024-03-05'),
  );
  const of = (...states: readonly AlertState[]) => ids({ states });
  t.strictSame(
    of('resolved'),
    all.filter(id => id.endsWith('-1')),
  );
  t.strictSame(
    of('open'),
    all.filter(id => id.endsWith('-2')),
  );
  t.strictSame(of('open', 'resolved'), all);
  t.strictSame(of('acknowledged', 'invalidated'), []);
  t.strictSame(ids({ limit: 3 }), all.slice(0, 3));
  t.strictSame(ids({ sourceId: 1, from: '2024-03-01', states: ['open'], limit: 2 }), [
    '1-20240305-2',
    '1-20240306-2',
  ]);
  db.close();
});

t.test('alerts: pages one after the other are the whole', async t => {
  const { db, models } = manyAlerts();
  const all = models.alerts.page(everything);
  for (const limit of [1, 3, 4, 16, 50]) {
    const pages: AlertRecord[][] = [];
    for (let after: AlertFilter['after']; ;) {
      const page = models.alerts.page({ ...everything, limit, after });
      const last = page.at(-1);
      if (!last) break;
      pages.push(page);
      after = { date: last.date, id: last.id };
    }
    t.strictSame(pages.flat(), all, `by ${limit}`);
    t.equal(pages.length, Math.ceil(16 / limit));
  }
  db.close();
});
