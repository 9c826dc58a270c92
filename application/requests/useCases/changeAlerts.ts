import {
  stateOfAlert,
  type AlertsState,
  type AlertState,
  type Verdict,
} from '../../../domain/alerts/alertsState.js';
import { type AlertsCommand, alerts } from '../../../domain/alerts/alerts.js';
import { streams } from '../../../domain/streams.js';
import { Rejection } from '../../../domain/rejection.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { ownSourceOfAlert, type Requester, alertNotFound, ownAlert } from '../access.js';
import type { CommandMetadata } from '../../commands/commandHandler.js';
import { partsOfAlerts, type AlertPart } from '../../followUps/groupAlerts.js';
import type { Deciding, Service } from '../service.js';
import type { ReadModels } from '../../../projections/readModels.js';

const refuse = (command: AlertsCommand): never => {
  throw alertNotFound('alertId' in command ? command.alertId : '');
};

/**
 * Rules of the alerts of a source. An archived source refuses every command with `alertNotFound`; a retry whose events
 * are stored is not decided again.
 */
const alertRulesOf = (models: ReadModels, sourceId: number): typeof alerts =>
  models.sources.setup(sourceId)?.archivedAt === null ? alerts : { ...alerts, decide: refuse };

type AlertCommand = Extract<AlertsCommand, { type: 'AcknowledgeAlert' | 'ResolveAlert' | 'ReopenAlert' }>;

/**
 * Runs a command of one alert and returns the alert after it.
 * @throws Rejection `alertNotFound`, `alertTransition`
 */
const changeAlert = async (
  service: Deciding,
  requester: Requester,
  alertId: string,
  commandOf: () => Promise<AlertCommand>,
): Promise<AlertRecord> => {
  const { models, handle } = service;
  const { actor, hasKey } = requester;
  const sourceId = ownSourceOfAlert(models, actor, alertId);
  if (!hasKey) ownAlert(models, actor, alertId);
  const metadata = await requester.begin();
  const command = await commandOf();
  await handle(alertRulesOf(models, sourceId), streams.alerts(sourceId), command, metadata);
  await service.caughtUp();
  const alert = models.alerts.one(alertId);
  if (!alert) throw alertNotFound(alertId);
  return alert;
};

/** Acknowledges an alert: open → acknowledged. */
export const acknowledgeAlert = (
  service: Deciding,
  requester: Requester,
  alertId: string,
): Promise<AlertRecord> =>
  changeAlert(service, requester, alertId, async () => ({ type: 'AcknowledgeAlert', alertId }));

/** Reopens an alert: acknowledged or resolved → open. */
export const reopenAlert = (service: Deciding, requester: Requester, alertId: string): Promise<AlertRecord> =>
  changeAlert(service, requester, alertId, async () => ({ type: 'ReopenAlert', alertId }));

/** Resolves an alert: open, acknowledged or ended → resolved. The comment is encrypted before it is stored. */
export const resolveAlert = (
  service: Deciding & Pick<Service, 'people'>,
  requester: Requester,
  alertId: string,
  { verdict, comment }: { readonly verdict: Verdict; readonly comment: string | null },
): Promise<AlertRecord> =>
  changeAlert(service, requester, alertId, async () => {
    const sealed = comment === null ? null : await service.people.sealed(requester.actor, comment);
    return { type: 'ResolveAlert', alertId, verdict, comment: sealed };
  });

/** Outcome for one of several alerts. `unchanged`: it was in the wanted state already. */
export type AlertChange = {
  readonly id: string;
  readonly outcome: 'changed' | 'unchanged' | 'refused';
  /** Reason of a refusal, as for a single alert. */
  readonly code: 'alertNotFound' | 'alertTransition' | null;
  readonly detail: string | null;
  /** The alert after the request; null when there is no such alert. */
  readonly alert: AlertRecord | null;
};

/** State of the alerts after the command of an append, and the ids that it changed. */
type Appended = { readonly state: AlertsState; readonly changed: ReadonlySet<string> };

