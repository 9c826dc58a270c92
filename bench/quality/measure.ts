import { baselines } from './baselines.js';
import { expectedOf } from './definitions.js';
import { lostSamplesOf, requestedCount, type LostSamples, planningOf, type Planning } from './planning.js';
import { baselineScoreOf, scoreOf, type Score } from './score.js';
import { contaminatedOf, type Contaminated } from './injected/contaminated.js';
import { injectedOf, type Injected } from './injected/injected.js';
import { messagesOf, type Messages } from './injected/messages.js';
import { thinned } from './thinned.js';
import { todayOf, type Today } from './today.js';
import { calendarFor, readSeries, shortened, splitAnew, swapped, type Series } from './series.js';
import { parentPort, workerData } from 'node:worker_threads';

/** Settings of a measurement. */
export type Options = {
  readonly modelCount: number | null;
  readonly coverage: number | null;
  readonly seed: number;
  /** Least share of observed slices of a scored day. */
  readonly observed: number;
  /** With the series' own calendar, without calendar, or both. */
  readonly calendar: 'given' | 'none' | 'both';
  readonly baselines: boolean;
  readonly robust: boolean;
  readonly planning: boolean;
  readonly lost: boolean;
  readonly today: boolean;
  readonly injected: boolean;
  readonly contaminated: boolean;
  readonly messages: boolean;
  readonly splits: boolean;
  readonly thinned: boolean;
};

/** Number of other splits of each series. */
const splitCount = 4;

/** Tested lengths of references, in days. */
const shortDays = [200, 120] as const;

/** Rows of the robustness table, in order. */
export const robustNames: readonly string[] = ['swapped', ...shortDays.map(days => `last ${days}`)];

/** Names of the compared methods, in the order of the table. */
export const methodsOf = (options: Options): readonly string[] => [
  ...(options.calendar === 'none' ? [] : ['own calendar']),
  ...(options.calendar === 'given' ? [] : ['no calendar']),
  ...(options.baselines ? baselines.map(({ name }) => name) : []),
];

/** Results of one series. */
export type Measured = {
  readonly name: string;
  /** Code of its calendar. */
  readonly calendar: string | null;
  readonly seconds: number;
  /** By the names of `methodsOf`. */
  readonly scores: Readonly<Record<string, Score>>;
  /** By `robustNames`, with the calendar of the series if enabled; null if not possible. */
  readonly robust: Readonly<Record<string, Score | null>>;
  /** Scores of other splits of the days, null where there are too few; empty if not enabled. */
  readonly splits: readonly (Score | null)[];
  /** Scores with a third of the reference, by `thinnedNames`; empty if not enabled. */
  readonly thinned: readonly Score[];
  readonly planning: Planning | null;
  /** With a requested number of models and with the engine's choice; empty if not enabled. */
  readonly lost: readonly LostSamples[];
  readonly today: Today | null;
  /** With the calendar of the series if enabled. */
  readonly injected: Injected | null;
  /** By share of bad days, with the calendar of the series; null if not enabled, and with few events. */
  readonly contaminated: readonly Contaminated[] | null;
  /** By kind of cause, with the calendar of the series; null if not enabled. */
  readonly messages: readonly Messages[] | null;
};

/** Reads a series and measures it. */
export const measure = (folder: string, name: string, options: Options): Measured => {
  const begun = performance.now();
  const series = readSeries(folder, name);
  const { modelCount, coverage, seed, observed } = options;
  const settingOf = (series: Series, known: boolean) => ({
    modelCount,
    coverage,
    seed,
    calendar: known ? calendarFor(series) : null,
  });
  const scoreWith = (series: Series, known: boolean): Score =>
    scoreOf(series, expectedOf(series, observed), settingOf(series, known));
  const known = options.calendar !== 'none';
  const expected = expectedOf(series, observed);

  const scores: Record<string, Score> = {};
  if (known) scores['own calendar'] = scoreWith(series, true);
  if (options.calendar !== 'given')
    scores['no calendar'] =
      (calendarFor(series) === null ? scores['own calendar'] : undefined) ?? scoreWith(series, false);
  if (options.baselines)
    for (const baseline of baselines) scores[baseline.name] = baselineScoreOf(series, expected, baseline);

  const robust: Record<string, Score | null> = {};
  if (options.robust) {
    const exchanged = swapped(series);
    robust['swapped'] = exchanged && scoreWith(exchanged, known);
    for (const days of shortDays) robust[`last ${days}`] = scoreWith(shortened(series, days), known);
  }
  return {
    name,
    calendar: series.calendar,
    scores,
    robust,
    splits: options.splits
      ? Array.from({ length: splitCount }, (_, index) => {
          const other = splitAnew(series, seed + index);
          return other && scoreWith(other, known);
        })
      : [],
    thinned: options.thinned ? thinned(series, seed).map(one => scoreWith(one, known)) : [],
    planning: options.planning ? planningOf(series, expected, settingOf(series, known)) : null,
    lost: options.lost
      ? [modelCount ?? requestedCount, null].map(requested =>
          lostSamplesOf(series.reference, settingOf(series, known), requested),
        )
      : [],
    today: options.today ? todayOf(series, expected, settingOf(series, known)) : null,
    injected: options.injected
      ? injectedOf(series, expected, settingOf(series, known), options.baselines)
      : null,
    contaminated: options.contaminated ? contaminatedOf(series, expected, settingOf(series, known)) : null,
    messages: options.messages ? messagesOf(series, settingOf(series, known)) : null,
    seconds: (performance.now() - begun) / 1000,
  };
};

/** Answer of a thread: the measurements of a series, or the error. */
export type Answer = { readonly measured: Measured } | { readonly fault: string };

// In a worker thread: measures the series whose names it receives, one after the other.
if (parentPort) {
  const port = parentPort;
  const { folder, options } = workerData as { readonly folder: string; readonly options: Options };
  port.on('message', (name: string) => {
    let answer: Answer;
    try {
      answer = { measured: measure(folder, name, options) };
    } catch (error) {
      answer = { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    port.postMessage(answer);
  });
}
