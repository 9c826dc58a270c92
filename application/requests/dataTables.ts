import { changedDates } from '../../analysis/changes/changedModel.js';
import { heldApart } from '../../analysis/checking/comparison.js';
import { normalisedBy, residualsOf, scaledModelOf } from '../../analysis/checking/scores.js';
import { alertStates } from '../../domain/alerts/alertsState.js';
import { minutesPerDay } from '../../domain/dates.js';
import { observed, usable } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { AlertFilter, AlertRecord } from '../../projections/alertPages.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { explainedNow } from '../followUps/covariates.js';

/** A value of a row; null for no value. Dates are YYYY-MM-DD, instants ISO 8601 in UTC. */
export type Value = string | number | boolean | null;

export type ColumnKind = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'instant';

/** Dates of the rows: from `from` (inclusive) to `to` (exclusive). */
export type DateRange = { readonly from: string; readonly to: string };

/** All dates: `to` sorts after each of them. */
export const allDates: DateRange = { from: '', to: '~' };

/** A table of facts about sources. Rows have one value for each column. */
export type DataTable = {
  /** Kinds of the values by the name of the column, in the order of the columns. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Number of rows of a source at most, from counts of the read models. */
  readonly rowsMax: (models: ReadModels, source: SourceSetup, range: DateRange) => number;
  /**
   * Rows of a source, read when they are taken: the read models must stay as they are until then.
   * Tables without dates ignore the range.
   */
  readonly rows: (models: ReadModels, source: SourceSetup, range: DateRange) => Iterable<readonly Value[]>;
};

/** Stored days of a range, reference days first, read when they are taken. */
function* daysOf(
  { days }: Pick<ReadModels, 'days'>,
  { id }: Pick<SourceSetup, 'id'>,
  { from, to }: DateRange,
): Generator<StoredDay> {
  for (const kind of ['reference', 'recent'] as const) yield* days.each(id, kind, from, to);
}

/** Number of slices of the stored days of a range. */
const slicesOf = (
  { days }: Pick<ReadModels, 'days'>,
  { id, activitySize }: Pick<SourceSetup, 'id' | 'activitySize'>,
  { from, to }: DateRange,
): number => activitySize * (days.count(id, 'reference', from, to) + days.count(id, 'recent', from, to));

/** Rows of a table in groups, so that other work can run in between. */
export type RowGroups = AsyncIterable<readonly (readonly Value[])[]>;

const groupRows = 1000;

/** Groups of rows. `yieldToEventLoop` is awaited after each row: some cost a tenth of a millisecond. */
export async function* groupsOf(
  rows: Iterable<readonly Value[]>,
  yieldToEventLoop: () => Promise<void> | undefined,
): AsyncGenerator<readonly (readonly Value[])[]> {
  let group: (readonly Value[])[] = [];
  for (const row of rows) {
    group.push(row);
    if (group.length === groupRows) {
      yield group;
      group = [];
    }
    const turn = yieldToEventLoop();
    if (turn) await turn;
  }
  if (group.length > 0) yield group;
}

/**
 * A row for each slice of each day with a planned model: the value and the profile of the model. `residual` is
 * value − expected in the unit of the source; `normalisedResidual` is the same on the log scale in multiples of the
 * distance to the bound, so that beyond −1 and 1 the value is outside the bounds. It is null for models that people
 * supplied, which have no scale, and both are null in a gap. Covariates and accepted changes move the profile and its
 * bounds.
 */
