import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../adapters/sqlite/driver.js';
import t from 'tap';
import { alerts } from '../domain/alerts/alerts.js';
import type { AlertsEvent } from '../domain/alerts/alertsState.js';
import { audit, type AuditEvent } from '../domain/audit.js';
import { catalog, type CatalogEvent } from '../domain/catalog.js';
import { days, type DaysEvent } from '../domain/days.js';
import {
  decode,
  eventVersions,
  UnknownVersion,
  upcasters,
  type EventType,
  type KnownEvent,
  type Recorded,
  type EventOf,
} from '../domain/events.js';
import { isLogStream, sourceOf, streamBeginnings, streams, tenantOf } from '../domain/streams.js';
import { lookUp, onDate } from '../domain/keyed.js';
import { calendar, type CalendarEvent } from '../domain/planning/calendarRules.js';
import { source } from '../domain/source/source.js';
import type { SourceEvent } from '../domain/source/sourceState.js';
import { tokens, type TokenEvent } from '../domain/tokens.js';
import { type WebhookEvent, webhooks } from '../domain/webhooks/webhooks.js';
import { readModels } from '../projections/readModels.js';
import { foldFrozen, frozen } from './helpers/decisions/decider.js';
import { repositoryRoot } from './helpers/repository.js';
import { exactList } from './helpers/exactList.js';

const folder = join(repositoryRoot(), 'test', 'fixtures', 'events');

/** First 16 hex digits of the SHA-256 of each fixture: stored events never change, so fixtures must not either. */
const digests: Readonly<Record<string, string>> = {
  'AlertsGrouped.v1': '17d51559a05c60b3',
  'IncidentAcknowledged.v1': 'af9ce072172a25fa',
  'IncidentResolved.v1': 'bfcb93d88a2c698a',
  'IncidentReopened.v1': '130d89c01a8d7855',
  'IncidentDecisionApplied.v1': '856dd473ed714e99',
  'IncidentAssigned.v1': '713072f600e3f5dd',
  'IncidentCommented.v1': 'fa3f3ff6151d5cde',
  'IncidentSplit.v1': '52e89373c0a78c78',
  'IncidentsMerged.v1': '17e7bde8d871ed6a',
  'TenantSettingsChanged.v1': '0124ceb1d6479858',
  'MuteCreated.v1': '25e1a37df9f9bce8',
  'MuteDeleted.v1': '388ee3a7be2ead2c',
  'MuteEnded.v1': '7dd922be150c0f07',
  'LogBegun.v1': 'bcfdedd565de7132',
  'TokenIssued.v1': 'ed4ecc3dd0dbcfc1',
  'TokenRevoked.v1': '5c6ce69266fbd516',
  'WebhookCreated.v2': '5b720b36e7c9c1ec',
  'WebhookChanged.v2': 'fe22ed5784446f56',
  'SourceIdReserved.v1': 'e604a12aeabdb08c',
  'DaysImported.v1': '64ed063fa879d666',
  'DayTakenBack.v1': 'a01ec50de9b35d41',
  'PointsImported.v1': 'f855314cdc7f842b',
  'ReferenceExtended.v1': 'a0d1b3117eea55c7',
  'DateClosed.v1': '7536a6fd44ae5778',
  'SourceCreated.v1': '739befd54aacf923',
  'SourceCreated.v2': 'd93ea7afa73748c6',
  'ModelsResetRequested.v1': '604eadbfdf31b0c8',
  'ModelsResetRequested.v2': '8b0257596c932e38',
  'AnalysisFailed.v1': '476c25f5bbe1d88a',
  'ModelsReset.v1': '2c6ed9514e5fc217',
  'ModelsReset.v2': 'c497331ecc506ef8',
  'ModelsReset.v3': '01495ade452a1ef9',
  'ModelsReplaced.v1': 'cdc26f26e4f94cca',
  'DayPlanned.v1': 'fa5019b489ee1024',
  'DayPlanCleared.v1': '36d607dbb2c6d283',
  'SpecialDayNamed.v1': '678456cd2aedd1f7',
  'SpecialDayCleared.v1': '2a68ad44d2360e0e',
  'CalendarRuleApplied.v1': '29a90a26611e4f3e',
  'CalendarRuleDeleted.v1': 'f759f31bbb200fe1',
  'CalendarRuleSaved.v1': '316871a09c91fb06',
  'CalendarRuleWithdrawn.v1': '92d338f9bb52319b',
  'DaysChecked.v1': '777797ae84988f5e',
  'AlertRaised.v1': 'f0fb49a9be212388',
  'AlertAcknowledged.v1': 'e90dcc1b2c7ed3b9',
  'AlertResolved.v1': '8fbd970924ff78bb',
  'AlertReopened.v1': '099bb4d00ac31dfe',
  'AlertInvalidated.v1': '882f8236536d1474',
  'ClockTicked.v1': '554ab9b9dd85f248',
  'CovariateDaysImported.v1': '0c38cdb68f742e92',
  'AlertEnded.v1': '26ce6ad2e65fdcb4',
  'AuditTrailRead.v1': 'd3b961ec66d1975f',
  'PersonErased.v1': '3511c7c24eb2f439',
  'WebhookChanged.v1': '4f6f6400f7e9c18e',
  'WebhookCreated.v1': '171dd8794ad2ef15',
  'WebhookSecretRotated.v1': '03fde25deeac4b0c',
  'WebhookDisabled.v1': 'e9976df9723d7bcf',
  'WebhookEnabled.v1': '30aeef863d2c121d',
  'WebhookReplayRequested.v1': 'a28ff681ef9faf8c',
  'WebhookDeleted.v1': '1734942beaa5d63a',
  'AlertConfirmed.v1': '31e015f6df549300',
  'ModelAnomalyChanged.v1': 'ef5d3d7431656a8f',
  'ModelDescribed.v1': '07154b4f13d1da2d',
  'SourceNameClaimed.v1': '958ffaddc8cd331b',
  'SourceDescribed.v1': '817fa32e6e28f141',
  'SourceArchived.v1': 'e7b3bd1fd6381781',
  'SourceRelearned.v1': '4f5f328b2ad2a990',
  'SourceRestored.v1': '27a0aed812fab5cf',
  'ReferenceDayLeftOut.v1': '80f689b1b25d3317',
  'LeavingOutTakenBack.v1': 'fc6c6dd7546ab751',
  'ChangeAccepted.v1': '881e2d43c36cfb60',
  'ChangeWithdrawn.v1': 'a1c5c7994181f6ae',
};

