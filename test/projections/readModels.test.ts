import { system } from '../../adapters/environment.js';
import { join } from 'node:path';
import { Database } from '../../adapters/sqlite/driver.js';
import fc from 'fast-check';
import t from 'tap';
import { growth } from '../../application/projecting/logTree.js';
import { projectionRunner } from '../../application/projecting/projectionRunner.js';
import { commandHandler, type CommandMetadata } from '../../application/commandHandler.js';
import { fits, openReadModels } from '../../adapters/composition/openLog.js';
import { memoryStore } from '../../adapters/memory/memoryStore.js';
import {
  alerts,
  alertStates,
  type AlertsCommand,
  type AlertState,
  type CheckCause,
} from '../../domain/alerts.js';
import { catalog } from '../../domain/catalog.js';
import { days, type DayKind, type DaysEvent } from '../../domain/days.js';
import type { Calendar } from '../../domain/calendar.js';
import { dateOf, datesOfYear, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import { decode, streams, type KnownEvent } from '../../domain/events.js';
import type { CheckFacts } from '../../domain/models.js';
import { Rejection } from '../../domain/rejection.js';
import { source, type SourceCommand, type SourceEvent } from '../../domain/source.js';
import { alertsModel, type AlertFilter, type AlertRecord } from '../../projections/alerts.js';
import { daysModel } from '../../projections/days.js';
import { modelsModel } from '../../projections/models.js';
import { peopleModel } from '../../projections/people.js';
import { planningModel } from '../../projections/planning.js';
import { readModels, type ReadModels } from '../../projections/readModels.js';
import { sourcesModel } from '../../projections/sources.js';
import { dayOf, draft, factsOf, findingOf, id, instant, learnedOf } from '../helpers/samples.js';
import { listed, proposed } from '../helpers/storeContract.js';
import { dumpedTables, handWritten } from '../helpers/tables.js';

const through = (events: readonly KnownEvent[]) =>
  events.at(-1) ?? { position: 0n, id: '', stream: '', revision: 0 };

/** The end of a batch without known events, at a revision of the catalog. */
const passedBy = (position: bigint, n: number) => ({
  position,
  id: id(n),
  stream: 'catalog',
  revision: Number(position) - 1,
});
/** The checkpoint that it leaves. */
const reached = (position: bigint, n: number) => {
  const { position: at, ...event } = passedBy(position, n);
  return { position: at, event };
};

/** Read models in memory that hold these events, and what takes more of them. */
const holding = (events: readonly KnownEvent[]): { readonly db: Database; readonly models: ReadModels } => {
  const db = new Database(':memory:');
  const models = readModels(db);
  models.apply(events, through(events));
  return { db, models };
};

// A history by hand

const created = (sourceId: number, tenant = 'default'): SourceEvent => ({
  type: 'SourceCreated',
  data: { ...factsOf(sourceId), tenant, requestId: id(100 + sourceId), seed: 7 },
});
const checks: CheckFacts = { scores: [0.5, 1.25], longestRun: 3, minimum: -2 };
const {
  models: learnedModels,
  assignments: learnedAssignments,
  checks: _checks,
  ...learnedRest
} = learnedOf(2);
const reset = (modelsVersion: number, firstId: number): SourceEvent => ({
  type: 'ModelsReset',
  data: {
    ...learnedRest,
    checks,
    requestId: id(101),
    modelsVersion,
    models: learnedModels.map((model, index) => ({ ...model, id: firstId + index })),
    assignments: learnedAssignments.map(({ date, model }) => ({ date, modelId: firstId + model })),
  },
});
const calendar: Calendar = {
  code: 'FR',
  origin: 'inferred',
  evidence: 'all of them',
  library: 'days 1.0.0',
  holidays: [
    { date: '2023-01-02', name: 'Holiday' },
    { date: '2024-05-09', name: 'Ascension Day' },
  ],
};
/** The same, learned with a calendar. */
const resetWith = (modelsVersion: number, firstId: number, of: Calendar | null): SourceEvent => {
  const event = reset(modelsVersion, firstId);
  return event.type === 'ModelsReset' ? { ...event, data: { ...event.data, calendar: of } } : event;
};
const replaced = (modelsVersion: number, firstId: number): SourceEvent => ({
  type: 'ModelsReplaced',
  data: {
    requestId: id(150),
    modelsVersion,
    models: [{ ...draft('Montag „früh“', 10), id: firstId, days: 1 }],
    assignments: [{ date: '2023-01-02', modelId: firstId }],
  },
});
const imported = (
  importId: string,
  kind: DayKind,
  of: readonly Day[],
  part = 1,
  parts = 1,
  sourceId = 1,
): DaysEvent => ({
  type: 'DaysImported',
  data: {
    sourceId,
    importId,
    kind,
    part,
    parts,
    days: of,
    ...(part === parts ? { summary: { ...summary, days: of.length } } : {}),
  },
});
const summary = {
  lines: 9,
  days: 0,
  missingSamples: 1,
  filledSamples: 2,
  duplicates: 3,
  warnings: [{ code: 'duplicate', detail: 'line 3 repeats line 2' }],
};

/** Source 1 of the default tenant, with reference days, learned models and a checked import with one alert. */
const lived = () => {
  const log = handWritten();
  const { add } = log;
  add('catalog', { type: 'SourceIdReserved', data: { sourceId: 1, requestId: id(101) } });
  add('days-1', imported(id(201), 'reference', [dayOf('2023-01-01'), dayOf('2023-01-02')], 1, 2));
  add('days-1', imported(id(201), 'reference', [dayOf('2023-01-03')], 2, 2));
  add('source-1', created(1));
  add('source-1', reset(1, 1), 'reactor');
  const importEvent = add(
    'days-1',
    imported(id(202), 'recent', [dayOf('2024-03-04'), dayOf('2024-03-05', 30)]),
  );
  const cause: CheckCause = { id: importEvent, type: 'DaysImported' };
  add(
    'alerts-1',
    {
      type: 'DaysChecked',
      data: {
        cause,
        part: 1,
        last: true,
        modelsVersion: 1,
        days: [
          {
            date: '2024-03-04',
            importId: id(202),
            dayDigest: 'a',
            plannedModelId: 2,
            outcome: 'normal',
            standing: [],
          },
          {
            date: '2024-03-05',
            importId: id(202),
            dayDigest: 'b',
            plannedModelId: 1,
            outcome: 'abnormal',
            standing: [],
          },
        ],
      },
    },
    'reactor',
    importEvent,
  );
  add('alerts-1', raised('1-20240305-1'), 'reactor', importEvent);
  return { ...log, importEvent };
};
const alertDate = (alertId: string): string => alertId.replace(/^\d+-(\d{4})(\d\d)(\d\d)-\d+$/, '$1-$2-$3');
const raised = (alertId: string) =>
  ({
    type: 'AlertRaised',
    data: {
      ...findingOf(1),
      alertId,
      date: alertDate(alertId),
      importId: id(202),
      dayDigest: 'b',
      modelsVersion: 1,
    },
  }) as const;

t.test('sources: a record from each event', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const now = () => {
    const last = events.slice(Number(models.checkpoint('readModels').position));
    models.apply(last, through(events));
    return models.sources.one(1);
  };
  const { tenant, sourceId: _, ...facts } = factsOf(1);
  t.strictSame(now(), {
    id: 1,
    ...facts,
    timeZone: 'UTC',
    calendarOrigin: null,
    calendarEvidence: null,
    calendarGiven: null,
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
    createdAt: instant(4),
    version: 1,
    tenant,
    pendingRequestId: null,
    pendingPosition: null,
  });
  t.equal(models.sources.one(2), undefined);
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

  add('source-1', { type: 'DayPlanned', data: { requestId: id(161), date: '2024-03-05', modelId: 3 } });
  t.equal(now()?.version, 5, 'the version is the revision, whatever the event');
  add('alerts-1', { type: 'AlertAcknowledged', data: { alertId: '1-20240305-1', date: '2024-03-05' } });
  t.match(now(), { version: 5, counts: { unprocessedAlerts: 1 } });
  add('alerts-1', {
    type: 'AlertResolved',
    data: { alertId: '1-20240305-1', date: '2024-03-05', verdict: 'anomaly', comment: null },
  });
  t.equal(now()?.counts.unprocessedAlerts, 0);
  db.close();
});

