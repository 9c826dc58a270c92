import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { engine } from '../../analysis/typicalDays.js';
import { settingName, type TuneData } from '../../analysis/tune.js';
import { compareAlerts, recommended } from '../../analysis/whatIf.js';
import { dayNumber, year } from '../../domain/dates.js';
import { Unreadable } from './demo/client.js';
import type { Command } from './command.js';
import { bar, paint, plain, plural, size, wrap } from './demo/terminal.js';
import { readWish, type From, type Wish } from './tune/args.js';
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
} from './tune/bundle.js';
import { calendarFor } from './tune/calendar.js';
import { FaultyFile, faultLines, readFiles } from './tune/files.js';
import { readHistory, type Revisions } from './tune/history.js';
import { reportHtml } from './tune/report.js';
import { sweepInThreads } from './tune/sweep.js';
import { allColumns, csvTable, jsonTable, terminalTable } from './tune/table.js';

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
  --calendar FR           public holidays of a country or region (DE-NW)
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

/** The days of a sweep, whence they are, and the alerts that stand, where they are known. */
type Loaded = Pick<Tuned, 'name' | 'origin' | 'reference' | 'recent' | 'stood'> & {
  readonly calendar: string | null;
  readonly notes: readonly string[];
};

const load = async (from: From, parameters: Parameters, until?: Revisions): Promise<Loaded> => {
  if (from.kind === 'files') {
    const { name, reference, recent, notes } = await readFiles(from.reference, from.recent, parameters);
    const origin = {
      kind: 'files',
      reference: basename(from.reference),
      recent: from.recent === null ? null : basename(from.recent),
    } as const;
    return { name, origin, reference, recent, notes, stood: null, calendar: null };
  }
  const { sourceId, name, revisions, reference, recent, stood, overtaken, calendar } = readHistory(
    from.folder,
    from.sourceId,
    until,
  );
  const notes =
    overtaken > 0 ? [`${plural(overtaken, 'verdict')} on data that were replaced later left out`] : [];
  return { name, origin: { kind: 'store', sourceId, revisions }, reference, recent, stood, notes, calendar };
};

const refreshMs = 60;

