import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Folder of the public benchmark: series that may be copied, and those that were rebuilt from their origins. */
export const benchmarkFolder = fileURLToPath(new URL('../../../bench/data', import.meta.url));

/** The two parts of a series. */
export const parts = ['reference', 'recent'] as const;
export type Part = (typeof parts)[number];

/** Where a series comes from, as its manifest states it. */
export type Origin = {
  readonly repository: string;
  readonly commit: string;
  readonly file: string;
  readonly original: string;
};

/** An entry of a manifest, without the facts that only single readers use. */
export type ManifestEntry = {
  readonly name: string;
  readonly origin: Origin;
  readonly licence: string;
  /** Whether the files of the series are in the repository. */
  readonly shipped: boolean;
  /** The authors to be named, and the licence; of shipped series. */
  readonly attribution?: string;
  readonly transformation: string;
  readonly activitySize: number;
} & Readonly<
  Record<Part, { readonly sha256: string; readonly from: string; readonly to: string; readonly rows: number }>
>;

/** Entries of the manifest of a folder; null without a manifest. */
export const manifestOf = (folder: string): readonly ManifestEntry[] | null => {
  const file = join(folder, 'manifest.json');
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly series: readonly ManifestEntry[] }).series;
};

/**
 * Facts of a series: its entry in the manifest, or its own file in a folder without one.
 * @throws Error when the manifest does not name the series
 */
export const seriesFacts = (folder: string, name: string): unknown => {
  const manifest = manifestOf(folder);
  if (manifest === null) return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const entry = manifest.find(entry => entry.name === name);
  if (!entry) throw new Error(`got the series ${name}, expected one that ${folder}/manifest.json names`);
  return entry;
};

/** File of a part, compressed or not; null when it is not there. */
export const partFile = (folder: string, name: string, part: string): string | null =>
  [`${name}.${part}.csv`, `${name}.${part}.csv.gz`]
    .map(file => join(folder, file))
    .find(file => existsSync(file)) ?? null;

/**
 * CSV of a part, decompressed.
 * @throws Error when the part is missing
 */
export const readPart = (folder: string, name: string, part: string): Buffer => {
  const file = partFile(folder, name, part);
  if (file === null)
    throw new Error(`got no file ${name}.${part}.csv in ${folder}, expected it, or it with .gz`);
  const bytes = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
};

/** Names of the series of which both parts are there, the largest first, so that threads end together. */
export const seriesNames = (folder: string): string[] => {
  const named =
    manifestOf(folder)?.map(({ name }) => name) ??
    readdirSync(folder)
      .filter(file => file.endsWith('.json'))
      .map(file => file.slice(0, -'.json'.length));
  return named
    .filter(name => parts.every(part => partFile(folder, name, part)))
    .map(name => ({ name, size: statSync(partFile(folder, name, 'reference') ?? '').size }))
    .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
};
