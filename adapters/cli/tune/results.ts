import { basename } from 'node:path';
import { calendarOf } from '../../../analysis/calendar/holidays.js';
import { inferCalendar } from '../../../analysis/calendar/inferCalendar.js';
import { compareAlerts } from '../../../analysis/tuning/compareAlerts.js';
import { recommended } from '../../../analysis/tuning/recommended.js';
import type { TuneData } from '../../../analysis/tuning/trySetting.js';
import type { Calendar } from '../../../domain/planning/calendar.js';
import { progressLine } from '../terminal/progress.js';
import { plural } from '../../../application/texts/counted.js';
import { missingNote } from './covariates.js';
import type { Parameters, Tuned } from './facts.js';
import { readFiles } from './files.js';
import { readHistory } from './store/history.js';
import type { From } from './options.js';
import type { TuneOutput } from './output.js';
import type { Revisions } from './store/storeEvents.js';
import { sweepInThreads } from './sweep.js';

/** The data of a run. */
export type Loaded = Pick<
  Tuned,
  'name' | 'origin' | 'reference' | 'recent' | 'validAlerts' | 'specials' | 'covariates'
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
    return { ...days, origin, validAlerts: null, specials: [], calendar: null };
  }
  const { sourceId, revisions, overtaken, ...history } = readHistory(from.folder, from.sourceId, until);
  const notes = [
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
  const { reference, recent, validAlerts, specials, covariates } = loaded;
  const data: TuneData = {
    reference,
    recent,
    seed: parameters.seed,
    specials,
    ...(covariates.length > 0 && { covariates }),
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
