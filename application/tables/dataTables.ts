import { minutesPerDay } from '../../domain/dates.js';
import { alertStates } from '../../domain/alerts/alertState.js';
import { observed, usable } from '../../domain/day.js';
import { residuals } from './residuals.js';
import { rowsOfEach, type DataTable } from './table.js';

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
  rows: (models, { id }, { from, to }) => {
    const stored = (['reference', 'recent'] as const).flatMap(kind =>
      models.days.between(id, kind, from, to),
    );
    return rowsOfEach(stored, day => {
      const isUsable = usable(day);
      const isObserved = observed(day);
      const minutes = minutesPerDay / day.activity.length;
      return day.activity.map((value, slice) => [
        id,
        day.date,
        day.kind,
        slice,
        slice * minutes,
        isUsable[slice] === true ? value : null,
        isObserved[slice] === true,
      ]);
    });
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
  rows: (models, { id }, { from, to }) =>
    models.days
      .between(id, 'recent', from, to)
      .flatMap(({ date, check, completeness, importId, importedAt }) =>
        check
          ? [
              [
                id,
                date,
                check.outcome,
                check.plannedModelId,
                check.modelsVersion,
                completeness,
                importId,
                importedAt,
                check.checkedAt,
              ],
            ]
          : [],
      ),
};

/** Maximum alerts of a source that are read. */
const alertsMax = 1_000_000;

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
  rows: (models, { id, tenant }, { from, to }) =>
    models.alerts
      .page({
        tenant,
        sourceId: id,
        from,
        to,
        states: alertStates,
        kinds: undefined,
        sort: 'date',
        descending: false,
        after: undefined,
        limit: alertsMax,
      })
      .map(alert => [
        alert.id,
        id,
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
      ]),
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
  rows: (models, { id }) =>
    rowsOfEach(models.models.list(id), model => {
      const { activity, topTolerance, bottomTolerance } = model;
      return activity.map((value, slice) => [
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
      ]);
    }),
};

/** The tables by their names. */
export const dataTables = { days, checks, alerts, models: modelSlices, residuals } as const;
export const tableNames = ['days', 'checks', 'alerts', 'models', 'residuals'] as const;
