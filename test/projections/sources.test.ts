import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { dayOf, factsOf, id, instant } from '../helpers/data/samples.js';
import { exactList } from '../helpers/exactList.js';
import { handWritten } from '../helpers/data/tables.js';
import {
  through,
  holding,
  created,
  calendar,
  resetWith,
  replaced,
  imported,
  lived,
  learnedRest,
} from '../helpers/data/sourceHistory.js';

t.test('a name of an earlier build is taken for all names that look the same', async t => {
  const { events, add } = lived();
  add('source-1', {
    type: 'SourceDescribed',
    data: { name: 'Cafe\u0301 ', labels: {}, place: null, expectedInterval: null, requestId: id(170) },
  });
  const { sources } = holding(events).models;
  t.equal(sources.named('default', 'Caf\u00e9'), 1);
  t.equal(sources.named('default', 'Cafe'), undefined);
  const listed = sources.keys({
    tenant: 'default',
    labels: [],
    text: 'caf\u00e9',
    sort: 'id',
    isDescending: false,
    limit: 9,
  });
  t.match(listed, exactList({ id: 1 }));
});

t.test('sources: the record after each event', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const now = () => {
    const last = events.slice(Number(models.checkpoint('readModels').position));
    models.apply(last, through(events));
    return models.sources.one(1, '9999-12-31');
  };
  const { tenant, sourceId: _, ...facts } = factsOf(1);
  t.strictSame(now(), {
    id: 1,
    ...facts,
    ...{ labels: {}, place: null, expectedInterval: null, explainedBy: [], unit: null },
    ...{ lateness: 'PT15M', feed: null, minChange: null },
    timeZone: 'UTC',
    calendarOrigin: null,
    calendarEvidence: null,
    calendarGiven: null,
    collects: false,
    analysis: {
      status: 'completed',
      completedAt: instant(5),
      ...learnedRest,
      modelsVersion: 1,
      modelCount: 2,
      usedDays: 7,
    },
    modelsOrigin: 'automatic',
    modelsVersion: 1,
    counts: { referenceDays: 3, recentDays: 2, models: 2, unprocessedAlerts: 1 },
    // The recent days are of March: they are in the future of their import.
    lastData: { date: '2023-12-31', importedAt: instant(6) },
    createdAt: instant(4),
    archivedAt: null,
    relearnProposed: null,
    relearnedFrom: null,
    relearnedAs: null,
    version: 1,
    tenant,
    pendingRequestId: null,
    pendingPosition: null,
  });
  t.equal(models.sources.one(2, '9999-12-31'), undefined);
  t.equal(models.sources.pendingCount(), 0);

  add('source-1', { type: 'ModelsResetRequested', data: { requestId: id(160), modelCount: 3, seed: 1 } });
  t.match(now(), {
    analysis: { status: 'pending', modelCount: 3, requestedAt: instant(9) },
    pendingRequestId: id(160),
    pendingPosition: Number(events.at(-1)?.position),
    modelsVersion: 1,
    modelsOrigin: 'automatic',
    counts: { models: 2 },
    version: 2,
  });
  t.equal(models.sources.pendingCount(), 1);

  add('source-1', { type: 'AnalysisFailed', data: { requestId: id(160), code: 'c', detail: 'why' } });
  t.strictSame(now()?.analysis, {
    status: 'failed',
    failedAt: instant(10),
    requestId: id(160),
    code: 'c',
    detail: 'why',
  });
  t.match(now(), { pendingRequestId: null, modelsVersion: 1, version: 3 });

  add('source-1', replaced(2, 3));
  t.strictSame(now()?.analysis, { status: 'completed', completedAt: instant(11), modelsVersion: 2 });
  t.match(now(), { modelsOrigin: 'custom', modelsVersion: 2, counts: { models: 1 }, version: 4 });

  add('source-1', {
    type: 'ModelAnomalyChanged',
    data: { requestId: id(161), engine: 'e/1', modelsVersion: 3, modelId: 3, anomaly: true },
  });
  t.match(now(), { modelsOrigin: 'custom', modelsVersion: 3, counts: { models: 1 }, version: 5 });

  add('source-1', { type: 'DayPlanned', data: { requestId: id(161), date: '2024-03-05', modelId: 3 } });
  t.equal(now()?.version, 6, 'the version is the revision of the last event of any type');
  add('alerts-1', { type: 'AlertAcknowledged', data: { alertId: '1-20240305-1', date: '2024-03-05' } });
  t.match(now(), { version: 6, counts: { unprocessedAlerts: 1 } });
  add('alerts-1', {
    type: 'AlertResolved',
    data: { alertId: '1-20240305-1', date: '2024-03-05', verdict: 'anomaly', comment: null },
  });
  t.equal(now()?.counts.unprocessedAlerts, 0);
  db.close();
});

