// The public benchmark: its data are those that the manifest names, and README and docs have its recorded results.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { engine } from '../../analysis/engine.js';
import {
  benchmarkFolder as folder,
  manifestOf,
  parts,
  partFile,
  readPart,
  seriesFacts,
} from '../../bench/quality/dataFolder.js';
import { documents, refreshed, type Results } from '../../bench/quality/record.js';
import { repositoryRoot } from '../helpers/repository.js';

const manifest = manifestOf(folder) ?? [];
const shipped = manifest.filter(entry => entry.shipped);
const root = repositoryRoot();

/** Largest size of the shipped files together. */
const bytesMax = 6 * 1024 * 1024;

t.test('the manifest describes each series', async t => {
  t.equal(manifest.length, 34);
  t.equal(new Set(manifest.map(({ name }) => name)).size, 34);
  for (const { name, origin, licence, transformation, ...entry } of manifest) {
    t.match(origin.repository, /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/, name);
    t.match(origin.commit, /^[0-9a-f]{40}$/, name);
    t.ok(origin.file && origin.original && licence && transformation, name);
    for (const part of parts) t.match(entry[part].sha256, /^[0-9a-f]{64}$/, `${name}: ${part}`);
    const { knownEvents } = seriesFacts(folder, name) as { knownEvents: { date: string; source?: string }[] };
    t.ok(knownEvents.length > 0, name);
    for (const { date, source } of knownEvents) t.ok(source, `${name}: source of ${date}`);
  }
});

t.test('shipped series may be copied, name their authors, and are the described ones', async t => {
  const notes = readFileSync(join(folder, 'README.md'), 'utf8');
  t.ok(shipped.length > 10);
  for (const { name, licence, attribution, ...entry } of shipped) {
    t.match(licence, /\bMIT\b|\bCC BY\b|\bCC0\b|Open Government|public domain/, name);
    t.notMatch(licence, /not checked/, name);
    t.ok(attribution && notes.includes(name), `${name} names its authors`);
    for (const part of parts) {
      const file = partFile(folder, name, part) ?? '';
      t.match(file, /\.csv\.gz$/, `${name}: ${part} is compressed`);
      const csv = readPart(folder, name, part);
      t.equal(createHash('sha256').update(csv).digest('hex'), entry[part].sha256, file);
      t.equal(csv.toString('latin1').split('\n').length - 2, entry[part].rows, `${file}: rows`);
    }
  }
  const files = readdirSync(folder).filter(file => file.endsWith('.gz'));
  t.strictSame(
    files,
    shipped.flatMap(({ name }) => [`${name}.recent.csv.gz`, `${name}.reference.csv.gz`]),
  );
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  t.ok(bytes <= bytesMax, `${bytes} bytes`);
});

t.test('README and docs have the numbers of the recorded results', async t => {
  const results = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as Results;
  const cure = 'else run npm run quality -- --record';
  t.equal(results.engine, engine, `results of this engine, ${cure}`);
  t.strictSame(
    results.series,
    shipped.map(({ name }) => name),
  );
  for (const file of documents) {
    const text = readFileSync(join(root, file), 'utf8');
    t.equal(refreshed(text, results), text, `${file} has the recorded numbers, ${cure}`);
    const other = {
      ...results,
      methods: results.methods.map(method => ({ ...method, ordinary: { count: 1, of: 2 } })),
    };
    t.match(refreshed(text, other), '50.0 %', `${file}: numbers are replaced`);
  }
  const printed = readFileSync(join(folder, 'results.txt'), 'utf8');
  t.ok(
    printed.startsWith(`${results.series.length} series, engine ${engine}: ${results.series.join(', ')}\n`),
  );
  t.throws(() => refreshed('no numbers', results), /without numbers/);
});
