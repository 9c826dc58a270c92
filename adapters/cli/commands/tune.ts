import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { calendarOf } from '../../../analysis/calendar/holidays.js';
import { inferCalendar } from '../../../analysis/calendar/inferCalendar.js';
import { engine } from '../../../analysis/engine.js';
import { settingName } from '../../../analysis/tuning/tune.js';
import type { TuneData } from '../../../analysis/tuning/trySetting.js';
import { compareAlerts } from '../../../analysis/tuning/compareAlerts.js';
import { recommended } from '../../../analysis/tuning/recommended.js';
import type { Calendar } from '../../../domain/calendar.js';
import type { Command } from '../terminal/command.js';
import { paint, type ColorCount } from '../terminal/colors.js';
import { Unreadable } from '../terminal/inputFile.js';
import { bar } from '../terminal/progress.js';
import { byteSize, plain, plural, wrap } from '../terminal/text.js';
import { readWish, type From, type Wish } from '../tune/options.js';
import {
  NoBundle,
  bundleText,
  dataFacts,
  firstDifference,
  modelsBody,
  readBundle,
  type Bundle,
  type Parameters,
  type Tuned,
} from '../tune/bundle.js';
import { FaultyFile, faultLines, readFiles } from '../tune/files.js';
import { readHistory, type Revisions } from '../tune/history.js';
import { calendarText, reportHtml, resetPath } from '../tune/report/report.js';
import { sweepInThreads } from '../tune/sweep.js';
import { allColumns, csvTable, jsonTable, terminalTable } from '../tune/table.js';

const usage = `usage: daybook tune reference.csv [recent.csv] [options]
       daybook tune --from-store <data folder> --source <id> [options]
       daybook tune --replay bundle.json reference.csv [recent.csv]
       daybook tune --replay bundle.json --from-store <data folder> --source <id>

The data scientist's workbench: learns a reference year under many settings, checks the recent days under each,
and says what each is worth. No server is needed, nothing is sent anywhere and no log is changed.

Files are those of an import: CSV ("date";"value", UTC, decimal comma) or JSON (the bodies of
/v1/import/create-source and /v1/import/days), plain or packed as .gz. What an import would refuse is refused
here, with the same faults.

Settings that are tried, in this order:
  1. chosen    the engine chooses the number of models, default limits: what a new source gets
  2. 2 … 12    each number of --models, default limits
  3. k@level   each level of --level, with the number of models that was chosen
Not every number is tried with every level: the number of models decides what is foretold, the level how far out
an alert begins. --cross tries them all.

  --models 2..12          numbers of models, a range or a list (4,6,8), 1 to 64
  --level 0.9..0.995      levels of the bounds: of 0.9, 0.95, 0.98, 0.99, 0.995 those in the range; or a list of any
  --cross                 every number of models with every level
  --calendar FR           public holidays of a country or region (DE-NW); none for no holidays. Without it those of
                          the source, else a country is inferred from the odd days of the reference, as the service
                          does, and the output says which and why
  --seed 1                another seed for the random starts
  --activity-size 24      slices a day, as at the creation of a source; --interpolation zero or linear,
                          --aggregation mean or sum likewise
  --pick 7@0.95           writes the models of this setting instead of the recommended one
  --out folder            where to write, ./tune-<name> when not given
  --json, --csv           prints the numbers of all settings in this form and nothing else

Written to the folder:
  report.html   everything in pictures and words, one file that needs no network
  bundle.json   digests of the data, parameters, engine and results; --replay computes them anew and compares
                every byte (names of files apart)
  models.json   the models of the recommended setting, a body for POST /v1/model/bulk-replace/{source_id}

What models.json loses: models that people install have bounds alone. A day is then judged value by value against them;
the limits on the mean of eight hours and of the whole day and on their change, frozen sensors, drift and the planning's
own knowledge of each reference day are gone, so the numbers below do not hold for it. To keep all of it let the service
learn the same setting itself: POST /v1/model/reset/{source_id}/{model_count}?sensitivity={level}; the output names it.

From a store: reference days, recent days and alerts of a source as they stand in the embedded log, which a running
service may be using (of EventStoreDB make a file by daybook copy-log first). The planning is automatic under each
setting: what people have planned by hand is left out, and so are verdicts on data that were replaced later.

The numbers:
${allColumns
  .map(({ head, meaning }) =>
    wrap(meaning, 92)
      .map((line, index) => `  ${(index === 0 ? head : '').padEnd(16)}${line}`)
      .join('\n'),
  )
  .join('\n')}
The recommended setting is the chosen one. With verdicts of people: of the settings that keep the most confirmed
alerts those that save the most false ones, of these the one that gains the fewest.

Exit codes: 0 done, or a replay came to the same bytes; 1 a replay came to others (the first difference is named);
2 wrong usage, or a file with faults; 3 a store cannot be read, or a replay cannot decide: the bundle is of other
data or of another engine.
`;

