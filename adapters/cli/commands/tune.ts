import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { settingName } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { SettingsError } from '../../settings/values.js';
import type { Command } from '../terminal/arguments.js';
import { Unreadable } from '../terminal/inputFiles.js';
import { colorsOf, hanging, paint, plain, wrap } from '../terminal/text.js';
import { bundleText, NoBundle, firstDifference, readBundle, type Bundle } from '../tune/bundle.js';
import { csvTable, jsonTable, terminalTable } from '../tune/table.js';
import { applySetting, askOn, requireApplicable, type Applying } from '../tune/apply.js';
import { covariateResults, covariateText } from '../tune/covariates.js';
import { type Tuned, dataFacts } from '../tune/facts.js';
import { FaultyFile, faultLines } from '../tune/files.js';
import { folderOf, requireOwnFiles, writeFiles } from '../tune/outputs.js';
import { readOptions, type TuneOptions } from '../tune/options.js';
import { type TuneOutput, loadData, tuneOn, type Loaded } from '../tune/results.js';
import { calendarText, candidatesText, recommendationText, resetPath } from '../tune/report/words.js';
import { engine } from '../../../analysis/engine.js';
import { plural } from '../../../domain/text.js';
import { allColumns } from '../tune/columns.js';

/** Widest text of the help, and below the table. */
const textWidthMax = 110;

/** The explanation of all columns. */
const columnsText = allColumns
  .flatMap(({ head, meaning }) => hanging(`  ${head.padEnd(16)}`, meaning, textWidthMax))
  .join('\n');

/** Text of `daybook tune --help`. */
const usage = `usage: daybook tune reference.csv [recent.csv] [options]
       daybook tune --source <id> [--log <log>] [options]
       daybook tune --replay bundle.json reference.csv [recent.csv]
       daybook tune --replay bundle.json --source <id> [--log <log>]

Learns a reference year under many settings, checks the recent days under each of them, and compares the
results. Needs no server, sends nothing over the network and changes no log, unless --apply-to is given.

Files are those of an import: CSV ("date";"value", UTC, decimal comma) or JSON (the bodies of
/v1/import/create-source and /v1/import/days), plain or packed as .gz. A file that an import would refuse is
refused with the same faults. All CSV files have one form.

Settings, in this order:
  1. chosen        the engine chooses the number of models, default limits: as for a new source
  2. 2 … 12        each number of --models, default limits
  3. k@coverage    each target coverage of --coverage, with the chosen number of models
Not every number is combined with every coverage, because they are nearly independent: the number of models
decides the prediction, the coverage decides the limits. --cross tries all combinations.

  --models 2..12          numbers of models, a range or a list (4,6,8), 1 to 64
  --coverage 0.9..0.995   target coverages: those of 0.9, 0.95, 0.98, 0.99, 0.995 in a range, or a list of any
  --cross                 every number of models with every coverage
  --calendar FR           public holidays of a country or region (DE-NW), or none. By default those of the source
                          or of the JSON body, else the country that best explains the odd days of the reference,
                          as in the service; the output names it and the evidence
  --seed 1                seed for the random starts of the clustering; 1 with --apply-to, as in the service
  --activity-size 24      slices a day, as for a new source; likewise --interpolation zero or linear,
                          --aggregation mean, sum or counter
  --time-zone Europe/Paris
                          zone whose midnights cut the days, UTC by default; with --clock local stamps without an
                          offset are times of that zone
  --separator , --decimal . --date-format "DD/MM/YYYY HH:mm" --date-column time --value-column 3
                          how the CSV files are written, as the parameters of the same names of an import
  --explained-by "Temperature=outside.csv"
                          a covariate: a name and a CSV file that is read with the same options, up to three times.
                          Learned and used as the service does it, dropped where it does not help held-out days
  --pick 7@0.95           writes the models of this setting instead of the recommended one; it is tried last if it is
                          none of the others
  --apply-to 12           lets a running service learn that setting for its source 12, after a preview of what it
                          changes and a question; with --yes without the question. The service is in DAYBOOK_URL, a
                          token with the scopes read and model in DAYBOOK_TOKEN
  --out folder            output folder, ./tune-<name> by default. Files of an earlier run in it are replaced, others
                          never
  --days csv              format of the file of days: csv, ndjson or arrow
  --json, --csv           prints only the numbers of all settings, in this format

Written to the folder:
  report.html   all results in pictures and words; one file that needs no network
  bundle.json   digests of the data, parameters, engine and results. --replay computes them again and compares
                every byte (except the names of files)
  models.json   the models of the recommended setting, a body for POST /v1/model/bulk-replace/{source_id}
  days.csv      each day under each setting: its models, and the outcome of its check

Installed models (models.json) have bounds only: each value of a day is compared with them. The limits on means
and changes, flatlines, drift, and the planning learned from the reference are lost, and the numbers below do
not apply. To keep everything let the service learn the same setting, with --apply-to or by
POST /v1/model/reset/{source_id}/{model_count}?coverage={coverage}. The output names this request.

With --source: the current reference days, recent days and alerts of a source in the embedded log, a data folder or its
events.sqlite; that of the settings without --log. A service may be using it. For EventStoreDB, first make a file with
daybook copy-log. Days are checked with the floor and the accepted changes of the source. The planning is automatic under
every setting: planning by users is not used, and neither are verdicts on data that was replaced later and dates in
progress. Covariates are the sources in explainedBy of the source, with their present values: the models are those of
a reset now.

The numbers:
${columnsText}

The recommended setting is the chosen one. With at least ten verdicts of users: of the settings that keep the most
confirmed alerts those that save the most false ones, and of these the one that gains the fewest.

Exit codes: 0 done, or a replay gave the same bytes; 1 a replay gave other bytes (the first difference is named), or
the service refused the setting; 2 wrong usage, a file with faults, or a refused token; 3 a store cannot be read, the
service cannot be reached, or a replay is undecided because the bundle belongs to other data or another engine.
`;

