import { alertsOnDate } from '../../../application/charts/alertsOnDate.js';
import type { Service } from '../../../application/service.js';
import type { SourceDate } from '../../../application/useCases/changePlan.js';
import type { AlertRecord } from '../../../projections/alerts/alertRecords.js';
import type { Actor } from '../middleware/tokens.js';

/** Maximum alerts of each kind in an answer; the list of alerts has all. */
const alertsMax = 1000;

/** Effect of a check on the alerts of its days: the first of each kind, and how many. */
export type AlertChanges = Readonly<
  Record<'raised' | 'confirmed' | 'invalidated' | 'ended' | 'unchanged', readonly AlertRecord[]>
> & {
  readonly counts: Readonly<Record<'raised' | 'confirmed' | 'invalidated' | 'ended' | 'unchanged', number>>;
};

/** Alerts that the check caused by an event raised, confirmed, invalidated, ended and left unchanged. */
export const alertChanges = ({ models }: Service, causeId: string): AlertChanges => {
  const raised = models.alerts.causedBy(causeId, 'AlertRaised', alertsMax);
  const confirmed = models.alerts.causedBy(causeId, 'AlertConfirmed', alertsMax);
  const invalidated = models.alerts.causedBy(causeId, 'AlertInvalidated', alertsMax);
  const ended = models.alerts.causedBy(causeId, 'AlertEnded', alertsMax);
  const unchangedIds = models.days.checkedDays(causeId).flatMap(day => day.standing);
  return {
    raised: raised.first,
    confirmed: confirmed.first,
    invalidated: invalidated.first,
    ended: ended.first,
    unchanged: unchangedIds.slice(0, alertsMax).flatMap(id => models.alerts.one(id) ?? []),
    counts: {
      raised: raised.count,
      confirmed: confirmed.count,
      invalidated: invalidated.count,
      ended: ended.count,
      unchanged: unchangedIds.length,
    },
  };
};

/** Effect of a request after which nothing had to be checked. */
export const noAlertChanges: AlertChanges = {
  raised: [],
  confirmed: [],
  invalidated: [],
  ended: [],
  unchanged: [],
  counts: { raised: 0, confirmed: 0, invalidated: 0, ended: 0, unchanged: 0 },
};

/** Alerts of a date whose plan did not change. */
export const unchangedAlerts = (
  { models }: Service,
  { tenant }: Actor,
  { sourceId, date }: SourceDate,
): AlertChanges => {
  const unchanged = alertsOnDate(models, { tenant, sourceId, date });
  return { ...noAlertChanges, unchanged, counts: { ...noAlertChanges.counts, unchanged: unchanged.length } };
};