/** The days of a sweep, whence they are, and what else is known of them. */
type Loaded = Pick<Tuned, 'name' | 'origin' | 'reference' | 'recent' | 'stood' | 'specials'> & {
  /** The code that the source was given; null where it has none. */
  readonly calendar: string | null;
  readonly referenceYear: number;
  readonly notes: readonly string[];
};

const load = async (from: From, parameters: Parameters, until?: Revisions): Promise<Loaded> => {
  if (from.kind === 'files') {
    const days = await readFiles(from.reference, from.recent, parameters);
    const origin = {
      kind: 'files',
      reference: basename(from.reference),
      recent: from.recent === null ? null : basename(from.recent),
    } as const;
    return { ...days, origin, stood: null, specials: [], calendar: null };
  }
  const { sourceId, revisions, overtaken, ...history } = readHistory(from.folder, from.sourceId, until);
  const notes =
    overtaken > 0 ? [`${plural(overtaken, 'verdict')} on data that were replaced later left out`] : [];
  return { ...history, origin: { kind: 'store', sourceId, revisions }, notes };
};

const refreshMs = 60;

/** A bar on a terminal; nothing elsewhere. */
const progressBar = ({
  stderr,
  isTerminal,
}: Output): { readonly show: (done: number, of: number) => void; readonly clear: () => void } => {
  let next = 0;
  return {
    show: (done, of) => {
      const now = performance.now();
      if (!isTerminal || (now < next && done < of)) return;
      next = now + refreshMs;
      stderr(`\rsettings  ${bar(done / of, 30)}  ${done} of ${of}\u001b[K`);
    },
    clear: () => {
      if (isTerminal) stderr('\r\u001b[K');
    },
  };
};

/** The holidays to try settings with: those that were asked for, else the source's, else what the days say. */
const calendarFor = (
  asked: string | null,
  { calendar, reference, referenceYear }: Loaded,
): Calendar | null => {
  if (asked === 'none') return null;
  const code = asked ?? calendar;
  return code === null ? inferCalendar(reference, referenceYear) : calendarOf(code, referenceYear);
};

const sweep = async (loaded: Loaded, parameters: Parameters, output: Output): Promise<Tuned> => {
  const { reference, recent, stood, specials } = loaded;
  const data: TuneData = {
    reference,
    recent,
    seed: parameters.seed,
    specials,
    calendar: calendarFor(parameters.calendar, loaded),
  };
  const progress = progressBar(output);
  progress.show(0, 1 + parameters.counts.length + parameters.levels.length);
  try {
    const tried = await sweepInThreads(data, parameters, progress.show);
    const whatIfs = stood === null ? [] : tried.map(({ days }) => compareAlerts(stood, days));
    return {
      ...loaded,
      parameters,
      tried,
      whatIfs,
      recommended: recommended(tried, whatIfs),
      holidays: data.calendar,
    };
  } finally {
    progress.clear();
  }
};

/** A folder's name out of a source's: nothing that a shell or a path could take for something else. */
const folderOf = (name: string): string => `tune-${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)}`;

const tuneData = async (wish: Extract<Wish, { kind: 'tune' }>, output: Output): Promise<number> => {
  const loaded = await load(wish.from, wish.parameters);
  for (const note of loaded.notes) output.stderr(`note: ${note}\n`);
  const tuned = await sweep(loaded, wish.parameters, output);
  const { tried } = tuned;
  const picked =
    wish.pick === null
      ? tried[tuned.recommended]
      : tried.find(({ asked }) => settingName(asked) === wish.pick);
  if (!picked) {
    const names = tried.map(({ asked }) => settingName(asked)).join(', ');
    output.stderr(`--pick: got "${plain(wish.pick ?? '')}", expected one of ${names}\n`);
    return 2;
  }
  const folder = wish.out ?? folderOf(tuned.name);
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  const write = async (name: string, text: string): Promise<void> => {
    await writeFile(join(folder, name), text);
    written.push(`${name} (${byteSize(Buffer.byteLength(text))})`);
  };
  await write('report.html', reportHtml(tuned, tried.indexOf(picked)));
  await write('bundle.json', bundleText(tuned));
  await write('models.json', `${JSON.stringify(modelsBody(picked.models))}\n`);

  if (wish.print === 'json') output.stdout(jsonTable(tuned));
  else if (wish.print === 'csv') {
    output.stderr(`note: ${plain(calendarText(tuned))}\n`);
    output.stdout(csvTable(tuned));
  } else {
    output.stdout(`${terminalTable(tuned, paint(output.colors)).join('\n')}\n\n`);
    output.stdout(`${wrap(plain(calendarText(tuned)), 110).join('\n')}\n`);
    output.stdout(`written to ${plain(folder)}: ${written.join(', ')}\n`);
    output.stdout(
      `models.json holds the models of ${settingName(picked.asked)}, whose bounds alone then decide; ` +
        `${resetPath(tuned, picked)} keeps all that was tried here\n`,
    );
  }
  return 0;
};