const parts = [
  ['reference', 'reference days'],
  ['recent', 'recent days'],
  ['alerts', 'alerts'],
  ['specialDays', 'special days'],
  ['covariates', 'covariates'],
] as const;

/** The first difference between the data of a bundle and the given data; undefined when they are the same. */
const dataDifference = ({ data }: Bundle, loaded: Loaded): string | undefined => {
  const now = dataFacts(loaded);
  for (const [part, words] of parts) {
    const [recorded, given] = [data[part]?.sha256, now[part]?.sha256];
    if (recorded !== given)
      return `the ${words} differ: the bundle has SHA-256 ${recorded ?? 'none'}, these have ${given ?? 'none'}`;
  }
  return undefined;
};

/** Computes the results of a bundle again and compares every byte. Resolves to the exit code. @throws NoBundle */
const replay = async (
  { from, bundle: file }: Extract<TuneOptions, { kind: 'replay' }>,
  output: TuneOutput,
): Promise<number> => {
  const recorded = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new NoBundle(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  });
  const bundle = readBundle(recorded);
  const undecided = (why: string): number => {
    output.stderr(`undecided: ${plain(why)}\n`);
    return 3;
  };
  if (bundle.origin.kind !== from.kind) {
    const expected = bundle.origin.kind === 'files' ? 'files' : '--source';
    output.stderr(`--replay: the bundle was made from a ${bundle.origin.kind}, expected ${expected}\n`);
    return 2;
  }
  if (bundle.engine !== engine)
    return undecided(`the bundle belongs to engine ${bundle.engine}, this is ${engine}`);
  const until = bundle.origin.kind === 'store' ? bundle.origin.revisions : undefined;
  const loaded = await loadData(from, bundle.parameters, until);
  const other = dataDifference(bundle, loaded);
  if (other !== undefined) return undecided(other);
  // Names come from the bundle: files may have been renamed, and only their content counts.
  const { name, origin, referenceYear, parameters } = bundle;
  const tuned = await tuneOn({ ...loaded, name, origin, referenceYear }, parameters, output);
  const difference = firstDifference(recorded, bundleText(tuned));
  if (difference !== undefined) {
    output.stderr(`different: ${plain(difference)}\n`);
    return 1;
  }
  output.stdout(`the same to the byte: ${plural(tuned.tried.length, 'setting')}, engine ${engine}\n`);
  return 0;
};

type Options = Extract<TuneOptions, { kind: 'tune' }>;

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
      `${resetPath(tuned, picked)}, which --apply-to sends, keeps all limits`,
  );
};

/** Tries all settings, writes the files and prints the results. Resolves to the exit code. */
const tuneData = async (
  { from, parameters, pick, out, days, print, applyTo }: Options,
  applying: Applying,
): Promise<number> => {
  requireApplicable(applyTo, applying);
  const { output } = applying;
  const loaded = await loadData(from, parameters);
  const folder = out ?? folderOf(loaded.name);
  requireOwnFiles(folder, days, from);
  for (const note of loaded.notes) output.stderr(`note: ${note}\n`);
  const tuned = await tuneOn(loaded, parameters, output);
  const name = pick && settingName(pick);
  const picked = (tuned.tried.find(({ asked }) => settingName(asked) === name) ??
    tuned.tried[tuned.recommended]) as TriedSetting;
  const written = await writeFiles(folder, tuned, picked, days);
  if (print === 'json') output.stdout(jsonTable(tuned));
  else if (print === 'csv') {
    output.stderr(`note: ${plain(calendarText(tuned))}\n`);
    output.stdout(csvTable(tuned));
  } else printText(tuned, picked, `${folder}: ${written.join(', ')}`, output);
  return applyTo ? applySetting(applyTo, picked, applying) : 0;
};

/**
 * Runs `daybook tune`. Resolves to the exit code.
 * @param ask how `--apply-to` asks; null without a terminal
 * @throws SettingsError, StoreUnavailable, WrongArguments
 */
export const runTune = async (
  args: readonly string[],
  output: TuneOutput,
  env: NodeJS.ProcessEnv,
  ask: Applying['ask'] = null,
): Promise<number> => {
  const options = readOptions(args, env);
  try {
    return options.kind === 'replay'
      ? await replay(options, output)
      : await tuneData(options, { env, output, ask });
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
    const { stdin, stdout, stderr } = process;
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
      stdin.isTTY && stderr.isTTY ? askOn(stdin, stderr) : null,
    );
  },
};
