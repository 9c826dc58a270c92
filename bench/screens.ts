// Speed of the screens with 1,000 sources, in Chromium: `npm run bench:screens`, with `-- --sources 100` for fewer
// and `-- --runs 10` for more runs. Prints Markdown: first paint, interactions and initial JavaScript, each next to
// the same measure of an empty page in the same run. Nothing is asserted.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../test/helpers/screens/browser.js';
import { repositoryRoot } from '../test/helpers/repository.js';
import { preparedSources } from './screens/sources.js';
import { clicked, emptyPage, opened, scrolled, typed, type Visit } from './screens/visits.js';
import { startService } from './speed/service.js';

const { values: flags } = parseArgs({
  options: { sources: { type: 'string', default: '1000' }, runs: { type: 'string', default: '5' } },
});
const [count, runs] = [Number(flags.sources), Number(flags.runs)];

const root = mkdtempSync(join(tmpdir(), 'daybook-screens-'));
const shown = (values: readonly number[]): string => {
  const sorted = [...values].sort((a, b) => a - b);
  return `${Math.round(sorted[Math.floor(sorted.length / 2)] ?? NaN)} | ${Math.round(sorted.at(-1) ?? NaN)}`;
};
const lines: string[] = [];
const addRow = (title: string, values: readonly number[], limit: string): void => {
  lines.push(`| ${title} | ${shown(values)} | ${limit} |`);
};

/** Sizes of built scripts as gzip in kB; the server has packed them already. */
const packedKilobytes = (paths: readonly string[]): number =>
  paths
    .map(path => readFileSync(join(repositoryRoot(), 'build/web', `${path}.gz`)).length / 1000)
    .reduce((sum, size) => sum + size, 0);

/** Repeats a measurement. */
const repeated = async <Result>(measure: () => Promise<Result>): Promise<Result[]> => {
  const results: Result[] = [];
  for (let run = 0; run < runs; run += 1) results.push(await measure());
  return results;
};

const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
const folder = await preparedSources(root, count);
const service = await startService(root, { folder });
try {
  const visit: Visit = { browser, address: service.address, token: service.token };
  const empty = await repeated(() => emptyPage(visit));
  const first = await repeated(() => opened(visit, '/', '[data-row] .source-name'));
  addRow(
    'empty page of the service: first paint',
    empty.map(({ paintMs }) => paintMs),
    '',
  );
  addRow(
    'overview: first paint',
    first.map(({ firstMs }) => firstMs),
    '',
  );
  addRow(
    'overview: first paint of sources and days',
    first.map(({ contentMs }) => contentMs),
    '≤ 1,000',
  );
  addRow(
    'empty page: a key typed, to the next paint',
    empty.map(({ keyMs }) => keyMs),
    '',
  );
  const keys = await repeated(() => typed(visit, 'station 04'));
  addRow('overview: a key typed into the search, to the next paint, slowest of 10', keys, '≤ 100');
  const clicks = await repeated(() => clicked(visit));
  addRow(
    'alert opened: to the next paint',
    clicks.map(({ nextMs }) => nextMs),
    '≤ 100',
  );
  addRow(
    'alert opened: to its chart',
    clicks.map(({ contentMs }) => contentMs),
    '',
  );
  const frames = await repeated(() => scrolled(visit));
  addRow('overview scrolled: longest frame', frames, '');
  const scripts = first[0]?.scripts ?? [];
  process.stdout.write(
    `${count.toLocaleString('en')} sources, ${runs} runs, each with an empty cache\n\n` +
      `|  | median ms | largest ms | aim |\n| --- | --: | --: | --: |\n${lines.join('\n')}\n\n` +
      `Initial JavaScript: ${packedKilobytes(scripts).toFixed(0)} kB as gzip in ${scripts.length} files (aim: ≤ 250 kB). ` +
      `${availableParallelism()} cores for browser and service, load ${loadavg()[0]?.toFixed(1)}.\n`,
  );
} finally {
  await browser.close();
  await service.stop();
  rmSync(root, { recursive: true });
}
