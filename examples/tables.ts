// Tables of a source in TypeScript, as examples/tables.ipynb reads them in pandas: days, models, residuals and alerts
// as Arrow.
//
// Run: DAYBOOK_URL=http://127.0.0.1:8080 DAYBOOK_TOKEN=$(npx daybook token) node build/examples/tables.js [source]
// or set TABLES to a folder with days.arrow, models.arrow, residuals.arrow and alerts.arrow of
// `npx daybook export --as <table> --format arrow --source 1 > <table>.arrow`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { kmeans } from 'ml-kmeans';
import { adjustedRandIndex } from '../analysis/math/statistics.js';
import { silhouettes } from '../analysis/tuning/trySetting.js';

const { DAYBOOK_URL: url, DAYBOOK_TOKEN: token, TABLES: folder } = process.env;
const source = process.argv[2] ?? '1';

type Row = Readonly<Record<string, unknown>>;

/** A body of the service. */
const answerOf = async (path: string): Promise<Uint8Array> => {
  if (url === undefined || token === undefined)
    throw new Error('set DAYBOOK_URL and DAYBOOK_TOKEN, or TABLES: see examples/README.md');
  const answer = await fetch(`${url}/v1/${path}`, { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return new Uint8Array(await answer.arrayBuffer());
};

const dayMs = 86_400_000;
/** Most days of a request. */
const daysMax = 1100;

/** First dates of the requests that a table of dates needs: from the reference to the newest data. */
const firstDates = async (): Promise<readonly number[]> => {
  const text = new TextDecoder().decode(await answerOf(`source/${source}`));
  const { reference, lastData } = JSON.parse(text) as {
    readonly reference: { readonly from: string };
    readonly lastData: { readonly date: string };
  };
  const from = Date.parse(reference.from);
  const count = Math.floor((Date.parse(lastData.date) - from) / dayMs / daysMax) + 1;
  return Array.from({ length: count }, (_, part) => from + part * daysMax * dayMs);
};

/** Bytes of the parts of a table: from a folder, or from the service. */
const partsOf = async (name: string): Promise<readonly Uint8Array[]> => {
  if (folder !== undefined) return [readFileSync(join(folder, `${name}.arrow`))];
  const path = `table/${source}/${name}?format=arrow`;
  if (name === 'models') return [await answerOf(path)];
  const parts: Uint8Array[] = [];
  for (const first of await firstDates()) {
    const [from, to] = [first, first + daysMax * dayMs].map(ms => new Date(ms).toISOString().slice(0, 10));
    parts.push(await answerOf(`${path}&from=${from}&to=${to}`));
  }
  return parts;
};

/** Rows of a table. Arrow has dates as milliseconds: they become YYYY-MM-DD. */
const rowsOf = async (name: string): Promise<readonly Row[]> =>
  (await partsOf(name))
    .flatMap(part => tableFromIPC(part).toArray() as { readonly toJSON: () => Row }[])
    .map(row => {
      const { date, ...rest } = row.toJSON();
      return date === undefined ? rest : { ...rest, date: new Date(Number(date)).toISOString().slice(0, 10) };
    });

const grouped = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
const dateOf = (row: Row): string => String(row['date']);

const [days, models, residuals, alerts] = await Promise.all(
  ['days', 'models', 'residuals', 'alerts'].map(rowsOf),
);
if (!days || !models || !residuals || !alerts) throw new Error('a table is missing');
const modelIds = [...new Set(models.map(row => Number(row['modelId'])))];
console.log(`${new Set(days.map(dateOf)).size} days, ${modelIds.length} models, ${alerts.length} alerts`);

// 1. Days as a matrix: one row a date, one column a slice. Days with a gap are left out.

const reference = [
  ...grouped(
    days.filter(row => row['kind'] === 'reference'),
    dateOf,
  ),
]
  .map(([date, slices]) => ({
    date,
    missing: slices.some(row => row['value'] === null),
    values: slices.sort((a, b) => Number(a['slice']) - Number(b['slice'])).map(row => Number(row['value'])),
  }))
  .filter(({ missing }) => !missing);
const matrix = reference.map(({ values }) => values);
console.log(
  `${matrix.length} whole reference days of ${matrix[0]?.length ?? 0} slices, mean ${mean(matrix.flat()).toFixed(1)}`,
);

// 2. The planned model of each reference day, compared with plain k-means: 1 is the same partition, 0 is chance.

const planned = new Map(
  residuals
    .filter(row => row['kind'] === 'reference')
    .map(row => [dateOf(row), Number(row['plannedModelId'])]),
);
const count = Math.max(2, modelIds.length);
const { clusters } = kmeans(matrix, count, { initialization: 'kmeans++', seed: 1 });
const plans = reference.map(({ date }) => planned.get(date) ?? 0);
console.log(`adjusted Rand index ${adjustedRandIndex(plans, clusters).toFixed(2)}`);
console.log(`silhouette of k-means ${mean(silhouettes(matrix, clusters) ?? []).toFixed(2)}`);

// 3. Beyond −1 and 1 a residual is outside the bounds of its model. Recent days with most of them come first.

const outside = [
  ...grouped(
    residuals.filter(row => row['kind'] === 'recent'),
    dateOf,
  ),
]
  .map(([date, slices]) => ({
    date,
    share: mean(slices.map(row => Number(Math.abs(Number(row['normalisedResidual'] ?? 0)) > 1))),
  }))
  .sort((a, b) => b.share - a.share);
for (const { date, share } of outside.slice(0, 5)) {
  const sentences = alerts.filter(row => dateOf(row) === date).map(row => String(row['sentence']));
  console.log([date, `${Math.round(100 * share)} %`, ...sentences].join('  '));
}