type Change = {
  readonly target: 'acknowledged' | 'resolved';
  /** Seals the texts of its commands. */
  readonly prepared: () => Promise<(alertIds: readonly string[]) => AlertsCommand>;
  /** Whether an alert in the target state is already as requested. */
  readonly isSame: (alert: AlertRecord) => boolean;
};

/** Whether an alert belongs to a source of the actor. @throws SourceParked */
const isOwnAlert = (service: Pick<Service, 'models'>, { actor }: Requester, id: string): boolean => {
  try {
    ownSourceOfAlert(service.models, actor, id);
    return true;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return false;
  }
};

/** Ignores a refusal because the source of the alerts is archived. */
const unlessNotFound = (error: unknown): undefined => {
  if (!(error instanceof Rejection) || error.code !== 'alertNotFound') throw error;
};

/**
 * Changes several alerts. Each change is atomic; there is no transaction over all of them. A repeated request reports
 * alerts that it has changed before as unchanged. Alerts of archived sources do not exist, except for a retry whose
 * events are stored.
 */
const changeAlerts = async (
  service: Deciding,
  requester: Requester,
  ids: readonly string[],
  change: Change,
): Promise<readonly AlertChange[]> => {
  const metadata = await requester.begin();
  const commandOf = await change.prepared();
  const appended = new Map<string, Appended>();
  const append = async (one: AlertPart): Promise<void> => {
    const own: CommandMetadata = { ...metadata, id: `${metadata.id}/${one.sourceId}/${one.part}` };
    const rules = alertRulesOf(service.models, one.sourceId);
    const command = commandOf(one.ids);
    const outcome = await service
      .handle(rules, streams.alerts(one.sourceId), command, own)
      .catch(unlessNotFound);
    if (!outcome) return;
    const { events, state } = outcome;
    const changed = new Set(events.flatMap(({ data }) => ('alertId' in data ? [data.alertId] : [])));
    for (const id of one.ids) appended.set(id, { state, changed });
  };
  // Appends of several sources share a commit.
  await Promise.all(partsOfAlerts(ids.filter(id => isOwnAlert(service, requester, id))).map(append));
  await service.caughtUp();
  return ids.map(id => outcomeOf(id, appended.get(id), service.models.alerts.one(id), change));
};

const outcomeOf = (
  id: string,
  appended: Appended | undefined,
  record: AlertRecord | undefined,
  { target, isSame }: Change,
): AlertChange => {
  const now: AlertState | undefined = appended && stateOfAlert(id, appended.state);
  if (!appended || !now || !record)
    return { id, outcome: 'refused', code: 'alertNotFound', detail: alertNotFound(id).message, alert: null };
  const done = { id, code: null, detail: null, alert: record };
  if (appended.changed.has(id)) return { ...done, outcome: 'changed' };
  if (now === target && isSame(record)) return { ...done, outcome: 'unchanged' };
  const detail = `alert ${id} is ${now}${now === target ? ' with another verdict' : ''}`;
  return { id, outcome: 'refused', code: 'alertTransition', detail, alert: record };
};

/** Acknowledges several alerts: open → acknowledged. */
export const acknowledgeAlerts = (
  service: Deciding,
  requester: Requester,
  ids: readonly string[],
): Promise<readonly AlertChange[]> =>
  changeAlerts(service, requester, ids, {
    target: 'acknowledged',
    prepared: async () => alertIds => ({ type: 'AcknowledgeAlerts', alertIds }),
    isSame: () => true,
  });

/**
 * Resolves several alerts with one verdict: open, acknowledged or ended → resolved. The comment is encrypted before it
 * is stored.
 */
export const resolveAlerts = (
  service: Deciding & Pick<Service, 'people'>,
  requester: Requester,
  ids: readonly string[],
  { verdict, comment }: { readonly verdict: Verdict; readonly comment: string | null },
): Promise<readonly AlertChange[]> =>
  changeAlerts(service, requester, ids, {
    target: 'resolved',
    prepared: async () => {
      const sealed = comment === null ? null : await service.people.sealed(requester.actor, comment);
      return alertIds => ({ type: 'ResolveAlerts', alertIds, verdict, comment: sealed });
    },
    isSame: alert => alert.verdict === verdict,
  });