/** A bar on a terminal; nothing elsewhere. */
const progressBar = (): { readonly show: (done: number, of: number) => void; readonly clear: () => void } => {
  const { stderr } = process;
  let next = 0;
  return {
    show: (done, of) => {
      const now = performance.now();
      if (!stderr.isTTY || (now < next && done < of)) return;
      next = now + refreshMs;
      stderr.write(`\rsettings  ${bar(done / of, 30)}  ${done} of ${of}\u001b[K`);
    },
    clear: () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
};

const sweep = async (loaded: Loaded, parameters: Parameters): Promise<Tuned> => {
  const { reference, recent, stood } = loaded;
  const code = parameters.calendar ?? loaded.calendar;
  const data: TuneData = {
    reference,
    recent,
    seed: parameters.seed,
    calendar: code === null ? null : calendarFor(code, year(dayNumber(reference[0]?.date ?? '1970-01-01'))),
  };
  const progress = progressBar();
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

const tuneData = async (wish: Extract<Wish, { kind: 'tune' }>, env: NodeJS.ProcessEnv): Promise<number> => {
  const loaded = await load(wish.from, wish.parameters);
  for (const note of loaded.notes) process.stderr.write(`note: ${note}\n`);
  const tuned = await sweep(loaded, wish.parameters);
  const { tried } = tuned;
  const picked =
    wish.pick === null
      ? tried[tuned.recommended]
      : tried.find(({ asked }) => settingName(asked) === wish.pick);
  if (!picked) {
    const names = tried.map(({ asked }) => settingName(asked)).join(', ');
    process.stderr.write(`--pick: got "${plain(wish.pick ?? '')}", expected one of ${names}\n`);
    return 2;
  }
  const folder = wish.out ?? folderOf(tuned.name);
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  const write = async (name: string, text: string): Promise<void> => {
    await writeFile(join(folder, name), text);
    written.push(`${name} (${size(Buffer.byteLength(text))})`);
  };
  await write('report.html', reportHtml(tuned, tried.indexOf(picked)));
  await write('bundle.json', bundleText(tuned));
  await write('models.json', `${JSON.stringify(modelsBody(picked.models))}\n`);

  if (wish.print === 'json') process.stdout.write(jsonTable(tuned));
  else if (wish.print === 'csv') process.stdout.write(csvTable(tuned));
  else {
    const colored = process.stdout.isTTY && (env['NO_COLOR'] ?? '') === '';
    process.stdout.write(`${terminalTable(tuned, paint(colored ? 256 : 0)).join('\n')}\n\n`);
    process.stdout.write(`written to ${plain(folder)}: ${written.join(', ')}\n`);
    process.stdout.write(`models.json holds the models of ${settingName(picked.asked)}\n`);
  }
  return 0;
};

const replay = async ({ from, bundle: file }: Extract<Wish, { kind: 'replay' }>): Promise<number> => {
  const recorded = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new NoBundle(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  });
  const bundle = readBundle(recorded);
  const cannot = (why: string): number => {
    process.stderr.write(`cannot decide: ${plain(why)}\n`);
    return 3;
  };
  if (bundle.origin.kind !== from.kind) {
    const whence = bundle.origin.kind === 'files' ? 'files' : '--from-store and --source';
    process.stderr.write(`--replay: the bundle is of ${bundle.origin.kind}, expected ${whence}\n`);
    return 2;
  }
  if (bundle.engine !== engine) return cannot(`the bundle is of engine ${bundle.engine}, this is ${engine}`);
  const until = bundle.origin.kind === 'store' ? bundle.origin.revisions : undefined;
  const loaded = await load(from, bundle.parameters, until);
  const other = otherData(bundle, loaded);
  if (other !== undefined) return cannot(other);
  // A file may be called otherwise now; what is in it decides.
  const tuned = await sweep({ ...loaded, name: bundle.name, origin: bundle.origin }, bundle.parameters);
  const difference = firstDifference(recorded, bundleText(tuned));
  if (difference !== undefined) {
    process.stderr.write(`different: ${plain(difference)}\n`);
    return 1;
  }
  process.stdout.write(`the same to the byte: ${plural(tuned.tried.length, 'setting')}, engine ${engine}\n`);
  return 0;
};

/** How the data differ from those of a bundle, in words; undefined when they are the same. */
const otherData = ({ data }: Bundle, loaded: Loaded): string | undefined => {
  const now = dataFacts(loaded);
  for (const part of ['reference', 'recent', 'alerts'] as const)
    if (data[part]?.sha256 !== now[part]?.sha256)
      return `the ${part === 'alerts' ? part : `${part} days`} are others: the bundle has SHA-256 ${data[part]?.sha256 ?? 'none'}, these have ${now[part]?.sha256 ?? 'none'}`;
  return undefined;
};

/** `daybook tune`: settings compared offline, on files or on the history of a source. */
export const tune: Command = {
  summary: 'compares settings of the analysis on files or on a source’s history, offline',
  usage,
  run: async (args, env) => {
    const wish = readWish(args);
    try {
      return wish.kind === 'replay' ? await replay(wish) : await tuneData(wish, env);
    } catch (error) {
      if (error instanceof FaultyFile) {
        process.stderr.write(`${faultLines(error).join('\n')}\n`);
        return 2;
      }
      if (error instanceof Unreadable || error instanceof NoBundle) {
        process.stderr.write(
          `${error instanceof NoBundle && wish.kind === 'replay' ? `${plain(basename(wish.bundle))} is no bundle: ` : ''}${error.message}\n`,
        );
        return 2;
      }
      throw error;
    }
  },
};
