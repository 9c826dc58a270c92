import { pino } from 'pino';
import t from 'tap';
import { decisionApplier, groupedFrom } from '../../../application/followUps/groupAlerts.js';
import { EventFault } from '../../../application/ports/eventStore.js';
import { parking } from '../../../application/reading/parking.js';
import { alerts, type AlertsCommand } from '../../../domain/alerts/alerts.js';
import type { AppliedDecision } from '../../../domain/followUps.js';
import type { Change } from '../../../domain/incidents/changes.js';
import type { Member } from '../../../domain/incidents/connections.js';
import { factsOf, resolved } from '../../../domain/incidents/decisions.js';
import { incidents, type IncidentEvent } from '../../../domain/incidents/incidents.js';
import { streams } from '../../../domain/streams.js';
import { id, origin } from '../../helpers/data/samples.js';
import { exactList } from '../../helpers/exactList.js';
import { memoryService, raisingCheck } from '../../helpers/memoryService.js';

const alertId = '1-20240205-1';

const decision = {
  ...{ id: id(60), type: 'IncidentResolved', stream: streams.incidents('default'), position: 1000n },
  metadata: { by: 'anna', cause: id(59), correlation: id(59) },
  data: { incidentId: `inc-${alertId}`, alertIds: [alertId], verdict: 'anomaly', comment: null },
} as unknown as AppliedDecision;

/** A service in memory with parking. */
const begun = async () => {
  const { service, ...others } = await memoryService();
  const write = (run: () => void): void => run();
  const parked = parking({ models: service.models, write, log: pino({ level: 'silent' }) });
  return { service: { ...service, parking: parked }, ...others };
};

t.test('a decision that is applied again leaves an alert as a person has reopened it', async t => {
  const { service, events } = await begun();
  const change = (command: AlertsCommand, n: number) =>
    service.handle(alerts, streams.alerts(1), command, origin(n));
  await change(raisingCheck, 30);
  await service.caughtUp();
  const interrupted = { ...service, caughtUp: async () => {} };
  await decisionApplier(interrupted as never, async () => {})(decision);
  await change({ type: 'ReopenAlert', alertId }, 31);
  await decisionApplier(service as never, async () => {})(decision);
  t.strictSame(
    service.models.alerts.history(alertId).map(({ type }) => type),
    ['AlertRaised', 'AlertResolved', 'AlertReopened'],
  );
  t.equal(events.at(-1)?.type, 'AlertReopened', 'nothing is stored');
});

t.test('a source whose alerts cannot be read does not keep those of others from a decision', async t => {
  const { service, events } = await begun();
  await service.handle(alerts, streams.alerts(1), raisingCheck, origin(30));
  await service.caughtUp();
  const [first] = events;
  const handle = async (...command: Parameters<typeof service.handle>) => {
    if (command[1] === streams.alerts(2))
      throw new EventFault({ ...first!, stream: streams.alerts(2) }, new Error());
    return service.handle(...command);
  };
  const ofBoth = { ...decision, data: { ...decision.data, alertIds: ['2-20240205-1', alertId] } };
  await decisionApplier({ ...service, handle } as never, async () => {})(ofBoth as AppliedDecision);
  t.strictSame(
    service.models.alerts.history(alertId).map(({ type }) => type),
    ['AlertRaised', 'AlertResolved'],
  );
  t.ok(service.models.parked.one('source-2'), 'the source is parked');
});

const member = (date: string, incidentId: string, order: number): Member => ({
  ...{ alertId: `1-${date.replaceAll('-', '')}-1`, sourceId: 1, date, incidentId, order, isPinned: false },
  ...{ state: 'open', kind: 'activity', criticity: 0.8 },
  span: { sense: 'under', minutes: [[0, 60]], places: [] },
});

t.test('a decision that is applied after a merge leaves the incident merged', async t => {
  const { service, events } = await begun();
  const { models } = service;
  const record = async (event: IncidentEvent, n: number) => {
    const known = models.incidents.eventCount('default');
    const command = { type: 'RecordIncidents', known, decision: () => event } as const;
    await service.handle(incidents, streams.incidents('default'), command, origin(n));
    await service.caughtUp();
  };
  await service.handle(alerts, streams.alerts(1), raisingCheck, origin(30));
  await service.caughtUp();
  const { span, ...own } = member('2024-02-05', 'one', 1);
  const facts = (incidentId: string) =>
    factsOf({ id: incidentId, facts: null, isAcknowledged: false, members: [{ span, ...own }] });
  const grouped = {
    sourceId: 1,
    knowledge: 0,
    alertIds: [alertId],
    spans: [],
    left: [],
    merged: [],
    split: [],
  };
  const opened = { alertId, incidentId: 'one', reason: 'opened', with: [], label: null, span } as const;
  await record(
    {
      type: 'AlertsGrouped',
      data: { ...grouped, joined: [opened], incidents: [facts('one'), facts('two')] },
    },
    31,
  );
  await record(resolved(models.incidents.decided('one')!, { verdict: 'anomaly', comment: null }), 32);
  const decided = events.at(-1) as AppliedDecision;
  const states = [{ ...facts('one'), state: 'merged' as const }, facts('two')];
  await record({ type: 'IncidentsMerged', data: { incidentId: 'one', into: 'two', incidents: states } }, 33);
  await decisionApplier(service as never, async () => {})(decided);
  t.match(events.at(-1), {
    type: 'IncidentDecisionApplied',
    data: { incidentId: 'one', alertIds: exactList(alertId), incidents: exactList() },
  });
  t.match(models.incidents.one('one'), { state: 'merged', mergedInto: 'two' });
  await service.handle(alerts, streams.alerts(1), { type: 'ReopenAlert', alertId }, origin(34));
  await service.caughtUp();
  const members = models.incidents.decided('two')?.members;
  t.match(members, exactList({ alertId, state: 'open' }), 'the decision says no more what it is');
});

t.test(
  'the change of an incident goes with its alerts into the one that a grouping merges it into',
  async t => {
    const change: Change = { type: 'level', size: 0.5, from: '2024-02-03' };
    const [older, younger] = [member('2024-02-05', 'one', 1), member('2024-02-07', 'two', 3)];
    const decided = (incidentId: string) => ({
      ...{ id: incidentId, isAcknowledged: false, members: [] },
      facts: incidentId === 'two' ? { changes: [{ ...change, sourceId: 1 }] } : {},
    });
    const opened = (incidentId: string, order: number) => ({ id: incidentId, order, cutFrom: [] });
    const known = {
      ...{ members: [older, younger], incidents: [opened('one', 0), opened('two', 2)] },
      isTaken: () => true,
    };
    const between = { ...member('2024-02-06', '', 0), revision: 9, isGrowing: false };
    const after = groupedFrom({ incidents: { decided } } as never, {
      sourceId: 1,
      changed: [between],
      known,
    });
    t.match(after.merged, exactList({ incidentId: 'two', into: 'one' }));
    const facts = after.incidents.find(({ incidentId }) => incidentId === 'one');
    t.strictSame(facts?.changes, [{ ...change, sourceId: 1 }]);
  },
);
