import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { dayNumber, year } from '../../../domain/dates.js';
import { SettingsError } from '../../settings.js';
import type { Command } from '../terminal/command.js';
import { clientOf, Refused, Unfinished, Unreadable, type Client, type Import } from '../demo/client.js';
import { given, madeUp, type Data } from '../demo/data.js';
import { sampleMinutes } from '../demo/makeYear.js';
import { stepOn, type Output, type Step } from '../terminal/progress.js';
import { alertsReport } from '../demo/alertsReport.js';
import { planningReport } from '../demo/planningReport.js';
import {
  faultsReport,
  importText,
  modelsReport,
  timesReport,
  type Style,
  type Timing,
} from '../demo/report.js';
import { startOwn, type OwnService } from '../demo/service.js';
import { duration, paint, plain, plural, wrap } from '../terminal/text.js';

const usage = `usage: daybook demo [--seed N] [--serve]
       daybook demo [--serve] reference.csv recent.csv

Starts a service of its own in a temporary folder, gives it a reference year and the
months after it, and shows what it learned, what it plans and which days it finds
unusual. Without files the data are made up, with unusual days planted among them.
Files are in the format of an import ("date";"value", UTC, decimal comma), or the same
packed as .csv.gz.

  --seed N   other made-up data: an integer, 1 when not given
  --serve    leaves the service running until Ctrl-C, with a token to try it out
  --help     prints this

Exit codes: 0 done, 1 the service refused the data, 2 wrong usage or a file that cannot
be read, 3 the demo could not come to its end.
`;

type Story = {
  readonly kind: 'story';
  readonly seed: number;
  readonly serve: boolean;
  readonly files: readonly [reference: string, recent: string] | undefined;
};
type Asked = { readonly kind: 'help' } | Story;

/** What the user asks for. @throws Error when it makes no sense, with the reason for the user */
const readArgs = (args: readonly string[]): Asked => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { seed: { type: 'string' }, serve: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return { kind: 'help' };
  const [reference, recent] = positionals;
  if (positionals.length > 2 || (reference !== undefined && recent === undefined))
    throw new Error(`got ${plural(positionals.length, 'file')}, expected none or two: reference, recent`);
  if (values.seed !== undefined && reference !== undefined)
    throw new Error('got --seed and files: the seed is for made-up data');
  const seed = values.seed ?? '1';
  if (!/^\d{1,9}$/.test(seed)) throw new Error(`--seed: got "${plain(seed)}", expected 0 to 999999999`);
  return {
    kind: 'story',
    seed: Number(seed),
    serve: values.serve === true,
    files: reference === undefined || recent === undefined ? undefined : [reference, recent],
  };
};

/** What the story is about, in one sentence or two. */
const aboutOf = ({ files, seed }: Story): string =>
  files
    ? `The reference year from ${plain(basename(files[0]))}, the recent days from ${plain(basename(files[1]))}.`
    : `A made-up market hall: visitors at its door every ${sampleMinutes} minutes (seed ${seed}). A reference ` +
      'year and the months after it, a few days of which are unusual. The service does not know which.';

type Outputs = {
  readonly out: (lines: readonly string[]) => void;
  readonly err: Output;
  readonly style: Style;
};

/** Does something with its time taken and told. */
type Timed = <Answer>(
  step: string,
  work: (step: Step) => Promise<Answer>,
  rows?: (answer: Answer) => number,
) => Promise<Answer>;

const timedOn = (err: Output, timings: Timing[]): Timed => {
  return async (name, work, rows) => {
    const step = stepOn(err, name);
    const started = performance.now();
    try {
      const answer = await work(step);
      const ms = performance.now() - started;
      const count = rows?.(answer);
      timings.push({ step: name, ms, ...(count === undefined ? {} : { rows: count }) });
      step.done(count === undefined ? duration(ms) : `${plural(count, 'row')} in ${duration(ms)}`);
      return answer;
    } catch (error) {
      step.dropped();
      throw error;
    }
  };
};

/** The years of dates in order, with those of the whole weeks round them. */
const yearsAround = (dates: readonly string[]): number[] => {
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return [];
  const from = year(dayNumber(first) - 6);
  const to = year(dayNumber(last) + 6);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
};

/** The story itself: both imports, then what came of them, section by section. */
const tell = async (client: Client, data: Data, { out, style }: Outputs, timed: Timed): Promise<number> => {
  const rows = (answer: { readonly import: Import }) => answer.import.lines;
  const sending = (step: Step, total: number) => (bytes: number) => step.sent(bytes, total);

  const created = await timed(
    'reference year',
    step => client.createSource(data.name, data.reference.path, sending(step, data.reference.bytes)),
    rows,
  );
  const { id } = created.source;
  const source = await timed('learning typical days', step => client.analysed(id, step.waited));
  const models = await timed('reading the models', () => client.models(id));
  const recent = await timed(
    'recent days and their check',
    step => client.importDays(id, data.recent.path, sending(step, data.recent.bytes)),
    rows,
  );
  const years = yearsAround(recent.days.map(({ date }) => date));
  const planning = await timed('reading the planning', async () =>
    (await Promise.all(years.map(year => client.planning(id, year)))).flat(),
  );
  const alerts = await timed('reading the alerts', () => client.alerts(id));

  out([
    '',
    `  reference  ${importText(created.import)}`,
    `  recent     ${importText(recent.import)}`,
    ...[...created.import.warnings, ...recent.import.warnings]
      .slice(0, 4)
      .flatMap(({ detail }) => wrap(plain(`note: ${detail}`), style.width - 2).map(line => `  ${line}`)),
  ]);
  out(modelsReport(models, style));
  out(planningReport(planning, models, recent.days, alerts, style));
  out(
    alertsReport(
      { alerts, models, recent: recent.days, slices: source.activitySize, planted: data.planted },
      style,
    ),
  );
  return id;
};

