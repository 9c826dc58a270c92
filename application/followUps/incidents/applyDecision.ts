import { alerts, type AlertsCommand } from '../../../domain/alerts/alerts.js';
import { parseAlertId } from '../../../domain/alerts/alertsState.js';
import type { AppliedDecision } from '../../../domain/followUps.js';
import { factsOf } from '../../../domain/incidents/decisions.js';
import type { IncidentEvent } from '../../../domain/incidents/incidents.js';
import { streams, tenantOf } from '../../../domain/streams.js';
import { instantOf } from '../../ports/environment.js';
import { metadataFor } from '../followUpParts.js';
import { recordIncidents, type AlertGrouper, type IncidentParts } from './groupAlerts.js';

/** Maximum alerts of one append: with the longest comments it stays below the limit of 1 MiB. */
const alertsPerAppend = 64;

/** The command that a decision means for some of its alerts. */
const commandOf = (event: AppliedDecision, alertIds: readonly string[]): AlertsCommand => {
  switch (event.type) {
    case 'IncidentAcknowledged':
      return { type: 'AcknowledgeAlerts', alertIds };
    case 'IncidentResolved': {
      const { verdict, comment } = event.data;
      return { type: 'ResolveAlerts', alertIds, verdict, comment };
    }
    case 'IncidentReopened':
      return { type: 'ReopenAlerts', alertIds };
  }
};

/** Alerts of one source that fit one append; `part` counts those of a source from 0. */
export type AlertPart = { readonly sourceId: number; readonly part: number; readonly ids: readonly string[] };

/** Alerts by source, in parts that fit one append. */
export const partsOfAlerts = (alertIds: readonly string[]): readonly AlertPart[] => {
  const bySource = new Map<number, string[]>();
  for (const alertId of alertIds) {
    const sourceId = parseAlertId(alertId)?.sourceId ?? 0;
    bySource.set(sourceId, [...(bySource.get(sourceId) ?? []), alertId]);
  }
  return [...bySource].flatMap(([sourceId, ids]) =>
    Array.from({ length: Math.ceil(ids.length / alertsPerAppend) }, (_, part) => ({
      sourceId,
      part,
      ids: ids.slice(part * alertsPerAppend, (part + 1) * alertsPerAppend),
    })),
  );
};

/** Returns a function that changes the alerts of a decision, as far as their states allow it, and notes that it did. */
export const decisionApplier =
  (parts: IncidentParts, group: AlertGrouper) =>
  async (event: AppliedDecision): Promise<void> => {
    const { models, handle, caughtUp, environment } = parts;
    const tenant = tenantOf(event.stream) ?? '';
    const { incidentId, alertIds } = event.data;
    const { by, correlation } = event.metadata;
    const alertParts = partsOfAlerts(alertIds);
    for (const [index, { sourceId, ids }] of alertParts.entries()) {
      const id = `${event.id}/alerts/${index}`;
      // A person decided it, so the histories of the alerts name that person.
      const metadata = { id, isRetry: false, by, cause: event.id, correlation, at: instantOf(environment) };
      await handle(alerts, streams.alerts(sourceId), commandOf(event, ids), metadata);
    }
    await caughtUp();
    for (const sourceId of new Set(alertParts.map(part => part.sourceId))) await group(sourceId, event);
    const applied = (): IncidentEvent | undefined => {
      const incident = models.incidents.decided(incidentId, 'applied');
      if (!models.followUps.isDue(event.position) || !incident) return undefined;
      const data = { incidentId, decisionId: event.id, incidents: [factsOf(incident)] };
      return { type: 'IncidentDecisionApplied', data };
    };
    await recordIncidents(parts, tenant, applied, () => metadataFor(environment, event, 'applied'));
  };
