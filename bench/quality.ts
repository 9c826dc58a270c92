// Quality of checks on real series, compared with simple baselines: `npm run quality [folder]`. The definitions are
// in quality/definitions.ts. Tables go to stdout (`--json` for JSON), progress to stderr. `--record` refreshes the
// recorded results of the public benchmark and the numbers in README and docs.
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { engine } from '../analysis/engine.js';
import { benchmarkFolder, manifestOf, seriesNames } from './quality/dataFolder.js';
import { observedFrom } from './quality/definitions.js';
import { robustNames, methodsOf, type Measured, type Options, type Answer } from './quality/measure.js';
import { contaminatedTable, injectedTable, messagesTable } from './quality/injectedTables.js';
import {
  rankingTable,
  splitsTable,
  thinnedTable,
  rangedSeries,
  rangeTable,
} from './quality/falseAlertTables.js';
import { record } from './quality/record.js';
import { pooled, type Score } from './quality/score.js';
import {
  lostTable,
  todayTable,
  intervalTable,
  planningTable,
  qualityTable,
  robustTable,
  guaranteeTable,
} from './quality/table.js';

const usage = `npm run quality -- [folder] [options]          default folder: $QUALITY_DATA, else bench/data

  --only name,name      only these series
  --shipped             only the series that are in the repository
  --record              these, with default options; writes bench/data/results.* and the numbers in README and docs
  --no-baselines        only the engine
  --calendar which      given, none or both (both)
  --coverage share      target coverage: share of ordinary days inside the limits; the default limits without it
  --models count        number of models; default: chosen by the engine
  --seed integer        default: 1
  --observed share      least share of observed slices of a scored day (${observedFrom})
  --robust              pooled rows of swapped parts and of references of the last 200 and 120 days
  --splits              false alerts, p-values and ranges with the reference from four random dates on, too
  --thinned             stated and real false alerts with a third of the reference: of its days, and in stretches
  --planning            errors of simpler plans, and how often the planned model was the nearest
  --lost                changes of the plan after a tenth of the samples is lost, three times
  --today               recent days slice by slice: event days by hours since their first abnormal slice
  --injected            19 faults in up to 40 ordinary days of each series, compared with simple methods at the same false rate
  --contaminated        events found with 2, 5 and 10 % of bad days in the reference
  --messages            alerts and incidents of injected causes: changes that stay four weeks, gaps, single days
  --threads count       default: 2
  --json                everything, for machines
`;

/** Exit codes: a failure, wrong usage, nothing to score. */
const failed = 1;
const wrongCall = 2;
const exitNoData = 3;

class WrongCall extends Error {}

const numberOf = (name: string, text: string | undefined): number | null => {
  if (text === undefined) return null;
  const value = text === '' ? NaN : Number(text);
  if (!Number.isFinite(value)) throw new WrongCall(`got --${name} ${text}, expected a number`);
  return value;
};

const readCall = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      shipped: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      'no-baselines': { type: 'boolean', default: false },
      calendar: { type: 'string', default: 'both' },
      coverage: { type: 'string' },
      models: { type: 'string' },
      seed: { type: 'string' },
      observed: { type: 'string' },
      robust: { type: 'boolean', default: false },
      splits: { type: 'boolean', default: false },
      thinned: { type: 'boolean', default: false },
      planning: { type: 'boolean', default: false },
      lost: { type: 'boolean', default: false },
      today: { type: 'boolean', default: false },
      injected: { type: 'boolean', default: false },
      contaminated: { type: 'boolean', default: false },
      messages: { type: 'boolean', default: false },
      threads: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const others = process.argv.slice(2).filter(arg => !/^(--record|--threads(=.*)?|\d+)$/.test(arg));
  if (values.record && others.length > 0)
    throw new WrongCall(`got --record with ${others.join(' ')}, expected no option but --threads`);
  const calendar = (['given', 'none', 'both'] as const).find(which => which === values.calendar);
  if (!calendar) throw new WrongCall(`got --calendar ${values.calendar}, expected given, none or both`);
  const options: Options = {
    modelCount: numberOf('models', values.models),
    coverage: numberOf('coverage', values.coverage),
    seed: numberOf('seed', values.seed) ?? 1,
    observed: numberOf('observed', values.observed) ?? observedFrom,
    calendar,
    baselines: !values['no-baselines'],
    robust: values.robust,
    splits: values.splits,
    thinned: values.thinned,
    planning: values.planning,
    lost: values.lost,
    today: values.today,
    injected: values.injected,
    contaminated: values.contaminated,
    messages: values.messages,
  };
  const threads = Math.max(1, numberOf('threads', values.threads) ?? 2);
  const given = values.record ? undefined : (positionals[0] ?? process.env['QUALITY_DATA']);
  return { ...values, folder: given ?? benchmarkFolder, options, threads };
};