t.test('sources: a calendar that was inferred is told until another analysis finds none', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const now = () => {
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
    return models.sources.one(1);
  };
  const none = { calendar: null, calendarOrigin: null, calendarEvidence: null, calendarGiven: null };
  const inferred = { calendar: 'FR', calendarOrigin: 'inferred', calendarEvidence: 'all of them' };
  t.match(now(), none);
  add('source-1', resetWith(2, 3, calendar));
  t.match(now(), { ...inferred, calendarGiven: null });
  add('source-1', replaced(3, 5));
  t.match(now(), inferred, 'it stays when people replace the models');
  add('source-1', resetWith(4, 6, null));
  t.match(now(), none);
  const given = created(3);
  if (given.type !== 'SourceCreated') throw new Error('no source');
  add('source-3', { ...given, data: { ...given.data, calendar: 'DE-NW' } });
  now();
  t.match(models.sources.one(3), {
    ...{ calendar: 'DE-NW', calendarOrigin: 'given', calendarEvidence: null, calendarGiven: 'DE-NW' },
  });
  db.close();
});

t.test('sources: each tenant sees its own, page by page', async t => {
  const { events, add } = handWritten();
  for (let n = 1; n <= 7; n += 1) add(`source-${n}`, created(n, n % 2 === 0 ? 'north' : 'default'));
  const { db, models } = holding(events);
  const ids = (tenant: string, after: number, limit: number) =>
    models.sources.page(tenant, after, limit).map(record => record.id);
  t.strictSame(ids('default', 0, 10), [1, 3, 5, 7]);
  t.strictSame(ids('default', 0, 3), [1, 3, 5]);
  t.strictSame(ids('default', 5, 3), [7]);
  t.strictSame(ids('north', 0, 10), [2, 4, 6]);
  t.strictSame(ids('north', 3, 1), [4]);
  t.strictSame(ids('nobody', 0, 10), []);
  t.equal(models.sources.pendingCount(), 7, 'all await their first analysis');
  t.match(models.sources.one(1), {
    analysis: { status: 'pending', requestedAt: instant(1) },
    modelsOrigin: null,
    modelsVersion: 0,
    pendingRequestId: id(101),
    version: 0,
  });
  db.close();
});

