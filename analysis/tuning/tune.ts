import type { Finding, Outcome } from '../../domain/alerts.js';
import { dayTypes, type Calendar, type NamedDay } from '../../domain/calendar.js';
import { dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import {
  modelCountMax,
  type Assignment,
  type BoundsFacts,
  type CheckFacts,
  type CountTried,
  type Model,
} from '../../domain/models.js';
import type { PlanningCalendar } from '../../domain/planning.js';
import { scaledRows } from '../learning/clusterRows.js';
import { smoothedDays } from '../learning/learn.js';
import { prepare } from '../learning/prepare.js';
import { referenceOf } from '../learning/reference.js';
import { silhouettes } from './silhouettes.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { trial, type Setting } from './trial.js';

/** What a sweep varies. null leaves the number of models to be chosen, or takes the engine's default limits. */
export type Asked = Pick<Setting, 'modelCount' | 'level'>;

/** What all settings of a sweep are tried on: days as `trial` takes them. */
export type TuneData = {
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  readonly calendar: Calendar | null;
  /** Special days that people told; none when absent. */
  readonly specials?: readonly NamedDay[];
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
  /** No holiday, special day or day round Christmas: levels are of these. */
  readonly ordinary: boolean;
  readonly finding: Finding | null;
};

/** What came of one setting: plain data, that can go between threads and into files. */
export type TriedSetting = {
  readonly asked: Asked;
  readonly engine: string;
  /** With ids from 1, largest first. */
  readonly models: readonly Model[];
  /** The models of each reference day that was learned from, in order of date. */
  readonly assignments: readonly Required<Assignment>[];
  readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  readonly calendar: Calendar | null;
  readonly bounds: BoundsFacts;
  /** Every number of models that was tried to choose one; a single one where it was asked for. */
  readonly counts: readonly CountTried[];
  /** Of these counts, what the number taken was tried with. */
  readonly fit: CountTried;
  readonly hitRate: number | null;
  readonly checks: CheckFacts | null;
  /**
   * Mean over the reference days that were learned from, and over those that are planned to follow each model (null
   * where none are); null with a single model.
   */
  readonly silhouette: { readonly mean: number; readonly models: readonly (number | null)[] } | null;
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
 * What one setting makes of the data: a trial of it, and how far its models are apart: silhouettes on the rows that
 * k-means was given, which are days as their kin make them expected (learn.ts, smoothedDays) brought to one scale
 * (clusters.ts, scaledRows), each labelled with the model that is planned for it. They say how distinct the kinds of
 * days are that the calendar foretells, not how much single days vary round them: that is what the loss says.
 * @throws RangeError as `trial` does
 */
export const trySetting = (
  { reference, recent, calendar, specials = [], seed }: TuneData,
  asked: Asked,
  checkStop: CheckStop = neverStops,
): TriedSetting => {
  const { learned, models, assignments, days } = trial(
    reference,
    recent,
    { ...asked, calendar, specials, seed },
    checkStop,
  );
  const known = { holidays: learned.calendar?.holidays ?? null, specials };
  const typeOf = dayTypes(known.holidays, specials);
  const labels = learned.assignments.map(({ model, planned = model }) => planned);
  const each = silhouettes(expectedRows(reference, known, learned.assignments), labels);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    asked,
    engine: learned.engine,
    models,
    assignments: assignments.map(of => ({ ...of, plannedId: of.plannedId ?? of.modelId })),
    leftOut: learned.leftOut,
    calendar: learned.calendar,
    bounds: learned.bounds,
    counts: learned.choice,
    fit: fitOf(learned.choice, models.length),
    hitRate: learned.hitRate,
    checks: learned.checks,
    silhouette: each && {
      mean: mean(each),
      models: models.map((_, model) => {
        const own = each.filter((_, index) => labels[index] === model);
        return own.length > 0 ? mean(own) : null;
      }),
    },
    days: days.map(({ day: { date }, plan, outcome, finding }) => ({
      date,
      outcome,
      plannedModelId: plan.modelId,
      reason: plan.reason,
      ordinary: ['ordinary', 'bridge'].includes(typeOf(dayNumber(date)).type),
      finding,
    })),
  };
};

/** The rows that k-means was given for the days that were learned from, in the order of their assignments. */
const expectedRows = (
  days: readonly Day[],
  calendar: PlanningCalendar,
  assignments: readonly { readonly date: string }[],
): number[][] => {
  const learned = new Set(assignments.map(({ date }) => date));
  const prepared = prepare(referenceOf(days), calendar);
  return scaledRows(
    smoothedDays(
      prepared,
      prepared.days.map(({ date }) => learned.has(date)),
    ).rows,
  );
};

/** Fewer models than tried may have been found, when clusters came out empty. */
const fitOf = (counts: readonly CountTried[], found: number): CountTried =>
  counts.find(({ modelCount }) => modelCount >= found) ??
  counts.at(-1) ?? { modelCount: found, loss: 0, predictability: null, stability: null };

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

/** What a setting did on recent days, counted. */
export type RecentCounts = {
  readonly days: number;
  /** Days that were compared with a model. */
  readonly compared: number;
  /** Days with an alert, by its kind; of a drift its first day alone has one. */
  readonly alerts: Readonly<Record<Finding['kind'], number>>;
  /** Days that were outside their limits as the days before them were: all days of a drift. */
  readonly drifting: number;
  /** Of the compared days those that are no holiday, special day or day round Christmas. */
  readonly ordinary: number;
  /** Share of these without an alert, unusual days included; null when there are none. */
  readonly quiet: number | null;
};

/** Counts what a setting says of the recent days. */
export const recentCounts = ({ days }: Pick<TriedSetting, 'days'>): RecentCounts => {
  const count = (kind: Finding['kind']): number =>
    days.filter(({ finding }) => finding?.kind === kind).length;
  const compared = days.filter(({ outcome }) => outcome !== 'gap' && outcome !== 'notCompared');
  const ordinary = compared.filter(day => day.ordinary);
  return {
    days: days.length,
    compared: compared.length,
    alerts: {
      activity: count('activity'),
      frozen: count('frozen'),
      drift: count('drift'),
      gap: count('gap'),
    },
    drifting: compared.filter(({ outcome }) => outcome === 'drift').length,
    ordinary: ordinary.length,
    quiet:
      ordinary.length > 0
        ? ordinary.filter(({ finding }) => finding === null).length / ordinary.length
        : null,
  };
};