/** Measures series in several threads; a series that cannot be measured is reported and skipped. */
const measureAll = async (
  folder: string,
  names: readonly string[],
  options: Options,
  threads: number,
): Promise<Measured[]> => {
  const left = [...names];
  const measured: Measured[] = [];
  const work = async (): Promise<void> => {
    const thread = new Worker(new URL('./quality/measure.js', import.meta.url), {
      workerData: { folder, options },
    });
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      thread.postMessage(name);
      const [answer] = (await once(thread, 'message')) as [Answer];
      if ('measured' in answer) measured.push(answer.measured);
      const outcome = 'measured' in answer ? `${answer.measured.seconds.toFixed(1)} s` : answer.fault;
      process.stderr.write(`${measured.length}/${names.length} ${name}: ${outcome}\n`);
    }
    await thread.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(threads, names.length) }, work));
  return measured.sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** Scores of series by their names. */
const scoresBy = (measured: readonly Measured[], score: (of: Measured) => Score | null | undefined) =>
  measured.flatMap(of => {
    const found = score(of);
    return found ? [{ name: of.name, score: found }] : [];
  });

const run = async (): Promise<number> => {
  const { folder, options, threads, only, json, help, ...call } = readCall();
  if (help) {
    process.stdout.write(usage);
    return 0;
  }
  const manifest = manifestOf(folder) ?? [];
  const rebuilt = new Set(manifest.flatMap(({ name, shipped }) => (shipped ? [] : name)));
  const all = (existsSync(folder) ? seriesNames(folder) : []).filter(
    name => !(call.shipped || call.record) || !rebuilt.has(name),
  );
  if (all.length === 0) {
    process.stderr.write(`Nothing to score: ${folder} is not a folder with series.\n`);
    return exitNoData;
  }
  const wanted = only?.split(',');
  for (const name of wanted ?? [])
    if (!all.includes(name)) throw new WrongCall(`got --only ${name}, expected some of ${all.join(', ')}`);
  const names = wanted ? all.filter(name => wanted.includes(name)) : all;

  const begun = performance.now();
  const measured = await measureAll(folder, names, options, threads);
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
  const methods = methodsOf(options);
  const engineMethod = methods[0] ?? '';
  if (json) {
    const pool = (score: (of: Measured) => Score | null | undefined): Score =>
      pooled(measured.flatMap(of => score(of) ?? []));
    const pools = {
      scores: Object.fromEntries(methods.map(method => [method, pool(({ scores }) => scores[method])])),
      robust: options.robust
        ? Object.fromEntries(robustNames.map(name => [name, pool(({ robust }) => robust[name])]))
        : {},
    };
    process.stdout.write(`${JSON.stringify({ options, pooled: pools, series: measured }, null, 1)}\n`);
  } else {
    let text = '';
    const say = (part: string): void => {
      text += part;
      process.stdout.write(part);
    };
    const missing = manifest.map(({ name }) => name).filter(name => !all.includes(name));
    say(`${measured.length} series, engine ${engine}: ${measured.map(({ name }) => name).join(', ')}\n`);
    if (missing.length > 0) say(`not there: ${missing.join(', ')}\n`);
    say(`\n${qualityTable(measured, methods)}\n${intervalTable(measured, engineMethod, options.seed)}`);
    say(`\n${guaranteeTable(measured, engineMethod)}`);
    const ranged = rangedSeries(scoresBy(measured, ({ scores }) => scores[engineMethod]));
    const swapped = rangedSeries(scoresBy(measured, ({ robust }) => robust['swapped']));
    say(`\n${rankingTable(measured, engineMethod, options.seed)}\n${rangeTable(ranged)}`);
    if (swapped.length > 0) say(`\nwith swapped parts, too\n${rangeTable([...ranged, ...swapped])}`);
    if (options.splits) say(`\n${splitsTable(measured, engineMethod)}`);
    if (options.robust) say(`\n${robustTable(measured, robustNames)}`);
    if (options.thinned) say(`\n${thinnedTable(measured, engineMethod)}`);
    if (options.planning) say(`\n${planningTable(measured, engineMethod)}`);
    if (options.lost) say(`\n${lostTable(measured)}`);
    if (options.today) say(`\n${todayTable(measured)}`);
    if (options.injected) say(`\n${injectedTable(measured, options.seed)}`);
    if (options.contaminated) say(`\n${contaminatedTable(measured, options.seed)}`);
    if (options.messages) say(`\n${messagesTable(measured, options.seed)}`);
    if (call.record && measured.length === names.length) record(measured, methods, options.seed, text);
  }
  return measured.length < names.length ? failed : 0;
};

try {
  process.exitCode = await run();
} catch (error) {
  const isCall =
    error instanceof WrongCall ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  if (!isCall) throw error;
  process.stderr.write(`${error.message}\n\n${usage}`);
  process.exitCode = wrongCall;
}
