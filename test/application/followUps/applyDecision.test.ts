import t from 'tap';
import { decisionApplier } from '../../../application/followUps/groupAlerts.js';
import { alerts, type AlertsCommand } from '../../../domain/alerts/alerts.js';
import type { AppliedDecision } from '../../../domain/followUps.js';
import { streams } from '../../../domain/streams.js';
import { findingOf, id, origin } from '../../helpers/data/samples.js';
import { memoryService, recentDate as date } from '../../helpers/memoryService.js';

const alertId = '1-20240205-1';

const check: AlertsCommand = {
  ...{ type: 'RecordCheck', sourceId: 1, cause: { id: id(50), type: 'DaysImported' }, part: 1, last: true },
  ...{ engine: 'test 1', modelsVersion: 1, knowledge: { source: 1, days: 1 } },
  days: [
    {
      ...{ date, importId: id(51), dayDigest: 'd', plannedModelId: 1, outcome: 'abnormal' },
      finding: findingOf(1),
    },
  ],
};

const decision = {
  ...{ id: id(60), type: 'IncidentResolved', stream: streams.incidents('default'), position: 1000n },
  metadata: { by: 'anna', cause: id(59), correlation: id(59) },
  data: { incidentId: `inc-${alertId}`, alertIds: [alertId], verdict: 'anomaly', comment: null },
} as unknown as AppliedDecision;

t.test('a decision that is applied again leaves an alert as a person has reopened it', async t => {
  const { service, events } = await memoryService();
  const change = (command: AlertsCommand, n: number) =>
    service.handle(alerts, streams.alerts(1), command, origin(n));
  await change(check, 30);
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
