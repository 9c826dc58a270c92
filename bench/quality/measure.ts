import { parentPort, workerData } from 'node:worker_threads';
import type { Setting } from '../../analysis/learning/typicalDays.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { trial } from '../../analysis/tuning/trial.js';
import { runsWhere, usable, type Day } from '../../domain/day.js';
import { baselines } from './baselines.js';
import { isFlagged, type Expected, expectedOf } from './definitions.js';
import {
  contaminatedOf,
  type Contaminated,
  injectedOf,
  type Injected,
  messagesOf,
  type Messages,
} from './injected.js';
import { lostSamplesOf, requestedCount, type LostSamples, planningOf, type Planning } from './planning.js';
import { type Part, baselineScoreOf, scoreOf, type Score, intervalOf, meanOf, pooled } from './score.js';
import { type Series, calendarFor, readSeries, shortened, splitAnew, swapped } from './series.js';

/** Share of the reference that is seen. */
const seenShare = 1 / 3;

/** Mean length of a stretch that is seen, in days. */
const stretchDays = 3;

/** Reference days of which a random third is there. */
const someDays = (reference: readonly Day[], seed: number): readonly Day[] => {
  const random = seededRandom(seed);
  return reference.filter(() => random() < seenShare);
};

/** A reference that is seen in stretches of random length, begun and ended at any slice; days without one are gone. */
export const inStretches = (reference: readonly Day[], seed: number): readonly Day[] => {
  const random = seededRandom(seed);
  const slices = reference[0]?.activity.length ?? 0;
  let isSeen = random() < seenShare;
  let left = 0;
  const sees = (): boolean => {
    if (left === 0) {
      isSeen = !isSeen;
      const mean = slices * stretchDays * (isSeen ? 1 : (1 - seenShare) / seenShare);
      left = Math.max(1, Math.round(-Math.log(1 - random()) * mean));
    }
    left -= 1;
    return isSeen;
  };
  return reference.flatMap(day => {
    const flags = usable(day).map(isUsable => sees() && isUsable);
    const activity = day.activity.map((value, slice) => (flags[slice] ? value : 0));
    const gaps = runsWhere(slices, slice => !flags[slice]);
    return flags.includes(true) ? [{ date: day.date, activity, gaps, filled: [] }] : [];
  });
};

const thinnings = { 'a third of the days': someDays, 'a third, in stretches': inStretches } as const;

/** Names of the rows of the table, in order. */
export const thinnedNames: readonly string[] = Object.keys(thinnings);

/** A series with a third of its reference, by the names of `thinnedNames`. @param seed an integer */
export const thinned = (series: Series, seed: number): readonly Series[] =>
  Object.values(thinnings).map(thin => ({ ...series, reference: thin(series.reference, seed) }));

/** Hours after the first abnormal slice of a day at which a finding is looked for. */
export const hoursAfter = [1, 2, 4, 8] as const;

/** Found days by the hours after their first abnormal slice, when they are checked slice by slice. */
export type Today = {
  /** Event days that the check of the whole day finds, and those that it finds this early. */
  readonly found: readonly Part[];
  /** Days with an early finding that the whole day has not, out of all scored days. */
  readonly added: Part;
};

/** A day until `elapsed` slices have elapsed. */
const until = (day: Day, elapsed: number) => {
  const size = day.activity.length;
  return {
    ...day,
    activity: day.activity.map((value, slice) => (slice < elapsed ? value : 0)),
    gaps: [
      ...day.gaps.flatMap(([from, to]) => (from < elapsed ? [[from, Math.min(to, elapsed)] as const] : [])),
      [elapsed, size] as const,
    ],
    inProgress: { elapsed, closesAt: '' },
  };
};

/** Replays the scored days of a series slice by slice. */
const todayOf = (series: Series, { scored, events }: Expected, setting: Setting): Today => {
  const { days, recheck } = trial(series.reference, series.recent, setting);
  const byDate = new Map(days.map(day => [day.day.date, day]));
  /** Slices after which the day is found; undefined when it is not found before its end. */
  const foundAfter = (day: Day): number | undefined => {
    for (let elapsed = 1; elapsed < day.activity.length; elapsed += 1)
      if (recheck(until(day, elapsed)).finding) return elapsed;
    return undefined;
  };
  const early = new Map(scored.map(day => [day.date, foundAfter(day)]));
  const foundEvents = events.filter(({ date }) => {
    const checked = byDate.get(date);
    return checked && isFlagged(checked);
  });
  const added = scored.filter(({ date }) => early.get(date) !== undefined && !byDate.get(date)?.finding);
  const within = (day: Day, hours: number): boolean => {
    const after = early.get(day.date);
    const first = byDate.get(day.date)?.finding?.slices[0]?.from ?? 0;
    return after !== undefined && ((after - first) * 24) / day.activity.length <= hours;
  };
  return {
    found: hoursAfter.map(hours => ({
      count: foundEvents.filter(day => within(day, hours)).length,
      of: foundEvents.length,
    })),
    added: { count: added.length, of: scored.length },
  };
};

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

/** A pooled number of a method; null when it is not known. */
export type PooledNumber = {
  readonly name: string;
  readonly value: number | null;
  /** 95 % bootstrap interval over series. */
  readonly interval: readonly [low: number, high: number] | null;
};

const shareOf = (part: (score: Score) => Part) => (of: readonly Score[]) => {
  const { count, of: total } = part(pooled(of));
  return total === 0 ? null : count / total;
};

const numbers: readonly (readonly [string, (of: readonly Score[]) => number | null])[] = [
  ['false', shareOf(score => score.ordinary)],
  ['events found', shareOf(score => score.events)],
  ['events attainable', shareOf(({ attainable, events }) => ({ count: attainable ?? 0, of: events.of }))],
  [
    'found of attainable',
    shareOf(({ attainable, events }) => ({ count: events.count, of: attainable ?? 0 })),
  ],
  ['event runs found', shareOf(score => score.eventRuns)],
  ['power', of => meanOf(pooled(of).power)],
];

/** Pooled numbers of a method, and how far they would move with other series of this kind. */
export const pooledNumbers = (all: readonly Measured[], method: string, seed: number): PooledNumber[] => {
  const scores = all.flatMap(({ scores }) => scores[method] ?? []);
  return numbers.map(([name, value]) => ({
    name,
    value: value(scores),
    interval: intervalOf(scores, value, seed),
  }));
};
