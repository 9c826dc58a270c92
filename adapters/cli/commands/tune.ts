import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { settingName } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { makeFolder } from '../../makeFolder.js';
import { SettingsError } from '../../settings/settingsError.js';
import type { TableFormat } from '../../tables/formats.js';
import { wrongOption } from '../terminal/arguments.js';
import { colorsOf, paint } from '../terminal/colors.js';
import type { Command } from '../terminal/command.js';
import { Unreadable } from '../terminal/inputFile.js';
import { byteSize, plain, wrap } from '../terminal/text.js';
import { bundleText, modelsBody, NoBundle } from '../tune/bundle.js';
import { daysFile } from '../tune/daysTable.js';
import { covariateResults, covariateText } from '../tune/covariateWords.js';
import type { Tuned } from '../tune/facts.js';
import { FaultyFile, faultLines } from '../tune/files.js';
import { readOptions, type TuneOptions } from '../tune/options.js';
import type { TuneOutput } from '../tune/output.js';
import { replay } from '../tune/replay.js';
import { reportHtml } from '../tune/report/report.js';
import { calendarText, candidatesText, recommendationText, resetPath } from '../tune/report/words.js';
import { loadData, tuneOn } from '../tune/results.js';
import { csvTable, jsonTable, terminalTable } from '../tune/table.js';
import { usage } from '../tune/usage.js';

type Options = Extract<TuneOptions, { kind: 'tune' }>;

/** Widest text below the table. */
const textWidthMax = 110;

/** The default output folder for a source. Characters with a meaning in a shell or a path are replaced. */
const folderOf = (name: string): string => `tune-${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)}`;

/** The setting of `--pick`, else the recommended one. @throws SettingsError */
const pickedOf = ({ tried, recommended }: Tuned, pick: string | null): TriedSetting => {
  const picked = pick === null ? tried[recommended] : tried.find(({ asked }) => settingName(asked) === pick);
  if (picked) return picked;
  const names = tried.map(({ asked }) => settingName(asked)).join(', ');
  throw wrongOption('--pick', pick ?? '', `one of ${names}`);
};

/** Writes report, bundle, models and days. Resolves to the names of the files with their sizes. */
const writeFiles = async (
  folder: string,
  tuned: Tuned,
  picked: TriedSetting,
  days: TableFormat,
): Promise<string[]> => {
  makeFolder(resolve(folder));
  const files = {
    'report.html': reportHtml(tuned, tuned.tried.indexOf(picked)),
    'bundle.json': bundleText(tuned),
    'models.json': `${JSON.stringify(modelsBody(picked.models))}\n`,
    [`days.${days}`]: await daysFile(tuned.tried, days),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return Object.entries(files).map(([name, content]) => `${name} (${byteSize(Buffer.byteLength(content))})`);
};

/** Prints the table and what was written. */
const printText = (
  tuned: Tuned,
  picked: TriedSetting,
  written: string,
  { stdout, colors, width }: TuneOutput,
): void => {
  const paragraph = (text: string): void =>
    stdout(`${wrap(plain(text), Math.min(textWidthMax, width)).join('\n')}\n`);
  stdout(`${terminalTable(tuned, paint(colors), width).join('\n')}\n\n`);
  paragraph(`${recommendationText(tuned)} ${candidatesText(tuned)}`);
  paragraph(calendarText(tuned));
  for (const one of covariateResults(picked)) paragraph(covariateText(one));
  paragraph(`written to ${written}`);
  paragraph(
    `models.json has the models of ${settingName(picked.asked)}, with bounds only; ` +
      `${resetPath(tuned, picked)} keeps all limits`,
  );
};

/** Tries all settings, writes the files and prints the results. Resolves to the exit code. */
const tuneData = async (
  { from, parameters, pick, out, days, print }: Options,
  output: TuneOutput,
): Promise<number> => {
  const loaded = await loadData(from, parameters);
  for (const note of loaded.notes) output.stderr(`note: ${note}\n`);
  const tuned = await tuneOn(loaded, parameters, output);
  const picked = pickedOf(tuned, pick);
  const folder = out ?? folderOf(tuned.name);
  const written = await writeFiles(folder, tuned, picked, days);
  if (print === 'json') output.stdout(jsonTable(tuned));
  else if (print === 'csv') {
    output.stderr(`note: ${plain(calendarText(tuned))}\n`);
    output.stdout(csvTable(tuned));
  } else printText(tuned, picked, `${folder}: ${written.join(', ')}`, output);
  return 0;
};

/**
 * Runs `daybook tune`. Resolves to the exit code.
 * @throws SettingsError, StoreUnavailable, WrongArguments
 */
export const runTune = async (
  args: readonly string[],
  output: TuneOutput,
  env: NodeJS.ProcessEnv,
): Promise<number> => {
  const options = readOptions(args, env);
  try {
    return options.kind === 'replay' ? await replay(options, output) : await tuneData(options, output);
  } catch (error) {
    if (error instanceof FaultyFile) throw new SettingsError(faultLines(error).join('\n'));
    if (error instanceof NoBundle && options.kind === 'replay')
      throw new SettingsError(`${plain(basename(options.bundle))} is not a bundle: ${error.message}`);
    if (error instanceof Unreadable) throw new SettingsError(error.message);
    throw error;
  }
};

/** `daybook tune`: compares settings offline, on files or on the history of a source. */
export const tune: Command = {
  usage,
  run: (args, env) => {
    const { stdout, stderr } = process;
    return runTune(
      args,
      {
        stdout: text => void stdout.write(text),
        stderr: text => void stderr.write(text),
        isTerminal: stderr.isTTY,
        colors: colorsOf(stdout, env),
        width: stdout.isTTY && stdout.columns > 0 ? stdout.columns : Infinity,
      },
      env,
    );
  },
};
