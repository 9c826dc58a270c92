// Cost of verifying a log compared with reading it: `npm run bench:audit [events]`, by default 100,000. Prints a
// Markdown table of medians. Nothing is asserted: absolute speeds depend on the machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { frontier, leafHash } from '../auditing/merkle.js';
import { verifier } from '../auditing/logVerifier.js';
import { openReadModels, openTemporaryReadModels } from '../adapters/composition/openLog.js';
import { replay } from '../application/reading/replay.js';
import { firstDifference } from '../application/reading/scrubber.js';
import { linesOfFile } from '../adapters/sqlite/readOnly.js';
import { sqliteStore } from '../adapters/sqlite/sqliteStore.js';
import { fillByCommands } from '../test/helpers/logs/auditLog.js';
import type { Database } from 'better-sqlite3';

/**
 * Returns a function that writes the rows of finished read models into new ones, each row with one insert, and then
 * the indexes: the least work of a rebuild. The rows are kept in memory.
 */
const rowCopier = (finished: Database): ((to: ReturnType<typeof openReadModels>) => void) => {
  const names = finished
    .prepare<[], string>(`select name from sqlite_master where type = 'table' and name <> 'shapes'`)
    .pluck()
    .all();
  const tables = names.map(name => ({
    name,
    rows: finished.prepare<[], readonly unknown[]>(`select * from "${name}"`).raw().all(),
  }));
  return ({ db, models }) => {
    models.begin();
    models.dropIndexes();
    for (const { name, rows } of tables) {
      if (rows.length === 0) continue;
      const insert = db.prepare(`insert into "${name}" values (${rows[0]?.map(() => '?').join(', ')})`);
      for (const row of rows) insert.run(row);
    }
    models.commit();
    while (models.createIndex());
  };
};

const eventsMin = Number(process.argv[2] ?? 100_000);
/** Measured rounds; one more round warms up. */
const rounds = 3;

const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const file = join(folder, 'events.sqlite');

/** Reads the log as the service does. */
const reading = async (): Promise<number> => {
  const store = sqliteStore(file);
  let count = 0;
  for await (const _ of store.all(0n)) count += 1;
  await store.close();
  return count;
};

/** Reads the log as `daybook verify` does, and passes each line on. */
const exporting = async (take: (line: string, faults: readonly string[]) => unknown): Promise<number> => {
  let count = 0;
  for await (const { line, faults } of linesOfFile(file)) {
    take(line, faults);
    count += 1;
  }
  return count;
};

const newReadModels = () => openReadModels(join(mkdtempSync(join(folder, 'models-')), 'read-models.sqlite'));

/** Builds read models from the log, with its Merkle tree or without. */
const rebuilding = async (withTree: boolean): Promise<number> => {
  const store = sqliteStore(file);
  const { models, close } = newReadModels();
  const { count } = await replay(models, store.all(0n), { tree: withTree });
  close();
  await store.close();
  return count;
};

/** Reads the log and writes the rows of its read models, which are known. */
const copying = async (copy: ReturnType<typeof rowCopier>): Promise<number> => {
  const count = await reading();
  const made = newReadModels();
  copy(made);
  made.close();
  return count;
};

/** A function that copies the rows of the read models of the log. */
const copierOf = async (withTree: boolean): Promise<ReturnType<typeof rowCopier>> => {
  const store = sqliteStore(file);
  const { db, models, close } = newReadModels();
  await replay(models, store.all(0n), { tree: withTree });
  const copy = rowCopier(db);
  close();
  await store.close();
  return copy;
};

/** Compares finished read models with the log, as a running service does at a share of a core. */
const comparing = async ({ models }: ReturnType<typeof newReadModels>): Promise<number> => {
  const store = sqliteStore(file);
  const snapshot = () => ({ models, close: () => {} });
  const park = (): never => {
    throw new Error('a damaged event in an unchanged log');
  };
  const parts = { store, models, snapshot, openTemporary: openTemporaryReadModels, parking: { park } };
  const found = await firstDifference(parts, () => undefined);
  if (found) throw new Error(`a difference in an unchanged log: ${found.table} ${found.key}`);
  await store.close();
  return models.tree.size();
};

