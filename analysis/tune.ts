import type { Finding, Outcome } from '../domain/alerts.js';
import type { Calendar } from '../domain/calendar.js';
import type { Day } from '../domain/day.js';
import {
  modelCountMax,
  type Assignment,
  type BoundsFacts,
  type CountTried,
  type Model,
} from '../domain/models.js';
import { scaledRows } from './clusters.js';
import { filledRows, referenceOf } from './reference.js';
import { silhouettes } from './silhouette.js';
import { trial, type Setting } from './trial.js';

/** What a sweep varies. null leaves the number of models to be chosen, or takes the engine's default limits. */
export type Asked = Pick<Setting, 'modelCount' | 'level'>;

/** What all settings of a sweep are tried on: days as `trial` takes them. */
export type TuneData = {
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  readonly calendar: Calendar | null;
  readonly seed: number;
};

/** Which settings a sweep tries. */
export type Sweep = {
  /** Numbers of models, ascending, each once. */
  readonly counts: readonly number[];
  /** Levels of the bounds, ascending, each once. */
  readonly levels: readonly number[];
  /** Every number with every level, instead of one after the other. */
  readonly cross: boolean;
};

/** A recent day under a setting, in order of date. `reason` is why its model was planned, in words. */
export type TriedDay = {
  readonly date: string;
  readonly outcome: Outcome;
  readonly plannedModelId: number | null;
  readonly reason: string;
  readonly finding: Finding | null;
};

/** What came of one setting: plain data, that can go between threads and into files. */
export type TriedSetting = {
  readonly asked: Asked;
  readonly engine: string;
  /** With ids from 1, largest first. */
  readonly models: readonly Model[];
  /** The model of each reference day that was learned from, in order of date. */
  readonly assignments: readonly Assignment[];
  readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  readonly calendar: Calendar | null;
  readonly bounds: BoundsFacts;
  /** Every number of models that was tried to choose one; a single one where it was asked for. */
  readonly counts: readonly CountTried[];
  /** Of these counts, what the number taken was tried with. */
  readonly fit: CountTried;
  readonly hitRate: number;
  /** Mean over all reference days and over those of each model; null with a single model. */
  readonly silhouette: { readonly mean: number; readonly models: readonly number[] } | null;
  readonly days: readonly TriedDay[];
};

/** The setting of a source that is created without any wish: it is always tried, and always first. */
export const asCreated: Asked = { modelCount: null, level: null };

/** The settings of a sweep that can be tried at once: as created, then each number of models at default limits. */
export const firstSettings = ({ counts }: Sweep): Asked[] => [
  asCreated,
  ...counts.map(modelCount => ({ modelCount, level: null })),
];

/**
 * The settings that wait for the chosen number of models: each level with that number, or with every number
 * when the sweep crosses them.
 * @param chosenCount how many models the setting `asCreated` came to
 */
export const laterSettings = ({ counts, levels, cross }: Sweep, chosenCount: number): Asked[] =>
  (cross ? [...new Set([...counts, chosenCount])].sort((a, b) => a - b) : [chosenCount]).flatMap(modelCount =>
    levels.map(level => ({ modelCount, level })),
  );

/**
 * What one setting makes of the data: a trial of it, and how well its days sit in their models (silhouettes on
 * the scaled rows that the clusters are made of).
 * @throws RangeError as `trial` does
 */
export const trySetting = ({ reference, recent, calendar, seed }: TuneData, asked: Asked): TriedSetting => {
  const { learned, models, days } = trial(reference, recent, { ...asked, calendar, seed });
  const labels = learned.assignments.map(({ model }) => model);
  const each = silhouettes(rowsOf(reference, learned.assignments), labels);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    asked,
    engine: learned.engine,
    models,
    assignments: learned.assignments.map(({ date, model }) => ({ date, modelId: model + 1 })),
    leftOut: learned.leftOut,
    calendar: learned.calendar,
    bounds: learned.bounds,
    counts: learned.choice,
    fit: fitOf(learned.choice, models.length),
    hitRate: learned.hitRate,
    silhouette: each && {
      mean: mean(each),
      models: models.map((_, model) => mean(each.filter((_, index) => labels[index] === model))),
    },
    days: days.map(({ day: { date }, plan, outcome, finding }) => ({
      date,
      outcome,
      plannedModelId: plan.modelId,
      reason: plan.reason,
      finding,
    })),
  };
};