t.test('days: what stands, and what the last check said of it', async t => {
  const { events, add, importEvent } = lived();
  const { db, models } = holding(events);
  const take = () =>
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
  const stored = (date: string, level: number, check: unknown) => ({
    ...dayOf(date, level),
    kind: 'recent',
    completeness: 1,
    importId: id(202),
    importedAt: instant(6),
    check,
  });
  const checkedAt = instant(7);
  const monday = stored('2024-03-04', 10, {
    outcome: 'normal',
    plannedModelId: 2,
    modelsVersion: 1,
    checkedAt,
  });
  const tuesday = stored('2024-03-05', 30, {
    outcome: 'abnormal',
    plannedModelId: 1,
    modelsVersion: 1,
    checkedAt,
  });
  t.strictSame(models.days.between(1, 'recent', '2024-03-04', '2024-03-06'), [monday, tuesday]);
  t.strictSame(models.days.between(1, 'recent', '2024-03-04', '2024-03-05'), [monday], 'to is exclusive');
  t.strictSame(models.days.between(1, 'recent', '2024-03-05', '2024-03-06'), [tuesday], 'from is inclusive');
  t.strictSame(models.days.between(1, 'reference', '2024-01-01', '2025-01-01'), []);
  t.strictSame(models.days.between(2, 'recent', '0001-01-01', '9999-12-31'), []);
  t.strictSame(
    models.days.reference(1).map(({ date, check, kind }) => ({ date, check, kind })),
    ['01', '02', '03'].map(day => ({ date: `2023-01-${day}`, check: null, kind: 'reference' })),
  );
  t.strictSame(models.days.recent(1, '2024-03-05'), tuesday);
  t.equal(models.days.recent(1, '2023-01-01'), undefined, 'a reference day is none');
  t.strictSame(models.days.recentDates(1), ['2024-03-04', '2024-03-05']);
  t.equal(models.days.lastDate(1), '2024-03-05');
  t.equal(models.days.lastDate(2), undefined);
  t.strictSame(models.days.ofImport(id(202)), [
    { date: '2024-03-04', completeness: 1 },
    { date: '2024-03-05', completeness: 1 },
  ]);
  t.strictSame(models.days.import(id(202)), {
    id: id(202),
    sourceId: 1,
    kind: 'recent',
    ...summary,
    days: 2,
    importedAt: instant(6),
    eventId: importEvent,
  });
  t.equal(models.days.import(id(299)), undefined);
  t.strictSame(models.days.check(importEvent), { parts: 1, complete: true });
  t.strictSame(models.days.check(id(999)), { parts: 0, complete: false });
  t.strictSame(models.days.checkedDays(importEvent), [
    { date: '2024-03-04', outcome: 'normal', plannedModelId: 2, standing: [] },
    { date: '2024-03-05', outcome: 'abnormal', plannedModelId: 1, standing: [] },
  ]);

  // A part of another import: nothing of it is seen until its last.
  const gappy: Day = { date: '2024-03-05', activity: [0, 1, 2, 3], gaps: [[0, 1]], filled: [[2, 4]] };
  add('days-1', imported(id(203), 'recent', [gappy], 1, 2));
  take();
  t.strictSame(models.days.recent(1, '2024-03-05'), tuesday, 'an unfinished import is not seen');
  t.equal(models.days.import(id(203)), undefined);
  t.strictSame(models.days.ofImport(id(203)), []);
  const last = add('days-1', imported(id(203), 'recent', [dayOf('2024-03-06')], 2, 2));
  take();
  t.strictSame(models.days.recent(1, '2024-03-05'), {
    ...gappy,
    kind: 'recent',
    completeness: 0.25,
    importId: id(203),
    importedAt: instant(10),
    check: null,
  });
  t.strictSame(
    models.days.ofImport(id(202)),
    [{ date: '2024-03-04', completeness: 1 }],
    'the other day of the first import stands',
  );
  t.equal(models.days.import(id(203))?.eventId, last);

  // A check that comes late, of the day as the first import brought it.
  const checked = (importId: string, part: number, isLast: boolean) =>
    add('alerts-1', {
      type: 'DaysChecked',
      data: {
        cause: { id: last, type: 'DaysImported' },
        part,
        last: isLast,
        modelsVersion: 1,
        days: [
          {
            date: part === 1 ? '2024-03-05' : '2024-03-06',
            importId,
            dayDigest: 'c',
            plannedModelId: null,
            outcome: 'notCompared',
            standing: ['1-20240305-1'],
          },
        ],
      },
    });
  checked(id(202), 1, false);
  take();
  t.equal(models.days.recent(1, '2024-03-05')?.check, null, 'it says nothing of what stands now');
  t.strictSame(models.days.check(last), { parts: 1, complete: false });
  checked(id(203), 2, true);
  take();
  t.strictSame(models.days.check(last), { parts: 2, complete: true });
  t.match(models.days.recent(1, '2024-03-06')?.check, { outcome: 'notCompared', plannedModelId: null });
  t.strictSame(
    models.days.checkedDays(last).map(({ date, standing }) => [date, standing]),
    [
      ['2024-03-05', ['1-20240305-1']],
      ['2024-03-06', ['1-20240305-1']],
    ],
  );
  t.strictSame(dumpedTables(db)['staged_days'], [], 'nothing is left over');
  db.close();
});