t.test('sources: a day that is taken back is no last data any more, however the log is cut', async t => {
  const { events, add } = handWritten();
  const takeBack = (date: string) =>
    add('days-1', { type: 'DayTakenBack', data: { sourceId: 1, date, importId: id(202), reason: null } });
  add('source-1', created(1));
  add(
    'days-1',
    imported(
      id(202),
      'recent',
      ['2024-01-02', '2024-01-03', '2024-01-04'].map(date => dayOf(date)),
    ),
  );
  takeBack('2024-01-04');
  takeBack('2024-01-02');
  add('days-1', imported(id(203), 'recent', [dayOf('2024-01-01')]));
  for (const cuts of [[], [2], [3], [2, 3, 4]]) {
    const { db, models } = holding([]);
    [...cuts, events.length].forEach((to, part) =>
      models.apply(events.slice(cuts[part - 1] ?? 0, to), through(events.slice(0, to))),
    );
    t.match(
      models.sources.one(1, '9999-12-31')?.lastData,
      { date: '2024-01-03', importedAt: instant(5) },
      `cut at ${cuts.join()}`,
    );
    db.close();
  }
});

t.test('sources: without any day the last data are those of the creation', t => {
  const { events, add } = handWritten();
  add('source-1', created(1));
  add('days-1', imported(id(202), 'recent', [dayOf('2024-01-02')]));
  add('days-1', {
    type: 'DayTakenBack',
    data: { sourceId: 1, date: '2024-01-02', importId: id(202), reason: null },
  });
  const { db, models } = holding(events);
  t.equal(models.sources.one(1, '9999-12-31')?.lastData.date, factsOf(1).reference.to);
  db.close();
  t.end();
});

t.test(
  'sources: a source that collects has the last date of its data, also when it is before its creation',
  t => {
    const { events, add } = handWritten();
    const to = '2024-03-01';
    const reference = { from: to, to, days: 0, completeDays: 0, completeness: 0 };
    const facts = { ...factsOf(1), reference, collects: true } as const;
    add('source-1', { type: 'SourceCreated', data: { ...facts, requestId: id(101), seed: 7 } });
    const last = (): string | undefined => {
      const { db, models } = holding(events);
      const date = models.sources.one(1, '9999-12-31')?.lastData.date;
      db.close();
      return date;
    };
    t.equal(last(), to, 'without data that of its creation');
    add('days-1', imported(id(202), 'recent', [dayOf('2023-11-30')]));
    t.equal(last(), '2023-11-30');
    add('days-1', {
      type: 'DayTakenBack',
      data: { sourceId: 1, date: '2023-11-30', importId: id(202), reason: null },
    });
    t.equal(last(), to);
    add('days-1', imported(id(203), 'recent', [dayOf('2023-11-29')]));
    t.equal(last(), '2023-11-29');
    t.end();
  },
);