const tryItOut = ({ address, token }: OwnService, sourceId: number, { paint }: Style): string[] => [
  '',
  paint.bold(`The service is running: ${address}`),
  '',
  `  TOKEN=${token}`,
  `  curl -H "Authorization: Bearer $TOKEN" ${address}/v1/source/list`,
  `  curl -H "Authorization: Bearer $TOKEN" "${address}/v1/alert/list?sourceId=${sourceId}"`,
  '',
  paint.dim('Ctrl-C stops it and removes its temporary folder.'),
];

/** What went wrong, for the user, and the exit code it means. */
const failure = (error: unknown, doing: string, width: number): { code: number; lines: string[] } => {
  if (error instanceof Unreadable) return { code: 2, lines: [error.message] };
  if (error instanceof Refused)
    return {
      code: error.status < 500 ? 1 : 3,
      lines: [
        `${doing}: refused (${error.status}): ${plain(error.message)}`,
        ...faultsReport(error.faults, width),
      ],
    };
  if (error instanceof Unfinished || error instanceof SettingsError)
    return { code: 3, lines: [`${doing}: ${plain(error.message)}`] };
  // Nothing that was foreseen: fetch's own errors say why in their cause, others by their stack.
  const { cause, stack, message } = error instanceof Error ? error : new Error(String(error));
  return {
    code: 3,
    lines: [`${doing}: ${cause instanceof Error ? `${message}: ${cause.message}` : (stack ?? message)}`],
  };
};

/** How many colours standard output may have (see https://no-color.org). */
const colorsOf = (env: NodeJS.ProcessEnv): number => {
  if (!process.stdout.isTTY || (env['NO_COLOR'] ?? '') !== '') return 0;
  return ['truecolor', '24bit'].includes(env['COLORTERM'] ?? '') ? 2 ** 24 : 256;
};

const widthMax = 100;
const widthMin = 80;

const run: Command['run'] = async (args, env) => {
  const err: Output = process.stderr;
  let asked: Asked;
  try {
    asked = readArgs(args);
  } catch (error) {
    err.write(`daybook demo: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (asked.kind === 'help') {
    process.stdout.write(usage);
    return 0;
  }

  const width = Math.min(widthMax, Math.max(widthMin, process.stdout.columns || widthMax));
  const style: Style = { paint: paint(colorsOf(env)), width };
  const out = (lines: readonly string[]) => void process.stdout.write(`${lines.join('\n')}\n`);

  const ending = new AbortController();
  const end = () => ending.abort();
  const fault = (error: unknown) => ending.abort(new Unfinished(`the service cannot go on: ${error}`));
  const broken = () => ending.signal.reason instanceof Unfinished;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  // A reader that goes away (`| head`) ends the story too, so that the folder is removed.
  process.stdout.on('error', end);

  let folder: string | undefined;
  let service: OwnService | undefined;
  let doing = 'starting';
  try {
    folder = await mkdtemp(join(tmpdir(), 'daybook-demo-'));
    const dataDir = join(folder, 'data');
    const timings: Timing[] = [];
    const timed = timedOn(err, timings);
    const told: Timed = (step, work, rows) => timed((doing = step), work, rows);

    const { files, seed } = asked;
    out([style.paint.bold('Daybook demo'), ...wrap(aboutOf(asked), width).map(style.paint.dim)]);
    // Where both go to one screen, progress stands apart from what it tells of.
    if (err.isTTY) err.write('\n');
    const data = files
      ? await given(files)
      : await told('making up the data', () => madeUp(seed, folder ?? ''));
    service = await told('starting the service', () => startOwn(dataDir, fault));
    const client = clientOf(service.address, service.token, ending.signal);
    const sourceId = await tell(client, data, { out, err, style }, told);
    out(timesReport(timings, style));

    if (asked.serve) {
      out(tryItOut(service, sourceId, style));
      if (!ending.signal.aborted)
        await new Promise(resolve => ending.signal.addEventListener('abort', resolve, { once: true }));
      if (broken()) throw ending.signal.reason;
    }
    return 0;
  } catch (error) {
    if (ending.signal.aborted && !broken()) {
      err.write('daybook demo: interrupted\n');
      return 3;
    }
    const { code, lines } = failure(broken() ? ending.signal.reason : error, doing, width);
    err.write(`daybook demo: ${lines.join('\n')}\n`);
    return code;
  } finally {
    for (const signal of signals) process.off(signal, end);
    try {
      await service?.stop();
    } finally {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      process.stdout.off('error', end);
    }
  }
};

/** `daybook demo`: the first thing a newcomer sees. */
export const demo: Command = {
  summary: 'shows what the service does, on made-up data or on two files of yours',
  usage,
  run,
};