const replay = async (
  { from, bundle: file }: Extract<Wish, { kind: 'replay' }>,
  output: Output,
): Promise<number> => {
  const recorded = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new NoBundle(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  });
  const bundle = readBundle(recorded);
  const cannot = (why: string): number => {
    output.stderr(`cannot decide: ${plain(why)}\n`);
    return 3;
  };
  if (bundle.origin.kind !== from.kind) {
    const whence = bundle.origin.kind === 'files' ? 'files' : '--from-store and --source';
    output.stderr(`--replay: the bundle is of ${bundle.origin.kind}, expected ${whence}\n`);
    return 2;
  }
  if (bundle.engine !== engine) return cannot(`the bundle is of engine ${bundle.engine}, this is ${engine}`);
  const until = bundle.origin.kind === 'store' ? bundle.origin.revisions : undefined;
  const loaded = await load(from, bundle.parameters, until);
  const other = otherData(bundle, loaded);
  if (other !== undefined) return cannot(other);
  // A file may be called otherwise now; what is in it decides.
  const { name, origin, referenceYear, parameters } = bundle;
  const tuned = await sweep({ ...loaded, name, origin, referenceYear }, parameters, output);
  const difference = firstDifference(recorded, bundleText(tuned));
  if (difference !== undefined) {
    output.stderr(`different: ${plain(difference)}\n`);
    return 1;
  }
  output.stdout(`the same to the byte: ${plural(tuned.tried.length, 'setting')}, engine ${engine}\n`);
  return 0;
};

/** How the data differ from those of a bundle, in words; undefined when they are the same. */
const otherData = ({ data }: Bundle, loaded: Loaded): string | undefined => {
  const now = dataFacts(loaded);
  const parts = [
    ['reference', 'reference days'],
    ['recent', 'recent days'],
    ['alerts', 'alerts'],
    ['specialDays', 'special days'],
  ] as const;
  for (const [part, words] of parts)
    if (data[part]?.sha256 !== now[part]?.sha256)
      return `the ${words} are others: the bundle has SHA-256 ${data[part]?.sha256 ?? 'none'}, these have ${now[part]?.sha256 ?? 'none'}`;
  return undefined;
};

/** Where a run says what came of it. */
export type Output = {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether somebody watches `stderr`, and how many colours `stdout` has. */
  readonly isTerminal: boolean;
  readonly colors: ColorCount;
};

/** Runs `daybook tune` and answers its exit code. @throws what main.ts makes words of: SettingsError, StoreUnavailable */
export const runTune = async (args: readonly string[], output: Output): Promise<number> => {
  const wish = readWish(args);
  try {
    return wish.kind === 'replay' ? await replay(wish, output) : await tuneData(wish, output);
  } catch (error) {
    if (error instanceof FaultyFile) {
      output.stderr(`${faultLines(error).join('\n')}\n`);
      return 2;
    }
    if (error instanceof Unreadable || error instanceof NoBundle) {
      const what =
        error instanceof NoBundle && wish.kind === 'replay'
          ? `${plain(basename(wish.bundle))} is no bundle: `
          : '';
      output.stderr(`${what}${error.message}\n`);
      return 2;
    }
    throw error;
  }
};

/** `daybook tune`: settings compared offline, on files or on the history of a source. */
export const tune: Command = {
  summary: 'compares settings of the analysis on files or on a source’s history, offline',
  usage,
  run: (args, env) => {
    const { stdout, stderr } = process;
    return runTune(args, {
      stdout: text => void stdout.write(text),
      stderr: text => void stderr.write(text),
      isTerminal: stderr.isTTY,
      colors: stdout.isTTY && (env['NO_COLOR'] ?? '') === '' ? 256 : 0,
    });
  },
};