t.test(
  'sources: readings of a register that are far apart are data, dates that change with others are not',
  t => {
    const { events, add } = handWritten();
    add('source-1', created(1));
    const rule = { activitySize: 4, interpolates: false } as const;
    add('days-1', {
      type: 'PointsImported',
      data: {
        ...{ sourceId: 1, importId: id(202), rule, points: 2 },
        days: [
          { date: '2024-01-02', observed: [], filled: [[0, [1, 1, 1, 1]]] },
          { date: '2024-01-03', observed: [] },
        ],
      },
    });
    const { db, models } = holding(events);
    t.match(models.sources.one(1, '9999-12-31')?.lastData, { date: '2024-01-02' });
    db.close();
    t.end();
  },
);

t.test('sources: an inferred calendar is reported until an analysis finds none', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const now = () => {
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
    return models.sources.one(1, '9999-12-31');
  };
  const none = { calendar: null, calendarOrigin: null, calendarEvidence: null, calendarGiven: null };
  const inferred = { calendar: 'FR', calendarOrigin: 'inferred', calendarEvidence: 'all of them' };
  t.match(now(), none);
  add('source-1', resetWith(2, 3, calendar));
  t.match(now(), { ...inferred, calendarGiven: null });
  add('source-1', replaced(3, 5));
  t.match(now(), inferred, 'replaced models keep the calendar');
  add('source-1', resetWith(4, 6, null));
  t.match(now(), none);
  const given = created(3);
  if (given.type !== 'SourceCreated') throw new Error('unknown source');
  add('source-3', { ...given, data: { ...given.data, calendar: 'DE-NW' } });
  now();
  t.match(models.sources.one(3, '9999-12-31'), {
    ...{ calendar: 'DE-NW', calendarOrigin: 'given', calendarEvidence: null, calendarGiven: 'DE-NW' },
    collects: false,
  });
  db.close();
});

t.test('models: a change of one model leaves the others as they were', async t => {
  const { events, add } = lived();
  add('source-1', resetWith(2, 3, null));
  const before = holding(events);
  const [first, second] = before.models.typicalDays.list(1);
  const change = { requestId: id(170), modelId: 4 };
  add('source-1', { type: 'ModelDescribed', data: { ...change, name: 'Sunday', color: '#000000' } });
  const marked = { ...change, engine: 'test 1', modelsVersion: 2, anomaly: true };
  add('source-1', { type: 'ModelAnomalyChanged', data: marked });
  const after = holding(events);
  t.strictSame(after.models.typicalDays.list(1), [
    first,
    { ...second, name: 'Sunday', color: '#000000', anomaly: true },
  ]);
  const assignments = [4, 4, 3].map((modelId, day) => ({ date: `2023-01-0${2 + day}`, modelId }));
  add('source-1', { type: 'ModelAnomalyChanged', data: { ...marked, anomaly: false, assignments } });
  const assigned = holding(events);
  t.strictSame(
    assigned.models.typicalDays.list(1).map(({ id, days, anomaly }) => ({ id, days, anomaly })),
    [
      { id: 3, days: 1, anomaly: false },
      { id: 4, days: 2, anomaly: false },
    ],
  );
  for (const { db } of [before, after, assigned]) db.close();
});

t.test('sources: pages contain the sources of one tenant', async t => {
  const { events, add } = handWritten();
  for (let n = 1; n <= 7; n += 1) add(`source-${n}`, created(n, n % 2 === 0 ? 'north' : 'default'));
  const { db, models } = holding(events);
  const ids = (tenant: string, after: number, limit: number) =>
    models.sources.keys({ tenant, after: { key: after, id: after }, limit }).map(({ id }) => id);
  t.strictSame(ids('default', 0, 10), [1, 3, 5, 7]);
  t.strictSame(ids('default', 0, 3), [1, 3, 5]);
  t.strictSame(ids('default', 5, 3), [7]);
  t.strictSame(ids('north', 0, 10), [2, 4, 6]);
  t.strictSame(ids('north', 3, 1), [4]);
  t.strictSame(ids('nobody', 0, 10), []);
  t.equal(models.sources.pendingCount(), 7, 'all sources await their first analysis');
  t.match(models.sources.one(1, '9999-12-31'), {
    analysis: { status: 'pending', requestedAt: instant(1) },
    modelsOrigin: null,
    modelsVersion: 0,
    pendingRequestId: id(101),
    version: 0,
  });
  db.close();
});

