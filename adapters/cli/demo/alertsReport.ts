import {
  dayName,
  modelKeys,
  timesText,
  criticityText,
  cut,
  wrap,
  table,
  margin,
  sectionHead,
  type Style,
} from '../terminal/text.js';
import { plural, percent } from '../../../domain/text.js';
import type { Alert, Model, RecentDay } from './client.js';
import type { Planted } from './data.js';

/** Longest list of alerts. */
const alertsShown = 40;

/** Characters of a line without the times of day, whose column is at least `timesWidthMin` wide. */
const otherColumnsWidth = 64;
const timesWidthMin = 15;

/** One line of the table, and the text below it. */
type Row = {
  readonly date: string;
  readonly cells: readonly string[];
  readonly verdict: string | undefined;
};

/** Whether an alert fits a planted day: same date, same kind, and for an activity some common hours. */
const isOf = (alert: Alert, planted: Planted, slices: number): boolean =>
  alert.date === planted.date &&
  (alert.kind === 'gap') === (planted.kind === 'gap') &&
  (alert.slices.length === 0 ||
    alert.slices.some(
      ({ from, to }) => (from * 24) / slices < planted.toHour && (to * 24) / slices > planted.fromHour,
    ));

/** Data of the alerts section; `planted` only for made-up data. */
export type AlertsFound = {
  readonly alerts: readonly Alert[];
  readonly models: readonly Model[];
  readonly recent: readonly RecentDay[];
  /** Slices a day. */
  readonly slices: number;
  readonly planted: readonly Planted[] | undefined;
};

/** Columns of a narrow table; the others are words on the next line. */
const narrowColumns = 3;

const head = ['day', 'kind', 'side', 'time of day', 'criticity', 'plan', 'near', 'fits'];
const alignment = 'llllrlll';

/** The cells of an alert, in the order of `head`. */
const alertCells = (
  alert: Alert,
  { models, recent, slices }: AlertsFound,
  timesWidth: number,
): readonly string[] => {
  const keyOf = modelKeys(models);
  const observed = recent.find(({ date }) => date === alert.date)?.completeness;
  const times =
    alert.kind === 'gap' && observed !== undefined
      ? `${percent(observed)} observed`
      : timesText(alert.slices, slices, timesWidth);
  return [
    dayName(alert.date),
    alert.kind,
    alert.direction ?? '',
    cut(times, timesWidth),
    criticityText(alert.criticity),
    keyOf(alert.plannedModelId),
    alert.closestModelId === null ? '' : keyOf(alert.closestModelId),
    alert.betterModelId === null ? '' : keyOf(alert.betterModelId),
  ];
};

/** The cells of an alert that a narrow table leaves out, as words. */
const otherCells = (cells: readonly string[]): string =>
  cells
    .slice(narrowColumns)
    .flatMap((cell, at) => (cell === '' ? [] : at === 0 ? cell : `${head[narrowColumns + at]} ${cell}`))
    .join(', ');

/** Whether a planted day was found; `undefined` for the user's own data. */
const verdictOf = (alert: Alert, { planted, slices }: AlertsFound): string | undefined => {
  if (!planted) return undefined;
  const plant = planted.find(({ date }) => date === alert.date);
  if (!plant) return 'not planted';
  return `${isOf(alert, plant, slices) ? 'found' : 'found as another alert'}: ${plant.description}`;
};

/** Rows of the most critical alerts and of planted days without an alert, by date. */
const rowsOf = (found: AlertsFound, mostCritical: readonly Alert[], timesWidth: number): Row[] => {
  const missed = (found.planted ?? []).filter(({ date }) => !found.alerts.some(alert => alert.date === date));
  return [
    ...mostCritical.map(alert => ({
      date: alert.date,
      cells: alertCells(alert, found, timesWidth),
      verdict: verdictOf(alert, found),
    })),
    ...missed.map(({ date, description }) => ({
      date,
      cells: [dayName(date)],
      verdict: `NOT FOUND: ${description}`,
    })),
  ].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
};

/** The last line of the section. */
const summaryOf = ({ alerts, recent, slices, planted }: AlertsFound): string => {
  const days = plural(recent.length, 'recent day');
  if (!planted) return `${plural(alerts.length, 'alert')} in ${days}`;
  const found = planted.filter(plant => alerts.some(alert => isOf(alert, plant, slices)));
  const others = alerts.filter(({ date }) => !planted.some(plant => plant.date === date)).length;
  return `${found.length} of ${planted.length} planted days found, ${plural(others, 'other alert')} in ${days}`;
};

/** The most critical alerts as a table by date, each with the planted event of its day, and a summary. */
export const alertsReport = (found: AlertsFound, style: Style): string[] => {
  const { alerts } = found;
  const { paint, width } = style;
  const isNarrow = width < otherColumnsWidth + timesWidthMin;
  const timesWidth = isNarrow
    ? width - 2 * margin.length
    : Math.max(timesWidthMin, width - otherColumnsWidth);
  const mostCritical = [...alerts].sort((a, b) => b.criticity - a.criticity).slice(0, alertsShown);
  const rows = rowsOf(found, mostCritical, timesWidth);
  const heads = head.map(text => ({ text, paint: paint.dim }));
  const shown = [heads, ...rows.map(({ cells }) => cells)].map(cells =>
    isNarrow ? cells.slice(0, narrowColumns) : cells,
  );
  const lines = table(shown, alignment.slice(0, isNarrow ? narrowColumns : undefined)).map(
    line => `${margin}${line}`,
  );
  const textsOf = (text: string): readonly string[] =>
    isNarrow ? wrap(text, width - margin.length) : [cut(text, width - margin.length)];
  const body = rows.flatMap(({ cells, verdict }, index) => [
    lines[index + 1] ?? '',
    ...(isNarrow
      ? wrap(otherCells(cells), width - 2 * margin.length).map(line => `${margin}${margin}${line}`)
      : []),
    ...(verdict === undefined ? [] : textsOf(`└ ${verdict}`)).map(line => `${margin}${paint.dim(line)}`),
  ]);
  return [
    ...sectionHead(
      `Alerts: ${plural(alerts.length, 'unusual day')}`,
      'Recent days outside the limits of their planned model: over or under, time (UTC), criticity (0–1), planned ' +
        'model, nearest model, and a model whose bounds the whole day fits. A gap has too few rows to compare.',
      style,
    ),
    ...(rows.length > 0 ? [lines[0] ?? '', ...body] : [`${margin}none`]),
    ...(alerts.length > mostCritical.length
      ? [`${margin}… the ${alertsShown} most critical of ${alerts.length}`]
      : []),
    '',
    ...wrap(summaryOf(found), width - margin.length).map(line => `${margin}${paint.bold(line)}`),
  ];
};