t.test('days: a date may be of the reference and recent, and of two sources', async t => {
  const { events, add } = handWritten();
  add('days-1', imported(id(301), 'reference', [dayOf('2023-05-01', 1)]));
  add('days-1', imported(id(302), 'recent', [dayOf('2023-05-01', 2)]));
  add('days-2', imported(id(303), 'recent', [dayOf('2023-05-01', 3)], 1, 1, 2));
  const { db, models } = holding(events);
  t.equal(models.days.reference(1)[0]?.activity[0], 1);
  t.equal(models.days.recent(1, '2023-05-01')?.activity[0], 2);
  t.equal(models.days.recent(2, '2023-05-01')?.activity[0], 3);
  t.strictSame(models.days.recentDates(2), ['2023-05-01']);
  db.close();
});

t.test('models: the present ones by their ids', async t => {
  const { events, add } = lived();
  const first = holding(events);
  t.strictSame(
    first.models.models.list(1),
    learnedModels.map((model, index) => ({ ...model, id: index + 1 })),
  );
  t.strictSame(first.models.models.list(2), []);
  add('source-1', replaced(2, 3));
  const then = holding(events);
  t.strictSame(then.models.models.list(1), [{ id: 3, ...draft('Montag „früh“', 10), days: 1 }]);
  first.db.close();
  then.db.close();
});

t.test('planning: automatic, by hand, taken back, and anew with new models', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const take = () =>
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
  const { planning } = models;
  t.strictSame(planning.day(2, '2024-03-04'), {
    date: '2024-03-04',
    modelId: null,
    origin: 'automatic',
    reason: 'the source has no models yet',
    share: null,
    alternatives: [],
    working: true,
    unseen: 1,
  });
  t.equal(planning.checks(2), null);
  t.strictSame(planning.checks(1), checks);
  t.equal(planning.setBy(2), undefined);
  t.equal(planning.setBy(1), id(5));
  // 1 January 2023, a Sunday, went to model 1, the next day to 2, and so on in turn.
  t.match(planning.day(1, '2024-01-07'), {
    modelId: 1,
    origin: 'automatic',
    reason: /Sundays round Jan follow "model 0"/,
  });
  t.match(planning.day(1, '2024-01-08'), { modelId: 2, origin: 'automatic' });
  t.strictSame(
    [...planning.assignments(1)],
    learnedAssignments.map(({ date, model }) => [date, model + 1]),
  );
  t.equal(planning.assignments(2).size, 0);
  const year = planning.year(1, 2024);
  t.strictSame(
    year.map(({ date }) => date),
    datesOfYear(2024),
  );
  t.strictSame(year[7], planning.day(1, '2024-01-08'));

  const plan = (date: string, modelId: number, by: string) =>
    add('source-1', { type: 'DayPlanned', data: { requestId: id(400 + events.length), date, modelId } }, by);
  const automatic = planning.day(1, '2024-01-08');
  t.match(automatic, { alternatives: [{ modelId: 1 }], working: true, unseen: 1 / 90 });
  plan('2024-01-08', 1, 'anna');
  take();
  t.strictSame(planning.day(1, '2024-01-08'), {
    date: '2024-01-08',
    modelId: 1,
    origin: 'manual',
    reason: 'set to "model 0" by anna',
    share: automatic.alternatives[0]?.share,
    alternatives: [{ modelId: 2, share: automatic.share }],
    working: true,
    unseen: 1 / 90,
  });
  plan('2024-01-08', 2, 'zoë');
  plan('2024-01-09', 2, 'zoë');
  take();
  t.strictSame(
    planning
      .year(1, 2024)
      .filter(({ origin }) => origin === 'manual')
      .map(({ date, reason }) => [date, reason]),
    [
      ['2024-01-08', 'set to "model 1" by zoë'],
      ['2024-01-09', 'set to "model 1" by zoë'],
    ],
  );
  add('source-1', { type: 'DayPlanCleared', data: { requestId: id(450), date: '2024-01-08' } });
  take();
  t.match(planning.day(1, '2024-01-08'), { modelId: 2, origin: 'automatic' });
  t.equal(planning.day(1, '2024-01-09').origin, 'manual');
  const setBy = add('source-1', replaced(2, 3));
  take();
  t.equal(planning.setBy(1), setBy);
  t.equal(planning.checks(1), null, 'where people supply models, bounds alone decide');
  t.ok(planning.year(1, 2024).every(({ modelId, origin }) => modelId === 3 && origin === 'automatic'));
  t.strictSame([...planning.assignments(1)], [['2023-01-02', 3]]);
  db.close();
});

