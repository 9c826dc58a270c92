import type { Fault } from '../../../client/index.js';
import { dateOf, dayNumber, month, monthNames, weekday } from '../../../domain/dates.js';
import { counted, plural } from '../../../domain/text.js';
import {
  hourAxis,
  profileChart,
  rangeOf,
  type ValueRange,
  calendar,
  type CalendarCell,
  type CalendarWeek,
} from '../terminal/charts.js';
import { withOptions } from '../terminal/inputFiles.js';
import {
  table,
  type Cell,
  duration,
  hanging,
  plain,
  wrap,
  margin,
  type Style,
  modelKeys,
  valueText,
  sectionHead,
  dayName,
} from '../terminal/text.js';
import type { Import, Model, Alert, PlannedDay, RecentDay } from './client.js';

/** Longest list of faults, and of warnings. */
const faultsShown = 8;
const warningsShown = 4;

/** Summary of an import: `52,704 rows, 366 days, 8 samples missing`. */
export const importText = ({ lines, days, missingSamples, filledSamples, duplicates }: Import): string =>
  [
    plural(lines, 'row'),
    plural(days, 'day'),
    missingSamples === 0 ? 'no sample missing' : `${plural(missingSamples, 'sample')} missing`,
    ...(filledSamples > 0 ? [`${counted(filledSamples)} filled`] : []),
    ...(duplicates > 0 ? [`${plural(duplicates, 'duplicate')}`] : []),
  ].join(', ');

/** Summaries of both imports and their first warnings. */
export const importsReport = (reference: Import, recent: Import, { width }: Style): string[] => [
  '',
  ...hanging(`${margin}reference  `, importText(reference), width),
  ...hanging(`${margin}recent     `, importText(recent), width),
  ...[...reference.warnings, ...recent.warnings]
    .slice(0, warningsShown)
    .flatMap(({ detail }) => wrap(plain(`note: ${detail}`), width - margin.length))
    .map(line => `${margin}${line}`),
];

/** The first faults of a refused file: place and detail, or the code where there is no detail. */
export const faultsReport = (faults: readonly Fault[], width: number): string[] => {
  const lines = faults.slice(0, faultsShown).flatMap(fault => {
    const place = [
      ...(fault.line === undefined ? [] : [`line ${fault.line}`]),
      ...(fault.column === undefined ? [] : [`column ${fault.column}`]),
      ...(fault.pointer === undefined ? [] : [fault.pointer]),
    ].join(', ');
    const text = plain(`${place === '' ? '' : `${place}: `}${withOptions(fault.detail)}`);
    return wrap(text, width - 4).map((line, index) => `${margin}${index === 0 ? '' : margin}${line}`);
  });
  const more = faults.length - faultsShown;
  return more > 0 ? [...lines, `${margin}and ${counted(more)} more`] : lines;
};

/** Duration of one step, and the number of rows that an import stored. */
export type Timing = { readonly step: string; readonly ms: number; readonly rows?: number };

/** Durations of all steps and their total; rows and their rate only where there is room. */
export const timesReport = (timings: readonly Timing[], { paint, width }: Style): string[] => {
  const rows: Cell[][] = timings.map(({ step, ms, rows }) => [
    step,
    duration(ms),
    ...(rows === undefined ? [] : [plural(rows, 'row'), `${counted(rows / (ms / 1000))} rows/s`]),
  ]);
  const total = ['total', duration(timings.reduce((sum, { ms }) => sum + ms, 0))];
  const totalRow = total.map(text => ({ text, paint: paint.bold }));
  const lines = table(rows, 'lrrr');
  const isNarrow = lines.some(line => margin.length + line.length > width);
  const shown = isNarrow ? rows.map(row => row.slice(0, 2)) : rows;
  return [
    '',
    paint.bold('How long it took'),
    '',
    ...table([...shown, totalRow], isNarrow ? 'lr' : 'lrrr').map(line => `${margin}${line}`),
  ];
};

const daysPerWeek = 7;
/** Weeks in the calendar. */
const weeksShown = 4;
/** Dates whose planning is explained in words. */
const reasonsShown = 3;

type PlanningByDate = ReadonlyMap<string, PlannedDay>;

const weekOffsets = (weeks: number): number[] =>
  Array.from({ length: daysPerWeek * weeks }, (_, offset) => offset);

/** The Monday (day number) of the four weeks with the most different models. */
const mostVariedMonday = (byDate: PlanningByDate, first: string, last: string): number => {
  const mondayOf = (date: string) => dayNumber(date) - weekday(dayNumber(date));
  const modelCount = (monday: number) => {
    const ids = weekOffsets(weeksShown).map(offset => byDate.get(dateOf(monday + offset))?.modelId);
    return new Set(ids.filter(id => id !== undefined && id !== null)).size;
  };
  let best = mondayOf(first);
  for (let monday = best; monday + daysPerWeek * (weeksShown - 1) <= mondayOf(last); monday += daysPerWeek)
    if (modelCount(monday) > modelCount(best)) best = monday;
  return best;
};

/** First dates of the models that are planned most often, in order of date. */
const explainedDays = (days: readonly PlannedDay[]): PlannedDay[] => {
  const frequency = (modelId: number | null) => days.filter(day => day.modelId === modelId).length;
  return days
    .filter((day, index) => days.findIndex(({ modelId }) => modelId === day.modelId) === index)
    .sort((a, b) => frequency(b.modelId) - frequency(a.modelId))
    .slice(0, reasonsShown)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
};

