import { basename } from 'node:path';
import { calendarOf } from '../../../analysis/calendar/holidays.js';
import { inferCalendar } from '../../../analysis/calendar/inferCalendar.js';
import {
  compareAlerts,
  recommended,
  asCreated,
  firstSettings,
  laterSettings,
  settingsCount,
  tune,
  type Sweep,
} from '../../../analysis/tuning/tune.js';
import type { TuneData, Asked, TriedSetting } from '../../../analysis/tuning/trySetting.js';
import type { Calendar } from '../../../domain/planning/calendar.js';
import { progressLine, type ColorCount } from '../terminal/text.js';
import { plural } from '../../../domain/text.js';
import { missingNote } from './covariates.js';
import type { Parameters, Tuned } from './facts.js';
import { readFiles } from './files.js';
import { readHistory, type Revisions } from './history.js';
import type { From } from './options.js';
import { availableParallelism } from 'node:os';
import { analyst } from '../../analyst.js';

/** Settings computed at once. Each of them holds a copy of the days. */
const concurrentMax = 4;

/** Values of a reference from which threads pay off. With fewer a setting takes less time than starting a thread. */
const threadedValuesMin = 3000;

/**
 * Tries all settings, in worker threads where they pay off. Results and their order are those of `tune`.
 * @param progress called after each setting with the number of tried settings and of all
 */
export const sweepInThreads = async (
  data: TuneData,
  sweep: Sweep,
  progress: (done: number, total: number) => void,
): Promise<TriedSetting[]> => {
  const values = data.reference.reduce((sum, { activity }) => sum + activity.length, 0);
  if (
    values < threadedValuesMin ||
    availableParallelism() < 2 ||
    sweep.counts.length + sweep.coverages.length < 2
  )
    return tune(data, sweep, progress);
  let broken: unknown;
  const { run, close } = analyst(error => (broken = error));
  const count = settingsCount(sweep);
  let done = 0;
  let total = count(1);
  const tryAll = async (settings: readonly Asked[]): Promise<TriedSetting[]> => {
    const results: TriedSetting[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < settings.length) {
        const index = next;
        next += 1;
        results[index] = await run({ kind: 'trySetting', data, asked: settings[index] ?? asCreated });
        done += 1;
        progress(done, total);
      }
    };
    await Promise.all(Array.from({ length: concurrentMax }, work));
    return results;
  };
  try {
    const first = await tryAll(firstSettings(sweep));
    const chosen = first[0]?.fit.modelCount ?? 1;
    total = count(chosen);
    return [...first, ...(await tryAll(laterSettings(sweep, chosen)))];
  } catch (error) {
    throw broken ?? error;
  } finally {
    await close();
  }
};

/** Where `daybook tune` writes. */
export type TuneOutput = {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether `stderr` is a terminal, which then shows progress. */
  readonly isTerminal: boolean;
  /** Colours of `stdout`, and its columns. */
  readonly colors: ColorCount;
  readonly width: number;
};

/** The data of a run. */
export type Loaded = Pick<
  Tuned,
  | 'name'
  | 'origin'
  | 'reference'
  | 'recent'
  | 'validAlerts'
  | 'specials'
  | 'covariates'
  | 'floor'
  | 'accepted'
  | 'completeness'
> & {
  /** Calendar code of the source; null without one. */
  readonly calendar: string | null;
  readonly referenceYear: number;
  /** Notes for the user. */
  readonly notes: readonly string[];
};

/**
 * Reads files or the history of a source.
 * @param until last revisions to read from a store; undefined for all
 * @throws FaultyFile, Unreadable, SettingsError, StoreUnavailable
 */
export const loadData = async (from: From, parameters: Parameters, until?: Revisions): Promise<Loaded> => {
  if (from.kind === 'files') {
    const { explainedBy } = from;
    const days = await readFiles(from.reference, from.recent, parameters, explainedBy);
    const origin = {
      kind: 'files',
      reference: basename(from.reference),
      recent: from.recent === null ? null : basename(from.recent),
      ...(explainedBy.length > 0 && {
        explainedBy: explainedBy.map(({ name, path }) => ({ name, file: basename(path) })),
      }),
    } as const;
    return { ...days, origin, validAlerts: null, specials: [] };
  }
  const read = readHistory(from.folder, from.sourceId, until);
  const { sourceId, revisions, overtaken, inProgress, ...history } = read;
  const notes = [
    ...inProgress.map(date => `${date} is in progress and left out, with its alerts`),
    ...(overtaken > 0 ? [`${plural(overtaken, 'verdict')} on replaced data not used`] : []),
    ...history.covariates.flatMap(series => missingNote(series, history.recent)),
  ];
  return { ...history, origin: { kind: 'store', sourceId, revisions }, notes };
};

/** The holidays: those of `--calendar`, else of the source, else of the country that the days suggest. */
const calendarFor = (
  asked: string | null,
  { calendar, reference, referenceYear }: Loaded,
): Calendar | null => {
  if (asked === 'none') return null;
  const code = asked ?? calendar;
  return code === null ? inferCalendar(reference, referenceYear) : calendarOf(code, referenceYear);
};

/** Tries all settings on the data. */
export const tuneOn = async (loaded: Loaded, parameters: Parameters, output: TuneOutput): Promise<Tuned> => {
  const { reference, recent, validAlerts, specials, covariates, floor, accepted, completeness } = loaded;
  const data: TuneData = {
    reference,
    recent,
    seed: parameters.seed,
    specials,
    ...(covariates.length > 0 && { covariates }),
    ...(floor !== undefined && { floor }),
    ...(accepted && { accepted }),
    ...(completeness !== undefined && { completeness }),
    calendar: calendarFor(parameters.calendar, loaded),
  };
  const line = progressLine({ write: output.stderr, isTTY: output.isTerminal }, { onTerminalOnly: true });
  const show = (done: number, total: number): void =>
    line.show({ label: 'settings', done, total, text: `${done} of ${total}` });
  show(0, 1 + parameters.counts.length + parameters.coverages.length);
  try {
    const tried = await sweepInThreads(data, parameters, show);
    const whatIfs = validAlerts === null ? [] : tried.map(({ days }) => compareAlerts(validAlerts, days));
    return {
      ...loaded,
      parameters,
      tried,
      whatIfs,
      recommended: recommended(tried, whatIfs),
      holidays: data.calendar,
    };
  } finally {
    line.clear();
  }
};
