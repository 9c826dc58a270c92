import { minutesPerDay } from '../../domain/dates.js';
import { alertStates } from '../../domain/alerts/alertState.js';
import { observed, usable } from '../../domain/day.js';
import type { AlertFilter } from '../../projections/alerts/alertFilters.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { residuals } from './residuals.js';
import { daysOf, slicesOf, type DataTable, type DateRange } from './table.js';

/** A row for each slice of each day, with its value in the unit of the source; null in a gap. */
const days: DataTable = {
  columns: {
    sourceId: 'integer',
    date: 'date',
    kind: 'text',
    slice: 'integer',
    minute: 'integer',
    value: 'number',
    observed: 'boolean',
  },
  rowsMax: slicesOf,
  rows: function* (models, source, range) {
    for (const day of daysOf(models, source, range)) {
      const isUsable = usable(day);
      const isObserved = observed(day);
      const minutes = minutesPerDay / day.activity.length;
      for (const [slice, value] of day.activity.entries())
        yield [
          source.id,
          day.date,
          day.kind,
          slice,
          slice * minutes,
          isUsable[slice] === true ? value : null,
          isObserved[slice] === true,
        ];
    }
  },
};

/** A row for the last check of each recent day. */
const checks: DataTable = {
  columns: {
    sourceId: 'integer',
    date: 'date',
    outcome: 'text',
    plannedModelId: 'integer',
    modelsVersion: 'integer',
    completeness: 'number',
    importId: 'text',
    importedAt: 'instant',
    checkedAt: 'instant',
  },
  rowsMax: (models, { id }, { from, to }) => models.days.count(id, 'recent', from, to),
  rows: function* (models, { id }, { from, to }) {
    for (const { date, check, completeness, importId, importedAt } of models.days.each(
      id,
      'recent',
      from,
      to,
    ))
      if (check)
        yield [
          id,
          date,
          check.outcome,
          check.plannedModelId,
          check.modelsVersion,
          completeness,
          importId,
          importedAt,
          check.checkedAt,
        ];
  },
};

/** Alerts of a source that are read at once. */
const alertsAtOnce = 200;

/** Alerts of a source by date, in every state. */
function* alertsOf(
  { alerts: { page } }: ReadModels,
  { id: sourceId, tenant }: SourceSetup,
  { from, to }: DateRange,
): Generator<AlertRecord> {
  const filter = { tenant, sourceId, from, to, states: alertStates, kinds: undefined, limit: alertsAtOnce };
  let after: AlertFilter['after'];
  for (;;) {
    const alerts = page({ ...filter, sort: 'date', descending: false, after });
    yield* alerts;
    const last = alerts.at(-1);
    if (!last || alerts.length < alertsAtOnce) return;
    after = { key: last.date, id: last.id };
  }
}

/** A row for each alert, without comments: they are encrypted. */
const alerts: DataTable = {
  columns: {
    id: 'text',
    sourceId: 'integer',
    date: 'date',
    kind: 'text',
    state: 'text',
    direction: 'text',
    criticity: 'number',
    sentence: 'text',
    episode: 'text',
    plannedModelId: 'integer',
    modelsVersion: 'integer',
    verdict: 'text',
    importId: 'text',
    raisedAt: 'instant',
    updatedAt: 'instant',
  },
  rowsMax: (models, { id }, { from, to }) => models.alerts.count(id, from, to),
  rows: function* (models, source, range) {
    for (const alert of alertsOf(models, source, range))
      yield [
        alert.id,
        source.id,
        alert.date,
        alert.kind,
        alert.state,
        alert.direction,
        alert.criticity,
        alert.sentence,
        alert.episode,
        alert.plannedModelId,
        alert.modelsVersion,
        alert.verdict,
        alert.importId,
        alert.raisedAt,
        alert.updatedAt,
      ];
  },
};

/** A row for each slice of each present model. */
const modelSlices: DataTable = {
  columns: {
    sourceId: 'integer',
    modelId: 'integer',
    name: 'text',
    anomaly: 'boolean',
    days: 'integer',
    slice: 'integer',
    minute: 'integer',
    activity: 'number',
    topTolerance: 'number',
    bottomTolerance: 'number',
  },
  rowsMax: ({ models }, { id }) => models.list(id).reduce((sum, { activity }) => sum + activity.length, 0),
  rows: function* ({ models }, { id }) {
    for (const model of models.list(id)) {
      const { activity, topTolerance, bottomTolerance } = model;
      for (const [slice, value] of activity.entries())
        yield [
          id,
          model.id,
          model.name,
          model.anomaly,
          model.days,
          slice,
          (slice * minutesPerDay) / activity.length,
          value,
          topTolerance[slice] ?? null,
          bottomTolerance[slice] ?? null,
        ];
    }
  },
};

/** The tables by their names. */
export const dataTables = { days, checks, alerts, models: modelSlices, residuals } as const;
export const tableNames = ['days', 'checks', 'alerts', 'models', 'residuals'] as const;