/** Data of the planning section. */
type PlanningFound = {
  readonly planned: readonly PlannedDay[];
  readonly models: readonly Model[];
  readonly recent: readonly RecentDay[];
  readonly alerts: readonly Alert[];
};

/** Four weeks of the planning as a calendar, and some of its reasons in words. Empty without recent days. */
export const planningReport = (
  { planned, models, recent, alerts }: PlanningFound,
  style: Style,
): string[] => {
  const first = recent[0]?.date;
  const last = recent.at(-1)?.date;
  if (first === undefined || last === undefined) return [];
  const byDate = new Map(planned.map(day => [day.date, day]));
  const keyOf = modelKeys(models);
  const colors = new Map(models.map(({ id, color }) => [id, color]));
  const alertDates = new Set(alerts.map(({ date }) => date));
  const monday = mostVariedMonday(byDate, first, last);

  const calendarDay = (date: string): CalendarCell | undefined => {
    const modelId = byDate.get(date)?.modelId;
    if (modelId === undefined) return undefined;
    const color = modelId === null ? undefined : colors.get(modelId);
    return {
      text: keyOf(modelId),
      mark: alertDates.has(date) ? '!' : '',
      ...(color === undefined ? {} : { color }),
    };
  };
  const weeks = Array.from({ length: weeksShown }, (_, week): CalendarWeek => {
    const start = monday + daysPerWeek * week;
    return {
      label: `${margin}${String(Number(dateOf(start).slice(8))).padStart(2)} ${monthNames[month(start)]}`,
      days: weekOffsets(1).map(offset => calendarDay(dateOf(start + offset))),
    };
  });
  const days = weekOffsets(weeksShown).flatMap(offset => byDate.get(dateOf(monday + offset)) ?? []);
  const reasons = explainedDays(days).flatMap(({ date, modelId, reason }) =>
    hanging(`${margin}${dayName(date)}  ${keyOf(modelId)}  `, plain(reason), style.width),
  );
  return [
    ...sectionHead(
      `Planning: ${weeksShown} weeks from ${dateOf(monday)}`,
      'The model predicted for each day; ! marks a day with an alert. Users can override any date.',
      style,
    ),
    ...calendar(weeks, style.paint, style.width),
    '',
    ...reasons,
  ];
};

/** Models up to which each one gets two lines and an empty line after it. */
const spaciousModelsMax = 12;

/** Columns of the charts, in a report of so many columns. */
const chartColumns = (width: number): number => (width >= 92 ? 48 : width >= 76 ? 36 : 24);

/** Below this width a chart is under the name of its model. */
const nextToNameMin = 60;

/** Columns before a name: the key, and a square in the colour of the model. */
const keyColumns = 4;

/** Where a model is drawn. */
type Layout = {
  readonly range: ValueRange;
  /** Columns left of the chart. */
  readonly left: number;
  readonly columns: number;
  readonly rows: number;
  /** Whether the chart is under the texts. */
  readonly isStacked: boolean;
};

/** The lines of one model: name and facts on the left, the chart on the right. */
const modelLines = (
  model: Model,
  key: string,
  { range, left, columns, rows, isStacked }: Layout,
  { paint }: Style,
): string[] => {
  const mean = model.activity.reduce((sum, value) => sum + value, 0) / (model.activity.length || 1);
  const facts = [plural(model.days, 'day'), `mean ${valueText(mean)}`, ...(model.anomaly ? ['anomaly'] : [])];
  const name = wrap(plain(model.name), left - keyColumns);
  const texts = [...name.map(line => ({ line, dim: false })), { line: facts.join(', '), dim: true }];
  const chart = profileChart(model.activity, range, columns, rows);
  // Without room next to the texts the chart follows them.
  const height = isStacked ? texts.length + rows : Math.max(texts.length, rows);
  return Array.from({ length: height }, (_, row) => {
    const text = texts[row];
    const square = paint.colored ? paint.color('■', model.color) : ' ';
    const head = row === 0 ? `${paint.bold(key)} ${square} ` : ' '.repeat(keyColumns);
    const padded = (text?.line ?? '').padEnd(isStacked ? 0 : left - keyColumns);
    const line = chart[row - height + rows];
    const drawn = line === undefined ? '' : paint.color(line, model.color);
    const gap = isStacked ? '' : '  ';
    return `${margin}${head}${text?.dim ? paint.dim(padded) : padded}${gap}${drawn}`.trimEnd();
  });
};

/** The models: key, name, number of reference days, mean, and day profiles on one scale. */
export const modelsReport = (models: readonly Model[], timeZone: string, style: Style): string[] => {
  const { paint, width } = style;
  const columns = chartColumns(width);
  const isStacked = width < nextToNameMin;
  const left = width - margin.length - 2 - (isStacked ? 0 : columns + 2);
  const spacious = models.length <= spaciousModelsMax;
  const range = rangeOf(models.map(({ activity }) => activity));
  const layout = { range, left, columns, rows: spacious ? 2 : 1, isStacked };
  const keyOf = modelKeys(models);
  return [
    ...sectionHead(
      `Typical days: ${plural(models.length, 'model')}`,
      `Learned from the reference year only. Day profiles from 0 to 24 h (${timeZone}) on one scale from ` +
        `${valueText(range.low)} to ${valueText(range.high)}.`,
      style,
    ),
    ...models.flatMap(model => [
      ...modelLines(model, keyOf(model.id), layout, style),
      ...(spacious ? [''] : []),
    ]),
    paint.dim(`${' '.repeat(margin.length + (isStacked ? keyColumns : left + 2))}${hourAxis(columns)}`),
  ];
};
