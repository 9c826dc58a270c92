import t from 'tap';
import type { AlertState } from '../../domain/alerts/alertsState.js';
import {
  alertPages,
  alertSorts,
  noSeverity,
  type AlertFilter,
  type AlertRecord,
} from '../../projections/alertPages.js';
import { findingOf, id, instant } from '../helpers/data/samples.js';
import {
  through,
  holding,
  lived,
  alertDate,
  created,
  manyAlerts,
  raised,
  everything,
  replaced,
} from '../helpers/data/sourceHistory.js';
import { handWritten } from '../helpers/data/tables.js';

t.test('alerts: record and history after each transition', async t => {
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
    incidentId: null,
    ...findingOf(1),
    // An event without facts: they are derived from the day and the model.
    sentence: '3 times the planned model from 06:00 to 18:00',
    sentences: { fr: '3 fois le modèle prévu de 06:00 à 18:00' },
    slices: [{ from: 1, to: 3, direction: 'over', excess: 2.5, fromTime: '06:00', toTime: '18:00' }],
    deviation: {
      ...{ from: 1, to: 3, fromTime: '06:00', toTime: '18:00', slices: 2, aggregation: 'mean' },
      ...{ actual: 30, expected: 10, absolute: 20, percent: 200, comparedWith: 'model', others: 0 },
    },
    brokenLimits: [],
    completeness: null,
    gap: null,
    flatline: null,
    silence: null,
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
    'the present state',
  );
  t.strictSame(models.alerts.causedBy(importEvent, 'AlertInvalidated', 9), { first: [], count: 0 });
  t.strictSame(models.alerts.causedBy(importEvent, 'AlertRaised', 0), { first: [], count: 1 });
  t.strictSame(
    models.alerts.causedBy(id(7004), 'AlertInvalidated', 9).first.map(alert => alert.id),
    [alertId],
  );
  db.close();
});

t.test('alerts: lists are filtered, and ordered by date and id', async t => {
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
  const inStates = (...states: readonly AlertState[]) => ids({ states });
  t.strictSame(
    inStates('resolved'),
    all.filter(id => id.endsWith('-1')),
  );
  t.strictSame(
    inStates('open'),
    all.filter(id => id.endsWith('-2')),
  );
  t.strictSame(inStates('open', 'resolved'), all);
  t.strictSame(inStates('acknowledged', 'invalidated'), []);
  t.strictSame(ids({ limit: 3 }), all.slice(0, 3));
  t.strictSame(ids({ sourceId: 1, from: '2024-03-01', states: ['open'], limit: 2 }), [
    '1-20240305-2',
    '1-20240306-2',
  ]);
  db.close();
});

/** Sort key of an alert in each order. */
const keyOf = (alert: AlertRecord, sort: AlertFilter['sort']): string | number =>
  ({
    ...{ date: alert.date, raised: alert.raisedAt, criticity: alert.criticity },
    severity: alert.severity ?? noSeverity,
  })[sort];

t.test('alerts: all pages together are the whole list, in every order', async t => {
  const { db, models } = manyAlerts();
  for (const sort of alertSorts)
    for (const descending of [false, true])
      for (const sourceId of [undefined, 1]) {
        const whole: AlertFilter = { ...everything, sort, descending, sourceId };
        const all = models.alerts.page(whole);
        const expected = [...all].sort((a, b) => {
          const [one, other] = [keyOf(a, sort), keyOf(b, sort)];
          const rank = one === other ? (a.id < b.id ? -1 : 1) : one < other ? -1 : 1;
          return descending ? -rank : rank;
        });
        t.strictSame(all, expected, `${sort} ${descending}`);
        for (const limit of [1, 3, 16]) {
          const pages: AlertRecord[][] = [];
          for (let after: AlertFilter['after']; ;) {
            const page = models.alerts.page({ ...whole, limit, after });
            const last = page.at(-1);
            if (!last) break;
            pages.push(page);
            after = { key: keyOf(last, sort), id: last.id };
          }
          t.strictSame(pages.flat(), all, `${sort} ${descending} by ${limit}`);
          t.equal(pages.length, Math.ceil(all.length / limit));
        }
      }
  db.close();
});