const textOf = (name: string): string => readFileSync(join(folder, `${name}.json`), 'utf8');

/** A fixture as a recorded event. */
const fixture = (name: string): Recorded => {
  const event = JSON.parse(textOf(name)) as Omit<Recorded, 'position'> & { readonly position: number };
  return frozen({ ...event, position: BigInt(event.position) });
};

const names = readdirSync(folder).map(file => file.replace(/\.json$/, ''));
const types = Object.keys(eventVersions) as EventType[];

t.test('events: every version of every type has an example that never changes', async t => {
  const wanted = types.flatMap(type =>
    Array.from({ length: eventVersions[type] }, (_, index) => `${type}.v${index + 1}`),
  );
  t.strictSame([...names].sort(), [...wanted].sort());
  t.strictSame(Object.keys(digests).sort(), [...wanted].sort());
  for (const name of names)
    t.equal(createHash('sha256').update(textOf(name)).digest('hex').slice(0, 16), digests[name], name);
});

t.test('events: every example is decoded into the newest version', async t => {
  for (const name of names) {
    const event = fixture(name);
    const type = event.type as EventType;
    t.equal(`${type}.v${event.v}`, name);
    const known = decode(event);
    t.equal(known?.v, eventVersions[type]);
    // Data of the newest version are unchanged; upcasters convert older versions.
    const data = known?.v === event.v ? event.data : known?.data;
    t.strictSame(known, { ...event, v: eventVersions[type], data });
  }
});

t.test('one upcaster for each older version', async t => {
  for (const type of types) t.equal((upcasters[type] ?? []).length, eventVersions[type] - 1, type);
});

const decoded = (): KnownEvent[] =>
  names
    .map(name => decode(fixture(name)))
    .filter(event => event !== undefined)
    .sort((a, b) => Number(a.position - b.position));