t.test('planning: the calendar that models were learned with, and special days', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const take = () =>
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
  const { planning, sources } = models;
  t.strictSame(planning.calendar(1, 2024), { days: [], calendar: null }, 'none');
  t.strictSame(planning.learned(1), { bounds: learnedRest.bounds, hitRate: 0.75, calendar: null });
  t.strictSame(planning.learned(2), { bounds: null, hitRate: null, calendar: null }, 'nobody');
  t.notMatch(planning.day(1, '2024-05-09').reason, /public holiday/);

  add('source-1', resetWith(2, 3, calendar));
  take();
  const { holidays: _, ...shown } = calendar;
  t.strictSame(planning.learned(1).calendar, shown, 'without its dates');
  t.strictSame(sources.one(1)?.analysis['calendar'], shown);
  t.match(
    planning.day(1, '2024-05-09').reason,
    /^public holiday Ascension Day: \d of the 1 reference holidays/,
  );
  const days = planning.calendar(1, 2024).days;
  t.strictSame(
    days.filter(({ type }) => type !== 'christmas'),
    [
      { date: '2024-05-09', type: 'holiday', name: 'Ascension Day' },
      { date: '2024-05-10', type: 'bridge', name: null },
    ],
  );
  t.equal(days.length - 2, 16, '1 to 5 January and 21 to 31 December');

  add('source-1', {
    type: 'SpecialDayNamed',
    data: { requestId: id(600), date: '2024-06-21', name: 'Fair' },
  });
  take();
  t.match(planning.day(1, '2024-06-21').reason, /^special day "Fair"/, 'a special day counts at once');
  t.strictSame(planning.specialDays(1), [{ date: '2024-06-21', name: 'Fair' }]);
  add('source-1', {
    type: 'SpecialDayNamed',
    data: { requestId: id(601), date: '2024-06-21', name: 'Market' },
  });
  take();
  t.match(planning.day(1, '2024-06-21').reason, /^special day "Market"/, 'and so does another name');
  add('source-1', replaced(3, 5));
  take();
  t.strictSame(
    planning.learned(1),
    { bounds: null, hitRate: null, calendar: shown },
    'replaced models keep it',
  );
  t.match(planning.day(1, '2024-05-09').reason, /^public holiday/);
  t.match(planning.day(1, '2024-06-21').reason, /^special day "Market"/);
  add('source-1', { type: 'SpecialDayCleared', data: { requestId: id(602), date: '2024-06-21' } });
  take();
  t.notMatch(planning.day(1, '2024-06-21').reason, /special/, 'no more');
  t.strictSame([planning.specialDays(1), planning.specialDays(2)], [[], []]);
  add('source-1', resetWith(4, 6, null));
  take();
  t.strictSame(planning.calendar(1, 2024), { days: [], calendar: null }, 'models learned without one end it');
  t.equal(sources.one(1)?.analysis['calendar'], null);
  db.close();
});

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

/** 24 alerts of three sources: 1 and 2 of the default tenant, 3 of another; two on each of four dates. */
const manyAlerts = () => {
  const { events, add } = handWritten();
  for (const sourceId of [1, 2, 3])
    add(`source-${sourceId}`, created(sourceId, sourceId === 3 ? 'north' : 'default'));
  for (const date of ['2024-03-07', '2024-03-05', '2024-03-06', '2024-02-29'])
    for (const sourceId of [2, 1, 3])
      for (const n of [1, 2]) {
        const alertId = `${sourceId}-${date.replaceAll('-', '')}-${n}`;
        add(`alerts-${sourceId}`, raised(alertId));
        if (n === 1)
          add(`alerts-${sourceId}`, {
            type: 'AlertResolved',
            data: { alertId, date, verdict: 'expected', comment: null },
          });
      }
  return holding(events);
};
const everything: AlertFilter = {
  tenant: 'default',
  sourceId: undefined,
  from: undefined,
  to: undefined,
  states: alertStates,
  after: undefined,
  limit: 100,
};

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

// Batches, checkpoints, versions

t.test('rows and checkpoint commit together', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const before = dumpedTables(db);
  const planned = add('source-1', {
    type: 'DayPlanned',
    data: { requestId: id(500), date: '2024-03-04', modelId: 1 },
  });
  t.ok(planned);
  // The same alert once more: no log of ours holds that, so the batch fails in its midst.
  add('alerts-1', raised('1-20240305-1'));
  t.throws(() => models.apply(events.slice(-2), through(events)), /UNIQUE/);
  t.strictSame(dumpedTables(db), before);
  models.apply(events.slice(-2, -1), through(events.slice(0, -1)));
  t.equal(models.checkpoint('readModels').position, BigInt(events.length - 1));
  db.close();
});

t.test('checkpoints by name', async t => {
  const { events } = lived();
  const { db, models } = holding(events);
  const last = events.at(-1);
  const event = { id: id(8), stream: last?.stream, revision: last?.revision };
  t.strictSame(models.checkpoint('readModels'), { position: 8n, event });
  t.strictSame(models.checkpoint('reactor'), { position: 0n, event: null });
  models.saveCheckpoint('reactor', 2n ** 60n);
  t.strictSame(models.checkpoint('reactor'), { position: 2n ** 60n, event: null });
  t.strictSame(models.checkpoint('readModels'), { position: 8n, event });
  models.apply([], passedBy(9n, 9));
  t.strictSame(models.checkpoint('readModels'), reached(9n, 9), 'a batch without known events');
  db.close();
});

t.test(
  'many batches in one transaction: a crash undoes all of them, and no batch is applied in part',
  async t => {
    const file = join(t.testdir(), 'read-models.sqlite');
    const crashed = openReadModels(file);
    crashed.models.apply([], passedBy(1n, 1));
    crashed.models.begin();
    crashed.models.apply([], passedBy(2n, 2));
    t.same(crashed.models.checkpoint('readModels'), reached(2n, 2));
    crashed.close();
    const opened = openReadModels(file);
    t.teardown(opened.close);
    t.same(opened.models.checkpoint('readModels'), reached(1n, 1));
    opened.models.begin();
    opened.models.apply([], passedBy(3n, 3));
    const { events } = lived();
    const failing = (): void => opened.models.apply([...events, ...events.slice(-1)], passedBy(4n, 4));
    t.throws(failing, /UNIQUE/);
    t.ok(opened.db.inTransaction, 'it is theirs who began it');
    opened.models.rollback();
    t.notOk(opened.db.inTransaction);
    t.same(opened.models.checkpoint('readModels'), reached(1n, 1));
    t.strictSame(dumpedTables(opened.db)['days'], []);
    t.throws(failing, /UNIQUE/);
    t.notOk(opened.db.inTransaction, 'a batch alone is undone alone');
    t.same(opened.models.checkpoint('readModels'), reached(1n, 1));
    t.strictSame(dumpedTables(opened.db)['days'], []);
    opened.models.rollback();
    t.notOk(opened.models.isOpen());
    t.throws(opened.models.commit, /no transaction is active/, 'a commit without a transaction is an error');
  },
);