export const residuals: DataTable = {
  columns: {
    sourceId: 'integer',
    date: 'date',
    kind: 'text',
    plannedModelId: 'integer',
    slice: 'integer',
    minute: 'integer',
    value: 'number',
    expected: 'number',
    lower: 'number',
    upper: 'number',
    residual: 'number',
    normalisedResidual: 'number',
  },
  // Days without a planned model have no rows.
  rowsMax: slicesOf,
  rows: function* (models, source, range) {
    const { id } = source;
    const sourceModels = models.typicalDays.list(id).map(heldApart);
    const byId = new Map(sourceModels.map(model => [model.id, model]));
    const explained = explainedNow(models, id, sourceModels);
    const changed = changedDates(models.acceptedChanges.ofSource(id));
    for (const day of daysOf(models, source, range)) {
      const model = byId.get(models.planning.day(id, day.date).modelId ?? 0);
      if (!model) continue;
      const { date } = day;
      yield* residualRows(id, day, changed(date).moved(explained?.(date).moved(model) ?? model));
    }
  },
};

const residualRows = (sourceId: number, day: StoredDay, model: Model): Value[][] => {
  const isUsable = usable(day);
  const { limits, activity, topTolerance, bottomTolerance } = model;
  const normalised = limits
    ? normalisedBy(residualsOf(day, model, limits), scaledModelOf(model, limits))
    : undefined;
  return activity.map((expected, slice) => {
    const value = isUsable[slice] === true ? (day.activity[slice] ?? null) : null;
    return [
      sourceId,
      day.date,
      day.kind,
      model.id,
      slice,
      (slice * minutesPerDay) / activity.length,
      value,
      expected,
      bottomTolerance[slice] ?? null,
      topTolerance[slice] ?? null,
      value === null ? null : value - expected,
      value === null ? null : (normalised?.[slice] ?? null),
    ];
  });
};

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

/** Values by the names of their columns as a row. */
const rowOf = <Name extends string>(
  columns: Readonly<Record<Name, ColumnKind>>,
  values: Readonly<Record<NoInfer<Name>, Value>>,
): readonly Value[] => (Object.keys(columns) as Name[]).map(name => values[name]);

const checkColumns = {
  sourceId: 'integer',
  date: 'date',
  outcome: 'text',
  belowFloor: 'boolean',
  plannedModelId: 'integer',
  modelsVersion: 'integer',
  completeness: 'number',
  importId: 'text',
  importedAt: 'instant',
  checkedAt: 'instant',
} as const;

/** A row for the last check of each recent day. */
const checks: DataTable = {
  columns: checkColumns,
  rowsMax: (models, { id }, { from, to }) => models.days.count(id, 'recent', from, to),
  rows: function* (models, { id: sourceId }, { from, to }) {
    for (const { check, ...day } of models.days.each(sourceId, 'recent', from, to))
      if (check)
        yield rowOf(checkColumns, { ...day, ...check, sourceId, belowFloor: check.belowFloor ?? false });
  },
};

/** Alerts of a source that are read at once: a few milliseconds of work. */
const alertsAtOnce = 20;

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

const alertColumns = {
  id: 'text',
  sourceId: 'integer',
  date: 'date',
  kind: 'text',
  state: 'text',
  direction: 'text',
  criticity: 'number',
  sentence: 'text',
  incidentId: 'text',
  plannedModelId: 'integer',
  modelsVersion: 'integer',
  verdict: 'text',
  importId: 'text',
  raisedAt: 'instant',
  updatedAt: 'instant',
  severity: 'number',
} as const;

/** A row for each alert, without comments: they are encrypted. */
const alerts: DataTable = {
  columns: alertColumns,
  rowsMax: (models, { id }, { from, to }) => models.alerts.count(id, from, to),
  rows: function* (models, source, range) {
    for (const alert of alertsOf(models, source, range))
      yield rowOf(alertColumns, { ...alert, sourceId: source.id, severity: alert.severity ?? null });
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
  rowsMax: ({ typicalDays }, { id }) =>
    typicalDays.list(id).reduce((sum, { activity }) => sum + activity.length, 0),
  rows: function* ({ typicalDays }, { id }) {
    for (const model of typicalDays.list(id)) {
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
export const tableNames = Object.keys(dataTables) as (keyof typeof dataTables)[];
