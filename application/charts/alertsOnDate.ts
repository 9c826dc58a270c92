import { validAlertStates } from '../../domain/alerts/alertState.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import type { ReadModels } from '../../projections/readModels.js';

/** Largest number of alerts of a date that are returned. */
const alertsMax = 100;

/** Alerts of one date of a source that are not invalidated. */
export const alertsOnDate = (
  { alerts }: Pick<ReadModels, 'alerts'>,
  { tenant, sourceId, date }: { readonly tenant: string; readonly sourceId: number; readonly date: string },
): readonly AlertRecord[] =>
  alerts.page({
    tenant,
    sourceId,
    from: date,
    to: dateOf(dayNumber(date) + 1),
    states: validAlertStates,
    kinds: undefined,
    sort: 'date',
    descending: false,
    after: undefined,
    limit: alertsMax,
  });
