import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { makeFolder } from '../../environment.js';
import { SettingsError } from '../../settings/values.js';
import type { TableFormat } from '../../tables.js';
import { byteSize, plain } from '../terminal/text.js';
import { bundleText, isBundle, modelsBody } from './bundle.js';
import type { Tuned } from './facts.js';
import type { From } from './options.js';
import { reportHtml } from './report/report.js';
import { daysFile } from './table.js';

/** The default output folder for a source. Characters with a meaning in a shell or a path are replaced. */
export const folderOf = (name: string): string =>
  `tune-${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)}`;

const bundleName = 'bundle.json';

/** The files of a run: their names, the bundle first, by which an ended run is known. */
const outputNames = (days: TableFormat): readonly string[] => [
  bundleName,
  'report.html',
  'models.json',
  `days.${days}`,
];

/** Whether a folder has the bundle of an earlier run, so its other files are those of that run. */
const hasBundle = (folder: string): boolean => {
  const file = join(folder, bundleName);
  return existsSync(file) && isBundle(readFileSync(file, 'utf8'));
};

/**
 * Refuses to replace a file that is an input, or that no earlier run has written.
 * @throws SettingsError
 */
export const requireOwnFiles = (folder: string, days: TableFormat, from: From): void => {
  const inputs =
    from.kind === 'files'
      ? [
          from.reference,
          ...(from.recent === null ? [] : [from.recent]),
          ...from.explainedBy.map(({ path }) => path),
        ]
      : [];
  const read = new Set(inputs.filter(file => existsSync(file)).map(file => realpathSync(file)));
  const present = outputNames(days)
    .map(name => join(folder, name))
    .filter(file => existsSync(file));
  const other = present.find(file => read.has(realpathSync(file)) || !hasBundle(folder));
  if (other !== undefined)
    throw new SettingsError(
      `--out: ${plain(other)} exists and is no output of tune, expected another folder, or one of an earlier run`,
    );
};

/** Writes report, bundle, models and days. Resolves to the names of the files with their sizes. */
export const writeFiles = async (
  folder: string,
  tuned: Tuned,
  picked: TriedSetting,
  days: TableFormat,
): Promise<string[]> => {
  makeFolder(resolve(folder));
  const contents = [
    bundleText(tuned),
    reportHtml(tuned, tuned.tried.indexOf(picked)),
    `${JSON.stringify(modelsBody(picked.models))}\n`,
    await daysFile(tuned.tried, days),
  ];
  const written: string[] = [];
  for (const [index, name] of outputNames(days).entries()) {
    const content = contents[index] ?? '';
    await writeFile(join(folder, name), content);
    written.push(`${name} (${byteSize(Buffer.byteLength(content))})`);
  }
  return written;
};
