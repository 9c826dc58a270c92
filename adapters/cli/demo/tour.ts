import { dayNumber, year } from '../../../domain/dates.js';
import { plural, percent } from '../../../domain/text.js';
import {
  progressLine,
  progressText,
  type Output,
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
  byteSize,
  duration,
} from '../terminal/text.js';
import type { Alert, Model, RecentDay, Import, Client } from './client.js';
import type { Planted, Data } from './data.js';
import { importsReport, type Timing, modelsReport, planningReport } from './modelsReport.js';

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
  /** Zone of the times of day. */
  readonly timeZone: string;
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
  const { alerts, timeZone } = found;
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
      `Recent days outside the limits of their planned model: over or under, time (${timeZone}), criticity (0–1), planned ` +
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

/** Progress of one step. */
type DemoStep = {
  /** Shows the bytes of a file that are sent; `total` is 0 when unknown. */
  readonly sent: (bytes: number, total: number) => void;
  /** Shows how long a wait has lasted. */
  readonly waited: (ms: number) => void;
  /** Shows the result on a line that stays. */
  readonly done: (text: string) => void;
  /** Removes the line of a step that failed. */
  readonly dropped: () => void;
};

/** A step with the name `label`, shown on `output`. */
export const stepOn = (output: Output, label: string): DemoStep => {
  const line = progressLine(output);
  return {
    sent: (bytes, total) =>
      line.show({
        label,
        done: bytes,
        total: total === 0 ? undefined : total,
        text: total === 0 ? byteSize(bytes) : `${byteSize(bytes)} of ${byteSize(total)}`,
      }),
    waited: ms => line.show({ label, done: 0, text: `${duration(ms)} so far` }),
    done: text => line.keep(progressText({ label, done: 0, text }, false)),
    dropped: line.clear,
  };
};

/** Runs a step and records its duration. `rows` reads the number of imported rows from the result. */
type RunStep = <Result>(
  name: string,
  work: (step: DemoStep) => Promise<Result>,
  rows?: (result: Result) => number,
) => Promise<Result>;

/** Runs steps one after the other: `current` is the name of the last one, `timings` has all that are done. */
export const stepRunner = (
  output: Output,
): { readonly run: RunStep; readonly timings: readonly Timing[]; readonly current: () => string } => {
  const timings: Timing[] = [];
  let current = 'starting';
  const run: RunStep = async (name, work, rows) => {
    current = name;
    const step = stepOn(output, name);
    const started = performance.now();
    try {
      const result = await work(step);
      const ms = performance.now() - started;
      const count = rows?.(result);
      timings.push({ step: name, ms, ...(count === undefined ? {} : { rows: count }) });
      step.done(count === undefined ? duration(ms) : `${plural(count, 'row')} in ${duration(ms)}`);
      return result;
    } catch (error) {
      step.dropped();
      throw error;
    }
  };
  return { run, timings, current: () => current };
};

/** How the tour writes, and how it runs its steps. */
export type Tour = {
  readonly write: (lines: readonly string[]) => void;
  readonly style: Style;
  readonly run: RunStep;
};

/** All years of the whole weeks around dates, ascending. The weeks are shown in the planning. */
const yearsAround = (dates: readonly string[]): number[] => {
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return [];
  const from = year(dayNumber(first) - 6);
  const to = year(dayNumber(last) + 6);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
};

/**
 * Imports both files and reports the results of the service in sections.
 * @returns the id of the created source
 */
export const runTour = async (client: Client, data: Data, { write, style, run }: Tour): Promise<number> => {
  const rows = (answer: { readonly import: Import }) => answer.import.lines;
  const sending = (step: DemoStep, total: number) => (bytes: number) => step.sent(bytes, total);

  const created = await run(
    'reference year',
    step => client.createSource(data.name, data.reference.path, sending(step, data.reference.bytes)),
    rows,
  );
  const { id } = created.source;
  const source = await run('learning typical days', step => client.analysed(id, step.waited));
  const models = await run('reading the models', () => client.models(id));
  const recent = await run(
    'recent days and their check',
    step => client.importDays(id, data.recent.path, sending(step, data.recent.bytes)),
    rows,
  );
  const years = yearsAround(recent.days.map(({ date }) => date));
  const planned = await run('reading the planning', async () =>
    (await Promise.all(years.map(year => client.planning(id, year)))).flat(),
  );
  const alerts = await run('reading the alerts', () => client.alerts(id));

  const found = { models, recent: recent.days, alerts };
  write(importsReport(created.import, recent.import, style));
  const { timeZone, activitySize: slices } = source;
  write(modelsReport(models, timeZone, style));
  write(planningReport({ ...found, planned }, style));
  write(alertsReport({ ...found, slices, timeZone, planted: data.planted }, style));
  return id;
};