/** The scaled rows of the days that were learned from, in the order of their assignments. */
const rowsOf = (days: readonly Day[], assignments: readonly { readonly date: string }[]): number[][] => {
  const reference = referenceOf(days);
  const rows = scaledRows(filledRows(reference));
  const byDate = new Map(reference.days.map(({ date }, index) => [date, rows[index] ?? []]));
  return assignments.map(({ date }) => byDate.get(date) ?? []);
};

/** Fewer models than tried may have been found, when clusters came out empty. */
const fitOf = (counts: readonly CountTried[], found: number): CountTried =>
  counts.find(({ modelCount }) => modelCount >= found) ??
  counts.at(-1) ?? { modelCount: found, loss: 0, predictability: 0, stability: 0 };

/**
 * A sweep: what each of some settings would make of a reference and of recent days. The same data, sweep and
 * seed give the same bytes. By default not every combination is tried: the numbers of models are compared at the
 * default limits, the levels at the number of models that the engine chooses.
 * @param data     reference days to learn from, recent days to check (may be none), holidays, seed
 * @param sweep    what to try beside the setting that a new source gets
 * @param progress told after each setting how many are done, and of how many
 * @returns        as created; each number of models; each level (or each number with each level)
 * @throws RangeError as `trial` does, or when a number of models is not 1 to 64
 */
export const tune = (
  data: TuneData,
  sweep: Sweep,
  progress: (done: number, of: number) => void = () => {},
): TriedSetting[] => {
  const wrong = sweep.counts.find(count => !Number.isInteger(count) || count < 1 || count > modelCountMax);
  if (wrong !== undefined)
    throw new RangeError(`got ${wrong} models, expected an integer from 1 to ${modelCountMax}`);
  const of = settingsCount(sweep);
  const tried: TriedSetting[] = [];
  const go = (settings: readonly Asked[]): void => {
    for (const asked of settings) {
      tried.push(trySetting(data, asked));
      progress(tried.length, of(tried[0]?.models.length ?? 0));
    }
  };
  go(firstSettings(sweep));
  go(laterSettings(sweep, tried[0]?.models.length ?? 1));
  return tried;
};

/** How many settings a sweep has, once it is known how many models are chosen. */
export const settingsCount =
  (sweep: Sweep) =>
  (chosenCount: number): number =>
    firstSettings(sweep).length + laterSettings(sweep, chosenCount).length;

/** What a setting is called: `chosen`, `7`, `7@0.95`. */
export const settingName = ({ modelCount, level }: Asked): string =>
  `${modelCount ?? 'chosen'}${level === null ? '' : `@${level}`}`;

/** What bounds did on recent days, counted. */
export type RecentCounts = {
  readonly days: number;
  /** Days that were compared with a model. */
  readonly compared: number;
  readonly abnormal: number;
  readonly gaps: number;
  /** Share of the compared days that stayed within all limits, unusual days included; null when none was compared. */
  readonly within: number | null;
};

/** Counts what a setting says of the recent days. */
export const recentCounts = ({ days }: Pick<TriedSetting, 'days'>): RecentCounts => {
  const count = (outcome: Outcome): number => days.filter(day => day.outcome === outcome).length;
  const abnormal = count('abnormal');
  const compared = abnormal + count('normal');
  return {
    days: days.length,
    compared,
    abnormal,
    gaps: count('gap'),
    within: compared > 0 ? 1 - abnormal / compared : null,
  };
};