t.test('no event causes a scan of a table', async t => {
  const db = new Database(':memory:');
  readModels(db);
  const statements: string[] = [];
  const noting = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name) as unknown;
      return (statement: string) => {
        statements.push(statement);
        return target.prepare(statement);
      };
    },
  });
  for (const model of [sourcesModel, daysModel, modelsModel, planningModel, alertsModel, peopleModel])
    model.apply(noting);
  t.ok(statements.length > 25, `${statements.length} statements`);
  for (const statement of statements) {
    const explained = `explain query plan ${statement.replaceAll(/\$\w+|\?/g, '1')}`;
    const steps = db.prepare<[], { detail: string }>(explained).all();
    // All recent days of a source are no less of a walk.
    const walks = steps.filter(
      ({ detail }) => detail.startsWith('SCAN') || /SEARCH days .*\(source_id=\? AND kind=\?\)/.test(detail),
    );
    t.same(walks, [], statement);
  }
});

t.test('another shape wipes everything, the same keeps it', async t => {
  const file = join(t.testdir(), 'read-models.sqlite');
  const { events } = lived();
  const first = openReadModels(file);
  first.models.apply(events, through(events));
  first.models.saveCheckpoint('reactor', 5n);
  first.close();

  const db = new Database(file);
  const whole = dumpedTables(db);
  readModels(db);
  t.strictSame(dumpedTables(db), whole, 'opened again, it is as it was');
  db.exec(
    `update shapes set shape = 'of an earlier version'; create table left_over (x); insert into left_over values (1)`,
  );
  const models = readModels(db);
  t.strictSame(models.checkpoint('readModels'), { position: 0n, event: null });
  t.strictSame(models.checkpoint('reactor'), { position: 0n, event: null });
  t.equal(models.sources.one(1), undefined);
  t.notOk('left_over' in dumpedTables(db), 'tables of an earlier version are gone');
  models.apply(events, through(events));
  models.saveCheckpoint('reactor', 5n);
  t.strictSame(dumpedTables(db), whole, 'the log brings it back');
  db.close();
});

t.test('every table holds something in these tests', async t => {
  const { events, add } = lived();
  add('source-1', { type: 'DayPlanned', data: { requestId: id(500), date: '2024-03-04', modelId: 1 } });
  add('source-1', {
    type: 'SpecialDayNamed',
    data: { requestId: id(501), date: '2024-03-05', name: 'Fair' },
  });
  add('source-1', resetWith(2, 3, calendar));
  add('source-1', { type: 'DayPlanned', data: { requestId: id(502), date: '2024-03-04', modelId: 3 } });
  add('days-1', imported(id(203), 'recent', [dayOf('2024-03-06')], 1, 2));
  add('audit-default', { type: 'PersonErased', data: { personId: id(503) } });
  const { db, models } = holding(events);
  const last = events.at(-1);
  if (last) models.apply([], last, growth(models.tree, events));
  t.strictSame([models.tree.size(), models.tree.first()?.eventId], [events.length, events[0]?.id]);
  for (const [table, rows] of Object.entries(dumpedTables(db))) t.not(rows.length, 0, table);
  db.close();
});

// Random histories

type Step = {
  readonly on: 1 | 2;
  readonly do:
    | SourceCommand
    | AlertsCommand
    | {
        readonly type: 'Import';
        readonly n: number;
        readonly sizes: readonly number[];
        readonly first: string;
      }
    /** Of the alerts of the source that were raised, the last but `which`. */
    | {
        readonly type: 'Move';
        readonly move: 'AcknowledgeAlert' | 'ResolveAlert' | 'ReopenAlert';
        readonly which: number;
      };
};