t.test('events: deciders and read models accept the examples', async t => {
  const of = (stream: string) => decoded().filter(event => event.stream === stream);
  t.match(foldFrozen(catalog, catalog.initial, of(streams.catalog) as CatalogEvent[]), { nextSourceId: 2 });
  const described = foldFrozen(source, source.initial, of(streams.source(1)) as SourceEvent[]);
  t.match(described, {
    status: 'active',
    pendingRequestId: null,
    modelsVersion: 3,
    nextModelId: 7,
    models: exactList({ id: 5 }, { id: 6 }),
  });
  t.strictSame(described.status !== 'absent' && [described.overrides, described.specials.named], [{}, {}]);
  t.ok(Object.keys(foldFrozen(days, days.initial, of(streams.days(1)) as DaysEvent[]).parts).length);
  const state = foldFrozen(alerts, alerts.initial, of(streams.alerts(1)) as AlertsEvent[]);
  t.match(onDate(state.alerts, '2024-02-29'), { raised: 1, standing: exactList() });

  const erased = foldFrozen(audit, audit.initial, of(streams.audit('default')) as AuditEvent[]);
  t.equal(lookUp(erased, '5e1f0c9ab37d4e6880a1b2c3d4e5f607'), true);
  t.equal(lookUp(erased, '5e1f0c9ab37d4e6880a1b2c3d4e5f608'), undefined);

  const kept = foldFrozen(webhooks, webhooks.initial, of(streams.webhooks('default')) as WebhookEvent[]);
  t.equal(kept.count, 0);
  t.match(lookUp(kept.webhooks, '3d2b8f0e-6a1c-5f4d-8e7b-90a1b2c3d4e5'), { status: 'deleted', secret: 2 });

  const issued = foldFrozen(tokens, tokens.initial, of(streams.tokens('default')) as TokenEvent[]);
  t.match(issued, { count: 1, live: exactList() });

  const ruled = of(streams.calendar('default')) as CalendarEvent[];
  t.match(foldFrozen(calendar, calendar.initial, ruled.slice(0, 1)), {
    rules: exactList({ name: 'Holidays' }),
  });
  t.strictSame(foldFrozen(calendar, calendar.initial, ruled), { rules: [] });

  const db = new Database(':memory:');
  const models = readModels(db);
  models.apply(decoded(), { position: 23n, id: decoded().at(-1)?.id ?? '', stream: 'catalog', revision: 0 });
  t.match(models.sources.one(1, '9999-12-31'), {
    name: 'Gate 4 – Süd',
    modelsVersion: 3,
    counts: { recentDays: 1, models: 2, unprocessedAlerts: 0 },
  });
  t.equal(models.alerts.history('1-20240229-1').length, 5);
  t.strictSame(models.planning.checks(1), { scores: [0.25, 0.5, 1.125], longestRun: 2, minimum: 5 });
  t.strictSame(models.people.erased(), [
    '5e1f0c9ab37d4e6880a1b2c3d4e5f607',
    '7c0d1e2f3a4b5c6d7e8f901122334455',
  ]);
  t.strictSame(models.webhooks.list('default'), [], 'a deleted webhook has no state');
  t.match(models.typicalDays.list(1), exactList({ limits: { windowHours: 3 } }, { id: 6 }));
  t.equal(
    models.tokens.revokedAt('default', '6a7b8c9d-0e1f-5a2b-8c3d-4e5f60718293'),
    '2024-03-08T08:00:00.000Z',
  );
  db.close();
});

t.test('events: measurements that ModelsReset v1 lacks are null', async t => {
  const { data } = decode(fixture('ModelsReset.v1')) as EventOf<'ModelsReset'>;
  t.strictSame(data.bounds, {
    method: 'conformal',
    targetCoverage: 0.99,
    guaranteedCoverage: null,
    calibrationDays: 73,
    measuredCoverage: 0.9863,
    falseAlertsPerYear: null,
    minimumDetectableChange: null,
  });
  t.strictSame(data.choice, [
    { modelCount: 1, loss: 2.5, predictability: null, stability: null },
    { modelCount: 2, loss: 1.25, predictability: null, stability: null },
  ]);
  t.strictSame([data.calendar, data.hitRate, data.checks], [null, null, null]);
  t.strictSame(
    [data.engine, data.modelsVersion, data.models.length, data.assignments.length],
    ['daybook 1', 1, 2, 3],
    'other fields are unchanged',
  );
});

