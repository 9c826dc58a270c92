import t from 'tap';
import { alertGrouper } from '../../../application/followUps/groupAlerts.js';
import { recordIncidents } from '../../../application/followUps/recordIncidents.js';
import { Contention } from '../../../application/ports/eventStore.js';
import { turns } from '../../../application/ports/sharing/turns.js';
import { SourceParked } from '../../../application/reading/parking.js';
import { alerts, type AlertsCommand } from '../../../domain/alerts/alerts.js';
import type { KnownEvent, Recorded } from '../../../domain/events.js';
import type { AlertsGroupedData } from '../../../domain/incidents/incidents.js';
import { streams } from '../../../domain/streams.js';
import { findingOf, id, origin } from '../../helpers/data/samples.js';
import { memoryService, recentDate as date } from '../../helpers/memoryService.js';

// Incidents whose read models cannot have the newest events: their stream is parked, or other instances are faster; and
// alerts that are not grouped while their date goes on.

const check = (n: number, criticity: number, more?: object): AlertsCommand => ({
  ...{
    type: 'RecordCheck',
    sourceId: 1,
    cause: { id: id(n), type: more ? 'PointsImported' : 'DaysImported' },
    part: 1,
    last: true,
  },
  ...{ engine: 'test 1', modelsVersion: 1, knowledge: { source: 1, days: 1 } },
  days: [
    {
      ...{ date, importId: id(51), dayDigest: `d${n}`, plannedModelId: 1, outcome: 'abnormal' },
      finding: { ...findingOf(1, criticity), ...more },
    },
  ],
});

/** Waits for the read models before a test gives up. */
const waitsMax = 50;

/** A service with an open alert of source 1, whose read models leave out the events of parked subjects. */
const begun = async () => {
  const { service, store } = await memoryService();
  const { models } = service;
  let waits = 0;
  const caughtUp = async (): Promise<void> => {
    waits += 1;
    if (waits > waitsMax) throw new Error('the read models were waited for too often');
    const stored: Recorded[] = [];
    for await (const event of store.all(models.checkpoint('readModels').position)) stored.push(event);
    models.project(stored);
  };
  const record = async (n: number, command: AlertsCommand): Promise<KnownEvent> => {
    await service.handle(alerts, streams.alerts(1), command, origin(n));
    await caughtUp();
    return { id: id(n), metadata: { correlation: id(n) } } as KnownEvent;
  };
  const recordCheck = (n: number, criticity: number) => record(n, check(n, criticity));
  const incidentEvents = async (): Promise<Recorded[]> => {
    const found: Recorded[] = [];
    for await (const event of store.read(streams.incidents('default'))) found.push(event);
    return found;
  };
  const parts = { ...service, caughtUp };
  const group = alertGrouper({ ...parts, turns: turns(service.environment) });
  return { parts, record, recordCheck, incidentEvents, group };
};

t.test('alerts are not grouped while the incidents are parked', async t => {
  const { parts, recordCheck, incidentEvents, group } = await begun();
  const { models } = parts;
  await group(1, await recordCheck(30, 0.5));
  const [grouped] = await incidentEvents();
  t.equal(grouped?.type, 'AlertsGrouped');
  models.park(grouped!, new Error('a decision failed'), models.checkpoint('readModels').position);
  const cause = await recordCheck(31, 0.9);
  await group(1, cause);
  t.equal((await incidentEvents()).length, 1, 'nothing is stored that the read models leave out');
  const decided = { tenant: 'default', decision: () => undefined, metadataOf: () => origin(40) };
  await t.rejects(recordIncidents(parts, decided), SourceParked);
});

t.test(
  'an alert of a date in progress is grouped when a person decided it, though a check found it again',
  async t => {
    const { parts, record, recordCheck, incidentEvents, group } = await begun();
    const states = async () =>
      (await incidentEvents()).map(({ data }) => (data as AlertsGroupedData).incidents[0]?.state);
    const goesOn = (n: number, ongoing: boolean) =>
      record(n, check(n, 0.5, { facts: { soFar: { elapsed: 12, ongoing } } }));
    await group(1, await recordCheck(30, 0.5));
    await group(1, await goesOn(31, true));
    t.strictSame(await states(), ['open'], 'it waits');
    const alertIds = parts.models.incidents.alertsAfter('', 1);
    await record(32, { type: 'AcknowledgeAlerts', alertIds });
    await group(1, await goesOn(33, false));
    t.strictSame(await states(), ['open', 'acknowledged']);
  },
);

t.test('an alert of a date in progress is grouped when it lost more than its incident by a step', async t => {
  const { record, recordCheck, incidentEvents, group } = await begun();
  const severities = async () =>
    (await incidentEvents()).map(({ data }) => (data as AlertsGroupedData).incidents[0]?.worstSeverity);
  const grows = (n: number, severity: number, ongoing: boolean) =>
    record(n, check(n, 0.5, { severity, facts: { soFar: { elapsed: 12, ongoing } } }));
  await group(1, await recordCheck(30, 0.97));
  await group(1, await grows(31, 0.41, true));
  await group(1, await grows(32, 0.48, false));
  t.strictSame(await severities(), [undefined, 0.41], 'it waits within a step');
  await group(1, await grows(33, 0.85, true));
  t.strictSame(await severities(), [undefined, 0.41, 0.85]);
});

t.test('a decision that newer events always precede is given up', async t => {
  const { parts, recordCheck, group } = await begun();
  await group(1, await recordCheck(30, 0.5));
  let elapsedMs = 0;
  const environment = {
    ...parts.environment,
    elapsedMs: () => elapsedMs,
    after: (ms: number, run: () => void) => {
      elapsedMs += ms;
      queueMicrotask(run);
      return () => {};
    },
    randomBytes: (count: number) => Buffer.alloc(count, 255),
  };
  const models = { ...parts.models, incidents: { ...parts.models.incidents, eventCount: () => 0 } };
  const decided = { tenant: 'default', decision: () => undefined, metadataOf: () => origin(40) };
  await t.rejects(recordIncidents({ ...parts, models, environment }, decided), Contention);
  t.ok(elapsedMs > 0, 'the retries wait for other instances');
});
