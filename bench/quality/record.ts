import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engine } from '../../analysis/engine.js';
import { benchmarkFolder } from './dataFolder.js';
import { pooledNumbers, type PooledNumber, type Measured } from './measure.js';
import { meanOf, pooled, type Part } from './score.js';
import { none, percent } from './table.js';

/** Recorded results of the public benchmark. */
export type Results = {
  readonly engine: string;
  readonly series: readonly string[];
  /** Pooled over the series, by method; power is a share. */
  readonly methods: readonly {
    readonly name: string;
    readonly ordinary: Part;
    readonly events: Part;
    readonly eventRuns: Part;
    readonly power: number | null;
  }[];
  /** Numbers of the engine with the calendars of the series. */
  readonly numbers: readonly PooledNumber[];
  readonly alerts: Part;
  readonly incidents: Part;
};

/** Files with recorded numbers, from the root of the repository. */
export const documents = ['README.md', 'docs/quality.md'] as const;

const rootOf = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** Results of measured series; the first method is the engine with their calendars. */
export const resultsOf = (
  measured: readonly Measured[],
  methods: readonly string[],
  seed: number,
): Results => {
  const pools = methods.map(name => ({
    name,
    score: pooled(measured.flatMap(({ scores }) => scores[name] ?? [])),
  }));
  const own = pools[0]?.score ?? pooled([]);
  return {
    engine,
    series: measured.map(({ name }) => name),
    methods: pools.map(({ name, score: { ordinary, events, eventRuns, power } }) => ({
      name,
      ...{ ordinary, events, eventRuns, power: meanOf(power) },
    })),
    numbers: pooledNumbers(measured, methods[0] ?? '', seed),
    alerts: own.alerts,
    incidents: own.incidents,
  };
};

/** Names of methods in the docs. */
const titles: Readonly<Record<string, string>> = {
  'own calendar': 'Daybook, each with its `calendar`',
  'no calendar': 'Daybook, no calendar known',
  'weekday ± 3 sd': 'mean ± 3 sd per weekday and slice',
  'isolation forest': 'isolation forest on day vectors, 1 %',
  'k=8 conformal 95 %': 'k-means (k=8), conformal bound, 95 %',
  'k=6 conformal 99 %': 'k-means (k=6), conformal bound, 99 %',
};

const fraction = ({ count, of }: Part): string => `${count}/${of}`;
const digitsOf = (name: string, value: number): string =>
  name === 'power' ? value.toFixed(2) : `${(100 * value).toFixed(name === 'false' ? 1 : 0)} %`;

const numberRow = ({ name, value, interval }: PooledNumber): string => {
  const shown = value === null ? none : digitsOf(name, value);
  const range = interval ? interval.map(end => digitsOf(name, end)) : null;
  const low = name === 'power' ? range?.[0] : range?.[0]?.replace(' %', '');
  return `| ${name} | ${shown} | ${range ? `${low} to ${range[1]}` : none} |`;
};

/** The tables of docs/quality.md that the results determine. */
export const resultTables = ({ engine, series, methods, numbers, alerts, incidents }: Results): string =>
  [
    `${series.length} series that are in the repository, engine \`${engine}\`:`,
    '',
    `| pooled over ${series.length} series | false | events | event runs | power |`,
    '| --- | --: | --: | --: | --: |',
    ...methods.map(({ name, ordinary, events, eventRuns, power }) => {
      const cells = [percent(ordinary), fraction(events), fraction(eventRuns), power?.toFixed(2) ?? none];
      return `| ${[titles[name] ?? name, ...cells].join(' | ')} |`;
    }),
    '',
    'How far the numbers of the first row would move with other series of this kind: a bootstrap over series (2,000 resamples, seed 1).',
    '',
    '| | value | 95 % interval |',
    '|---|--:|--:|',
    ...numbers.map(numberRow),
    '',
    `The alerts of all recent days are ${alerts.of} in ${incidents.of} incidents; ${alerts.count} of them are on the ${methods[0]?.ordinary.of ?? 0} ordinary days.`,
  ].join('\n');

const tables = /(<!-- results of npm run quality -->\n)[^]*?(\n<!-- end of results -->)/;
const sentence =
  /[\d.]+ % of ordinary days on \d+ public series with one default setting, where weekday means ± 3 standard deviations give [\d.]+ %/;

const rateOf = ({ methods }: Results, wanted: string): string =>
  percent(methods.find(({ name }) => name === wanted)?.ordinary ?? { count: 0, of: 0 });

/**
 * A document with the numbers of the results.
 * @throws Error when it has no place for them
 */
export const refreshed = (text: string, results: Results): string => {
  if (!tables.test(text) && !sentence.test(text))
    throw new Error('got a document without numbers of the benchmark, expected its tables or its sentence');
  const rates = ['own calendar', 'weekday ± 3 sd'].map(name => rateOf(results, name));
  return text
    .replace(tables, (_, before: string, after: string) => `${before}${resultTables(results)}${after}`)
    .replace(
      sentence,
      `${rates[0]} of ordinary days on ${results.series.length} public series with one default setting, where weekday means ± 3 standard deviations give ${rates[1]}`,
    );
};

/** Writes the results of the public benchmark, the printed tables, and their numbers in README and docs. */
export const record = (
  measured: readonly Measured[],
  methods: readonly string[],
  seed: number,
  printed: string,
): void => {
  const results = resultsOf(measured, methods, seed);
  writeFileSync(join(benchmarkFolder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(benchmarkFolder, 'results.txt'), printed);
  for (const file of documents)
    writeFileSync(rootOf(file), refreshed(readFileSync(rootOf(file), 'utf8'), results));
};