t.test('events: `level` of older versions is the target coverage', async t => {
  for (const name of ['SourceCreated.v1', 'ModelsResetRequested.v1']) {
    const event = fixture(name);
    const data = event.data as object;
    t.strictSame(
      decode({ ...event, data: { ...data, level: 0.95 } })?.data,
      { ...data, coverage: 0.95 },
      name,
    );
    t.strictSame(decode(event)?.data, data, `${name}: without a target`);
  }
  const { data } = decode(fixture('ModelsReset.v2')) as EventOf<'ModelsReset'>;
  t.strictSame(data.bounds, {
    method: 'conformal',
    calibrationDays: 73,
    falseAlertsPerYear: 5,
    targetCoverage: 0.99,
    guaranteedCoverage: 0.95,
    measuredCoverage: 0.9863,
    minimumDetectableChange: {
      wholeDay: { more: 0.2, less: 0.25 },
      eightHours: { more: 0.3, less: null },
    },
  });
});

t.test('events: unknown types and versions', async t => {
  const event = fixture('DayPlanned.v1');
  for (const type of ['DayForgotten', '', 'dayplanned'])
    t.throws(() => decode({ ...event, type }), UnknownVersion, `"${type}"`);
  t.throws(() => decode({ ...event, type: 'DayForgotten', v: 99 }), UnknownVersion);
  t.equal(decode({ ...event, type: 'foreign DayPlanned' }), undefined, 'an event of another program');
  t.equal(decode({ ...event, type: 'DayForgotten', stream: 'plans-1' }), undefined, 'of another stream');
  t.throws(() => decode({ ...event, v: 2 }), UnknownVersion);
  try {
    decode({ ...event, v: 2 });
  } catch (error) {
    t.match((error as Error).message, /DayPlanned version 2, expected at most 1/);
  }
});

t.test('names of Object.prototype are unknown types', async t => {
  for (const type of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
    t.throws(() => decode({ ...fixture('DayPlanned.v1'), type }), UnknownVersion, type);
});

t.test('events: upcasters run in order from the version of the event', async t => {
  const event = fixture('DayPlanned.v1');
  const versions = eventVersions as Record<EventType, number>;
  t.teardown(() => {
    versions.DayPlanned = 1;
    delete upcasters.DayPlanned;
  });
  versions.DayPlanned = 3;
  upcasters.DayPlanned = [
    (data: object) => ({ ...data, steps: ['1 to 2'] }),
    (data: { readonly steps?: readonly string[] }) => ({ ...data, steps: [...(data.steps ?? []), '2 to 3'] }),
  ];
  t.match(decode(event), { v: 3, data: { modelId: 4, steps: exactList('1 to 2', '2 to 3') } });
  t.match(decode({ ...event, v: 2 }), { v: 3, data: { steps: exactList('2 to 3') } });
  t.strictSame(decode({ ...event, v: 3 }), { ...event, v: 3 });
  t.throws(() => decode({ ...event, v: 4 }), UnknownVersion);
});

t.test('streams: names and their sources', async t => {
  t.equal(streams.source(12), 'source-12');
  t.equal(streams.days(12), 'days-12');
  t.equal(streams.alerts(12), 'alerts-12');
  for (const stream of [streams.source(12), streams.days(12), streams.alerts(12)])
    t.equal(sourceOf(stream), 12);
  t.equal(tenantOf(streams.audit('a-b')), 'a-b');
  t.equal(tenantOf(streams.webhooks('a-b')), 'a-b');
  t.equal(tenantOf(streams.calendar('a-b')), 'a-b');
  t.equal(tenantOf(streams.source(12)), undefined);
});

t.test('streams: the name tells whether a stream is in the log', async t => {
  for (const stream of [
    'catalog',
    streams.source(1),
    streams.days(20),
    streams.alerts(123_456_789),
    streams.audit('a.b_c-1'),
    streams.webhooks('a.b_c-1'),
  ])
    t.equal(isLogStream(stream), true, stream);
  for (const stream of [
    '',
    'catalog-1',
    'source-',
    'source-0',
    'source-x',
    'source-source-1',
    'audit-',
    'audit-a b',
    'webhooks-',
    'calendar-',
    'webhooks-a b',
    'answers-1',
    '$ce-days',
  ])
    t.equal(isLogStream(stream), false, stream);
});

t.test('streams: names begin with their kinds, which a subscription asks for', async t => {
  t.same(streamBeginnings, [
    ...['catalog', 'source-', 'days-', 'alerts-', 'audit-', 'webhooks-'],
    ...['calendar-', 'incidents-', 'settings-', 'mutes-', 'tokens-'],
  ]);
});