t.test('sources: a reason to learn again follows from the checks of the days', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const first = dayNumber('2024-03-10');
  const dates = Array.from({ length: 30 }, (_, index) => dateOf(first + index));
  add(
    'days-1',
    imported(
      id(301),
      'recent',
      dates.map(date => dayOf(date)),
    ),
  );
  const check = (cause: number, units: (index: number) => number, outcome: 'normal' | 'drift') =>
    add('alerts-1', {
      type: 'DaysChecked',
      data: {
        cause: { id: id(cause), type: 'DaysImported' },
        ...{ part: 1, last: true, modelsVersion: 1 },
        days: dates.map((date, index) => ({
          ...{ date, importId: id(301), dayDigest: 'c', plannedModelId: 1, outcome, standing: [] },
          adaptation: { units: units(index), counted: null },
        })),
      },
    });
  const proposed = () => {
    const last = events.slice(Number(models.checkpoint('readModels').position));
    models.apply(last, through(events));
    return models.sources.one(1, '9999-12-31')?.relearnProposed;
  };
  check(302, () => 1385, 'normal');
  t.equal(proposed(), null);
  check(303, () => 0, 'drift');
  t.match(proposed(), { reason: 'drift', since: '2024-03-10', possible: false });
  check(304, index => (index === 20 ? 1385 : 1386), 'normal');
  t.match(proposed(), { reason: 'limitsAtMaximum', since: '2024-03-31' });
  check(305, index => (index === 29 ? 1385 : 1386), 'normal');
  t.equal(proposed(), null, 'the factor came down');
  const stray = ['1970-01-01', '2031-01-01'].map(date => dayOf(date));
  add('days-1', imported(id(306), 'recent', stray));
  check(307, () => 0, 'drift');
  const sentence = / when a year of recent days is there, on 2025-03-03\.$/;
  t.match(
    proposed(),
    { reason: 'drift', sentence, possible: false },
    'days of a wrong clock are none of the year',
  );
  db.close();
});

t.test('earlier models that are set again are a version, and no end of an analysis', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const before = models.messageCauses.after('default', 0n, 100).filter(({ type }) => type === 'ModelsReset');
  const set = resetWith(9, 1, calendar);
  if (set.type !== 'ModelsReset') throw new Error('no models');
  const last = models.sources.one(1, '9999-12-31')?.modelsVersion ?? 0;
  add('source-1', { ...set, data: { ...set.data, modelsVersion: last + 1, restoredFrom: 1 } });
  models.apply(events.slice(-1), through(events));
  const after = models.messageCauses.after('default', 0n, 100).filter(({ type }) => type === 'ModelsReset');
  t.ok(before.length > 0);
  t.equal(after.length, before.length);
  t.match(models.typicalDays.versions(1, Infinity, 1)[0], {
    modelsVersion: last + 1,
    cause: 'restore',
    restoredFrom: 1,
  });
  const marked = { requestId: id(171), engine: 'test 1', modelId: 1, anomaly: true };
  add('source-1', { type: 'ModelAnomalyChanged', data: { ...marked, modelsVersion: last + 2 } });
  models.apply(events.slice(-1), through(events));
  const [newest, second] = models.typicalDays.versions(1, Infinity, 2);
  const changed = { modelsVersion: last + 2, cause: 'anomaly', restoredFrom: null };
  t.strictSame(newest, { ...second, ...changed, at: newest?.at, by: newest?.by }, 'the rest is the same');
  t.equal(newest?.at, events.at(-1)?.at);
  db.close();
});