const finishedReadModels = async (): Promise<ReturnType<typeof newReadModels>> => {
  const store = sqliteStore(file);
  const made = newReadModels();
  await replay(made.models, store.all(0n), { tree: true });
  await store.close();
  return made;
};

const verifying = async (known: boolean): Promise<number> => {
  const check = verifier(known ? [checkpoint] : []);
  let n = 0;
  const count = await exporting((line, faults) =>
    check.take(line, known ? fingerprints[n++] : undefined, faults),
  );
  if (check.done().findingCount > 0) throw new Error('a finding in an unchanged log');
  return count;
};

const store = sqliteStore(file);
process.stderr.write(`a log of ${eventsMin} events …\n`);
await fillByCommands(store, eventsMin, 1);
await store.close();
const tree = frontier();
const fingerprints: string[] = [];
let origin = '';
let bytes = 0;
const events = await exporting(line => {
  const leaf = leafHash(line);
  tree.append(leaf);
  fingerprints.push(leaf.toString('hex'));
  origin ||= (JSON.parse(line) as { readonly id: string }).id;
  bytes += Buffer.byteLength(line);
});
const checkpoint = {
  origin,
  size: events,
  root: tree.root().toString('hex'),
  at: '2026-01-31T12:00:00.000Z',
};

const finished = await finishedReadModels();
const [copyWithoutTree, copyWithTree] = [await copierOf(false), await copierOf(true)];
const measures: readonly (readonly [string, () => Promise<number>])[] = [
  ['reading only', reading],
  ['building the lines of an export', () => exporting(() => undefined)],
  ['verifying without a checkpoint', () => verifying(false)],
  ['verifying with a checkpoint and leaf hashes', () => verifying(true)],
  ['reading, and writing the finished rows without the tree', () => copying(copyWithoutTree)],
  ['rebuilding the read models without the tree', () => rebuilding(false)],
  ['reading, and writing the finished rows', () => copying(copyWithTree)],
  ['rebuilding the read models', () => rebuilding(true)],
  ['comparing the read models with the log', () => comparing(finished)],
];

/** Events per second, and per second of CPU time. */
type Speed = { readonly wall: number; readonly cpu: number };

const timed = async (measure: () => Promise<number>): Promise<Speed> => {
  const [begun, cpuBefore] = [performance.now(), process.cpuUsage()];
  const count = await measure();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall: (1000 * count) / (performance.now() - begun), cpu: (1e6 * count) / (user + system) };
};

const speeds = measures.map((): Speed[] => []);
for (let round = 0; round <= rounds; round += 1)
  for (const [row, [name, measure]] of measures.entries()) {
    process.stderr.write(`${round}: ${name}\n`);
    const speed = await timed(measure);
    if (round > 0) speeds[row]?.push(speed);
  }
const medianOf = (row: number, kind: keyof Speed): number =>
  (speeds[row] ?? []).map(speed => speed[kind]).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN;
process.stdout.write(
  '| work | events per second | events per second of CPU | relative to reading |\n| --- | --: | --: | --: |\n',
);
for (const [row, [name]] of measures.entries()) {
  const [wall, cpu] = [medianOf(row, 'wall'), medianOf(row, 'cpu')];
  const numbers = [wall, cpu].map(speed => Math.round(speed).toLocaleString('en'));
  process.stdout.write(`| ${name} | ${numbers.join(' | ')} | ${(cpu / medianOf(0, 'cpu')).toFixed(2)} |\n`);
}
process.stdout.write(
  `\n${events.toLocaleString('en')} events of ${Math.round(bytes / events)} bytes on average, medians of ${rounds} rounds, ` +
    `Node ${process.version}, ${availableParallelism()} cores.\n`,
);
rmSync(folder, { recursive: true, force: true });
