import { dayNumber, year } from '../../../domain/dates.js';
import { alertsReport } from './alertsReport.js';
import type { Import, Client } from './client.js';
import type { Data } from './data.js';
import { importsReport, type Timing } from './importReport.js';
import { modelsReport, planningReport } from './modelsReport.js';
import { type Style, byteSize, duration } from '../terminal/text.js';
import { progressLine, progressText, type Output } from '../terminal/progress.js';
import { plural } from '../../../domain/text.js';

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
  write(modelsReport(models, style));
  write(planningReport({ ...found, planned }, style));
  write(alertsReport({ ...found, slices: source.activitySize, planted: data.planted }, style));
  return id;
};