const anyStep: fc.Arbitrary<Step> = (() => {
  const dates = Array.from({ length: 6 }, (_, n) => dateOf(dayNumber('2024-02-27') + n));
  const request = fc.integer({ min: 1, max: 15 });
  const date = fc.constantFrom(...dates);
  // The same import always has the same parts.
  const sizesOf = [[1], [2], [1, 2], [2, 2, 1]];
  const check = fc
    .record({
      cause: fc.integer({ min: 2000, max: 2100 }),
      type: fc.constantFrom('DaysImported', 'ModelsReset', 'ModelsReplaced', 'DayPlanned', 'DayPlanCleared'),
      part: fc.integer({ min: 1, max: 2 }),
      places: fc.subarray([0, 1, 2], { minLength: 1 }),
      planned: fc.constantFrom(null, 1, 2),
      digest: fc.integer({ min: 1, max: 3 }),
      abnormal: fc.boolean(),
      known: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ cause, type, part, places, planned, digest, abnormal, known }): AlertsCommand => ({
      type: 'RecordCheck',
      sourceId: 1,
      cause: { id: id(cause), type },
      part,
      last: part === 2,
      engine: 'test 1',
      modelsVersion: digest,
      knowledge: { source: known, days: known },
      // A cause checks a date once: its first part those of February, its second those of March.
      days: places.map((place, n) => ({
        date: dates[3 * (part - 1) + place] ?? '',
        importId: id(6002 + digest),
        dayDigest: `digest ${digest}`,
        plannedModelId: planned,
        outcome: abnormal && n % 2 === 0 ? 'abnormal' : 'normal',
        finding: abnormal && n % 2 === 0 ? findingOf(planned, digest / 4) : null,
      })),
    }));
  const command: fc.Arbitrary<Step['do']> = fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .tuple(request, date, fc.constantFrom('Fair', 'Market'))
        .map(([n, on, name]): SourceCommand => ({
          type: 'NameSpecialDay',
          requestId: id(n),
          date: on,
          name,
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(request, date)
        .map(([n, on]): SourceCommand => ({ type: 'ClearSpecialDay', requestId: id(n), date: on })),
    },
    {
      weight: 2,
      arbitrary: request.map((n): SourceCommand => ({
        type: 'RequestModelsReset',
        requestId: id(n),
        modelCount: 2,
        seed: n,
      })),
    },
    {
      weight: 5,
      arbitrary: fc.tuple(request, fc.integer({ min: 0, max: 3 })).map(([n, count]): SourceCommand => ({
        type: 'ResetModels',
        requestId: id(n),
        learned: learnedOf(count),
      })),
    },
    {
      weight: 1,
      arbitrary: request.map((n): SourceCommand => ({
        type: 'FailAnalysis',
        requestId: id(n),
        code: 'c',
        detail: `d ${n}`,
      })),
    },
    {
      weight: 1,
      arbitrary: request.map((n): SourceCommand => ({
        type: 'ReplaceModels',
        requestId: id(n),
        models: [draft('A'), draft('B', 20, n % 2 === 0)],
        engine: 'test 1',
        assignments: [{ date: '2023-01-02', model: n % 2 }],
      })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(request, date, fc.integer({ min: 1, max: 6 }))
        .map(([n, date, modelId]): SourceCommand => ({ type: 'PlanDay', requestId: id(n), date, modelId })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(request, date)
        .map(([n, date]): SourceCommand => ({ type: 'ClearDayPlan', requestId: id(n), date })),
    },
    { weight: 6, arbitrary: check },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.integer({ min: 3001, max: 3100 }), date)
        .map(
          ([n, first]) => ({ type: 'Import', n, sizes: sizesOf[n % sizesOf.length] ?? [], first }) as const,
        ),
    },
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom('AcknowledgeAlert', 'ResolveAlert', 'ReopenAlert'), fc.nat(5))
        .map(([move, which]) => ({ type: 'Move', move, which }) as const),
    },
  );
  return fc
    .tuple(fc.constantFrom<1 | 2>(1, 2), command)
    .map(([on, command]) => ({ on, do: command }) as Step);
})();

