import { pino } from 'pino';
import t from 'tap';
import { decisionApplier } from '../../../application/followUps/groupAlerts.js';
import { EventFault } from '../../../application/ports/eventStore.js';
import { parking } from '../../../application/reading/parking.js';
import { alerts, type AlertsCommand } from '../../../domain/alerts/alerts.js';
import type { AppliedDecision } from '../../../domain/followUps.js';
import { streams } from '../../../domain/streams.js';
import { id, origin } from '../../helpers/data/samples.js';
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
