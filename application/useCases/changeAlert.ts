import type { AlertsCommand } from '../../domain/alerts/alertsCommands.js';
import type { Verdict } from '../../domain/alerts/alertState.js';
import { streams } from '../../domain/streams.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import { alertNotFound, ownAlert, ownSourceOfAlert } from '../access/access.js';
import type { Requester } from '../access/requester.js';
import type { Service } from '../service.js';
import { alertRulesOf } from './alertRules.js';

/**
 * Runs a command of one alert and returns the alert after it.
 * @throws Rejection `alertNotFound`, `alertTransition`
 */
const changeAlert = async (
  service: Service,
  requester: Requester,
  alertId: string,
  command: Extract<AlertsCommand, { type: 'AcknowledgeAlert' | 'ResolveAlert' | 'ReopenAlert' }>,
): Promise<AlertRecord> => {
  const { models, handle } = service;
  const { actor, hasKey } = requester;
  const sourceId = ownSourceOfAlert(models, actor, alertId);
  if (!hasKey) ownAlert(models, actor, alertId);
  const metadata = await requester.begin();
  await handle(alertRulesOf(models, sourceId), streams.alerts(sourceId), command, metadata);
  await service.caughtUp();
  const alert = models.alerts.one(alertId);
  if (!alert) throw alertNotFound();
  return alert;
};

/** Acknowledges an alert: open → acknowledged. */
export const acknowledgeAlert = (
  service: Service,
  requester: Requester,
  alertId: string,
): Promise<AlertRecord> => changeAlert(service, requester, alertId, { type: 'AcknowledgeAlert', alertId });

/** Reopens an alert: resolved → open. */
export const reopenAlert = (service: Service, requester: Requester, alertId: string): Promise<AlertRecord> =>
  changeAlert(service, requester, alertId, { type: 'ReopenAlert', alertId });

/** Resolves an alert: open, acknowledged or ended → resolved. The comment is encrypted before it is stored. */
export const resolveAlert = async (
  service: Service,
  requester: Requester,
  alertId: string,
  { verdict, comment }: { readonly verdict: Verdict; readonly comment: string | null },
): Promise<AlertRecord> => {
  const sealed = comment === null ? null : await service.people.sealed(requester.actor, comment);
  return changeAlert(service, requester, alertId, {
    type: 'ResolveAlert',
    alertId,
    verdict,
    comment: sealed,
  });
};
