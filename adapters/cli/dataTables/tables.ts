import { alertStates } from '../../../domain/alerts.js';
import { observed, usable } from '../../../domain/day.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { SourceSetup } from '../../../projections/sources.js';

/** A value of a row; null for no value. */
export type Value = string | number | boolean | null;

/** A table of facts about sources. Rows have one value for each column. */
export type DataTable = {
  readonly columns: readonly string[];
  readonly rows: (models: ReadModels, source: SourceSetup) => Iterable<readonly Value[]>;
};

/** All dates: `to` is exclusive and sorts after each of them. */
const [from, to] = ['', '~'];

const minutesPerDay = 1440;

/** A row for each slice of each day, with its value in the unit of the source; null in a gap. */
const days: DataTable = {
  columns: ['sourceId', 'date', 'kind', 'slice', 'minute', 'value', 'observed'],
  *rows(models, { id }) {
    for (const kind of ['reference', 'recent'] as const)
      for (const day of models.days.between(id, kind, from, to)) {
        const [isUsable, isObserved] = [usable(day), observed(day)];
        const minutes = minutesPerDay / day.activity.length;
        for (const [slice, value] of day.activity.entries())
          yield [
            ...[id, day.date, kind, slice, slice * minutes],
            isUsable[slice] === true ? value : null,
            isObserved[slice] === true,
          ];
      }
  },
};

/** A row for the last check of each recent day. */
const checks: DataTable = {
  columns: [
    ...['sourceId', 'date', 'outcome', 'plannedModelId', 'modelsVersion', 'completeness'],
    ...['importId', 'importedAt', 'checkedAt'],
  ],
  *rows(models, { id }) {
    for (const { date, check, completeness, importId, importedAt } of models.days.between(
      id,
      'recent',
      from,
      to,
    ))
      if (check)
        yield [
          ...[id, date, check.outcome, check.plannedModelId, check.modelsVersion, completeness],
          ...[importId, importedAt, check.checkedAt],
        ];
  },
};

/** Alerts of a source that are read at most. */
const alertsMax = 1_000_000;

/** A row for each alert, without comments: they are encrypted. */
const alerts: DataTable = {
  columns: [
    ...['id', 'sourceId', 'date', 'kind', 'state', 'direction', 'criticity', 'sentence', 'episode'],
    ...['plannedModelId', 'modelsVersion', 'verdict', 'importId', 'raisedAt', 'updatedAt'],
  ],
  *rows(models, { id, tenant }) {
    const page = models.alerts.page({
      ...{ tenant, sourceId: id, from: undefined, to: undefined, states: alertStates, kinds: undefined },
      ...{ sort: 'date', descending: false, after: undefined, limit: alertsMax },
    });
    for (const alert of page)
      yield [
        ...[alert.id, id, alert.date, alert.kind, alert.state, alert.direction, alert.criticity],
        ...[alert.sentence, alert.episode, alert.plannedModelId, alert.modelsVersion, alert.verdict],
        ...[alert.importId, alert.raisedAt, alert.updatedAt],
      ];
  },
};

/** A row for each slice of each present model. */
const modelSlices: DataTable = {
  columns: [
    ...['sourceId', 'modelId', 'name', 'anomaly', 'days', 'slice', 'minute'],
    ...['activity', 'topTolerance', 'bottomTolerance'],
  ],
  *rows(models, { id }) {
    for (const model of models.models.list(id)) {
      const { activity, topTolerance, bottomTolerance } = model;
      for (const [slice, value] of activity.entries())
        yield [
          ...[id, model.id, model.name, model.anomaly, model.days],
          ...[slice, (slice * minutesPerDay) / activity.length],
          ...[value, topTolerance[slice] ?? null, bottomTolerance[slice] ?? null],
        ];
    }
  },
};

/** The tables by the name of `--as`. */
export const dataTables = { days, checks, alerts, models: modelSlices } as const;
export const tableNames = ['days', 'checks', 'alerts', 'models'] as const;
export const tableFormats = ['csv', 'ndjson'] as const;

/** A field of CSV (RFC 4180); empty for null. */
const csvField = (value: Value): string => {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Returns a function that writes a row as a line, and the first line, if the format has one. */
export const rowWriter = (
  { columns }: DataTable,
  format: (typeof tableFormats)[number],
): { readonly head: readonly string[]; readonly line: (row: readonly Value[]) => string } =>
  format === 'csv'
    ? { head: [columns.join()], line: row => row.map(csvField).join() }
    : {
        head: [],
        line: row => JSON.stringify(Object.fromEntries(columns.map((column, at) => [column, row[at]]))),
      };