t.test('alerts: criticities of p-values are those of the last standing alert of a date', async t => {
  const { events, add } = handWritten();
  add('source-1', created(1, 'default'));
  const raise = (alertId: string, criticity: number, more: object = { limits: ['day'] }) =>
    add('alerts-1', { type: 'AlertRaised', data: { ...raised(alertId, criticity).data, ...more } });
  const data = (alertId: string) => ({ alertId, date: alertDate(alertId) });
  raise('1-20240305-1', 0.9);
  add('alerts-1', {
    type: 'AlertResolved',
    data: { ...data('1-20240305-1'), verdict: 'expected', comment: null },
  });
  raise('1-20240305-2', 0.6);
  raise('1-20240306-1', 0.7);
  raise('1-20240307-1', 0.8);
  add('alerts-1', { type: 'AlertInvalidated', data: { ...data('1-20240307-1'), reason: 'ModelsReset' } });
  raise('1-20240308-1', 0.95, {});
  raise('1-20240309-1', 0.95, { limits: [], kind: 'frozen' });
  raise('1-20240310-1', 0.5, { limits: ['slice'], kind: 'drift' });
  const { db, models } = holding(events);
  t.strictSame(models.alerts.testedCriticities(1), [0.6, 0.7, 0.5]);
  t.strictSame(models.alerts.testedCriticities(1, '2024-03-06', '2024-03-10'), [0.7]);
  t.strictSame(models.alerts.testedCriticities(2), []);
  t.strictSame(
    models.alerts.page({ ...everything, criticityFrom: 0.6 }).map(({ id }) => id),
    ['1-20240305-2', '1-20240306-1'],
    'and a list of them has no others',
  );
  db.close();
});

t.test(
  'alerts: the overview shows the unprocessed alert of a date, else the one that changed last',
  async t => {
    const { events, add } = lived();
    const resolve = (alertId: string) =>
      add('alerts-1', {
        type: 'AlertResolved',
        data: { alertId, date: alertDate(alertId), verdict: 'expected', comment: null },
      });
    const shown = () => {
      const { db, models } = holding(events);
      const { days } = models.overview.entry(1, '2024-03-05', '2024-03-06');
      db.close();
      return days[0]?.alert?.id;
    };
    const ids = Array.from({ length: 10 }, (_, index) => `1-20240305-${index + 2}`);
    for (const alertId of ids) {
      add('alerts-1', raised(alertId));
      resolve(alertId);
    }
    t.equal(shown(), '1-20240305-1');
    resolve('1-20240305-1');
    t.equal(shown(), '1-20240305-1');
    add('alerts-1', raised('1-20240305-12'));
    resolve('1-20240305-12');
    t.equal(shown(), '1-20240305-12');
  },
);

t.test('alerts: a page of a tenant is read from an index', async t => {
  const { db, models } = manyAlerts();
  models.alerts.page(everything);
  for (const [column, index] of [
    ['date', 'alerts_of_tenant'],
    ['raised_at', 'alerts_by_raising'],
    ['criticity', 'alerts_by_criticity'],
    ['severity', 'alerts_by_severity'],
  ] as const) {
    const date = column === 'date' ? 'date' : '+date';
    const plan = db
      .prepare<[], { detail: string }>(
        `explain query plan select * from alerts where tenant = 'default' and ${date} >= '' and ${date} < '~'
         and (${column}, id) < ('1', '1') and +tenant = 'default' and +state in (select value from json_each('[]'))
         order by ${column} desc, id desc limit 5`,
      )
      .all()
      .map(({ detail }) => detail);
    t.ok(
      plan.some(line => line.includes(index)),
      plan.join('; '),
    );
    t.notOk(
      plan.some(line => line.includes('TEMP B-TREE FOR ORDER')),
      plan.join('; '),
    );
  }
  db.close();
});

t.test(
  'alerts: the tested alert of a date is found by the date, not among all revisions of the source',
  t => {
    const { db } = manyAlerts();
    const statements: string[] = [];
    const pages = alertPages(
      new Proxy(db, {
        get: (target, name) => (statement: string) => {
          if (name === 'prepare') statements.push(statement);
          return (Reflect.get(target, name) as (text: string) => unknown).call(target, statement);
        },
      }),
    );
    const filter = { ...everything, criticityFrom: 0.9 };
    pages.rows(filter);
    pages.keys(filter);
    pages.fitting(filter, ['1-20240305-1']);
    t.equal(statements.length, 3);
    for (const statement of statements) {
      const plan = db
        .prepare<[], { detail: string }>(`explain query plan ${statement.replaceAll(/\$\w+/g, '1')}`)
        .all()
        .map(({ detail }) => detail);
      t.ok(
        plan.includes('SEARCH tested USING INDEX alerts_by_date (source_id=? AND date=?)'),
        plan.join('; '),
      );
    }
    db.close();
    t.end();
  },
);

t.test('alerts: limits of a replaced model are kept while an alert refers to it', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const before = models.typicalDays.list(1);
  add('source-1', replaced(2, 3));
  models.apply(events.slice(-1), through(events));
  t.strictSame(
    models.typicalDays.one(1, 1),
    before.find(({ id }) => id === 1),
    'an alert refers to it',
  );
  t.equal(models.typicalDays.one(1, 2), undefined, 'no alert refers to it');
  t.equal(models.typicalDays.one(1, 3)?.id, 3);
  db.close();
});
