import { dayNumber, year } from '../../../domain/dates.js';
import { alertsReport } from './alertsReport.js';
import type { Import } from './answers.js';
import type { Client } from './client.js';
import type { Data } from './data.js';
import { importsReport } from './importReport.js';
import { modelsReport } from './modelsReport.js';
import { planningReport } from './planningReport.js';
import type { Style } from './section.js';
import type { RunStep, DemoStep } from './steps.js';

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