/** Lets the deciders make a history of the steps; what they refuse is left out. */
const history = async (steps: readonly Step[], appended: () => void, store = memoryStore()) => {
  const handle = commandHandler(store, appended, system);
  let count = 0;
  const origin = (): CommandMetadata => {
    count += 1;
    const of = id(10_000 + count);
    return {
      id: of,
      isRetry: false,
      by: count % 3 === 0 ? 'zoë' : 'reactor',
      cause: id(2000 + (count % 100)),
      correlation: of,
      at: instant(count),
    };
  };
  const raisedIds: Record<1 | 2, string[]> = { 1: [], 2: [] };
  const pending: Record<1 | 2, string | null> = { 1: id(1), 2: id(2) };
  for (const sourceId of [1, 2] as const) {
    await handle(catalog, streams.catalog, { type: 'ReserveSourceId', requestId: id(sourceId) }, origin());
    const facts = { ...factsOf(sourceId), tenant: sourceId === 1 ? 'default' : 'north' };
    const command = { type: 'CreateSource', requestId: id(sourceId), facts, seed: 1 } as const;
    await handle(source, streams.source(sourceId), command, origin());
  }
  const run = async ({ on, do: command }: Step): Promise<void> => {
    switch (command.type) {
      case 'RecordCheck': {
        // An event causes the check of its own source alone.
        const cause = { ...command.cause, id: `${command.cause.id}-${on}` };
        const check = { ...command, sourceId: on, cause };
        const { events } = await handle(alerts, streams.alerts(on), check, origin());
        for (const { type, data } of events) if (type === 'AlertRaised') raisedIds[on].push(data.alertId);
        return;
      }
      case 'Move': {
        const alertId = raisedIds[on].at(-1 - command.which);
        if (alertId === undefined) return;
        const move: AlertsCommand =
          command.move === 'ResolveAlert'
            ? {
                type: command.move,
                alertId,
                verdict: 'notAnomaly',
                comment: command.which === 0 ? null : 'so',
              }
            : { type: command.move, alertId };
        await handle(alerts, streams.alerts(on), move, origin());
        return;
      }
      case 'Import': {
        let day = dayNumber(command.first);
        // The first parts alone of every fifth import: a crash.
        const parts = command.n % 5 === 0 ? command.sizes.length - 1 : command.sizes.length;
        for (const [index, size] of command.sizes.slice(0, parts).entries()) {
          const of = Array.from({ length: size }, () => dayOf(dateOf(day++), command.n % 7));
          // An import's id is its request's, so it belongs to one source.
          const event = imported(id(2 * command.n + on), 'recent', of, index + 1, command.sizes.length, on);
          await handle(days, streams.days(on), { ...event.data, type: 'ImportDays' }, origin());
        }
        return;
      }
      case 'AcknowledgeAlert':
      case 'ResolveAlert':
      case 'ReopenAlert':
        throw new Error('a step moves an alert that is there');
      default: {
        // The analysis that is awaited ends more often than one that nobody awaits any more.
        const ends = command.type === 'ResetModels' || command.type === 'FailAnalysis';
        const meant = ends && pending[on] !== null ? { ...command, requestId: pending[on] } : command;
        const { state } = await handle(source, streams.source(on), meant, origin());
        pending[on] = state.status === 'active' ? state.pendingRequestId : null;
      }
    }
  };
  for (const step of steps)
    try {
      await run(step);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
  return store;
};

/** Follows the log into read models until nothing is left, from their checkpoint on. */
const followed = (store: ReturnType<typeof memoryStore>, models: ReadModels) => {
  let batches = 0;
  const runner = projectionRunner({
    store,
    after: () => models.checkpoint('readModels').position,
    apply: (events, until) => {
      batches += 1;
      models.apply(events, until);
    },
    fault: () => {},
    environment: system,
  });
  return { ...runner, batches: () => batches };
};

t.test('all at once = as it happened = in two halves = twice over = cleared and replayed', async t => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 30, maxLength: 90, size: 'max' }),
      fc.nat(),
      async (steps, cut) => {
        const live = new Database(':memory:');
        const liveModels = readModels(live);
        const store = memoryStore();
        const following = followed(store, liveModels);
        await history(steps, following.wake, store);
        await following.catchUp();
        await following.stop();
        const wanted = JSON.stringify(dumpedTables(live));
        const is = (db: Database, what: string) => {
          const found = JSON.stringify(dumpedTables(db));
          if (found !== wanted) throw new Error(`${what}: got ${found}, expected ${wanted}`);
        };

        const events = (await listed(store.all(0n))).map(decode).filter(event => event !== undefined);
        for (const { type } of events) seen.set(type, (seen.get(type) ?? 0) + 1);
        const atOnce = holding(events);
        is(atOnce.db, 'all at once');

        const at = cut % (events.length + 1);
        const halves = holding(events.slice(0, at));
        // Opened anew in between, as after a restart.
        readModels(halves.db).apply(events.slice(at), through(events));
        is(halves.db, `in two halves, cut at ${at}`);

        const again = followed(store, liveModels);
        await again.catchUp();
        await again.stop();
        if (again.batches() > 0) throw new Error('the same events were taken twice');
        is(live, 'twice over');

        liveModels.clear();
        const replay = followed(store, liveModels);
        await replay.catchUp();
        await replay.stop();
        is(live, 'cleared and replayed');

        for (const sourceId of [1, 2]) countsAreSound(liveModels, sourceId);
        for (const db of [live, atOnce.db, halves.db]) db.close();
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
  for (const type of [
    'DaysImported',
    'ModelsReset',
    'ModelsReplaced',
    'DayPlanned',
    'AlertRaised',
    'AlertInvalidated',
    'AlertResolved',
  ])
    t.ok((seen.get(type) ?? 0) > 0, `the histories held ${type}`);
});

/** What one read model says of another's things is so. */
function countsAreSound(models: ReadModels, sourceId: number): void {
  const record = models.sources.one(sourceId);
  const listing = models.alerts.page({
    ...everything,
    tenant: record?.tenant ?? '',
    sourceId,
    states: ['open', 'acknowledged'],
    limit: 1000,
  });
  const dates = listing.map(({ date }) => date);
  if (new Set(dates).size !== dates.length) throw new Error('two unprocessed alerts on a date');
  const sound =
    record?.counts.unprocessedAlerts === listing.length &&
    record.counts.recentDays === models.days.recentDates(sourceId).length &&
    record.counts.models === models.models.list(sourceId).length;
  if (!sound) throw new Error(`the counts of source ${sourceId} are wrong`);
  for (const { id } of listing)
    if (models.alerts.history(id)[0]?.type !== 'AlertRaised')
      throw new Error(`the history of ${id} begins late`);
}

// Whether a log is the one that the read models were made from

t.test('fits: the log is known by the event at the checkpoint', async t => {
  const store = memoryStore();
  const db = new Database(':memory:');
  const models = readModels(db);
  t.equal(await fits(models, store), true, 'nothing was read of nothing');
  await store.append('catalog', 'absent', [proposed(0), proposed(1), proposed(2)]);
  t.equal(await fits(models, store), true, 'nothing was read yet');
  models.apply([], passedBy(2n, 1));
  t.equal(await fits(models, store), true);
  models.apply([], passedBy(3n, 2));
  t.equal(await fits(models, store), true, 'at the very end');

  const other = memoryStore();
  await other.append('catalog', 'absent', [proposed(0), proposed(1), proposed(7), proposed(8)]);
  t.equal(await fits(models, other), false, 'another log');
  const shorter = memoryStore();
  await shorter.append('catalog', 'absent', [proposed(0), proposed(1)]);
  t.equal(await fits(models, shorter), false, 'a log that was cut off');
  t.equal(await fits(models, memoryStore()), false, 'an empty log');
  models.clear();
  t.equal(await fits(models, other), true, 'cleared, they fit every log');
  db.close();
});
