import { languages } from '../../domain/words/languages.js';
import type { Day } from '../../domain/day.js';
import {
  type Calendar,
  type NamedDay,
  dayTypes,
  type PlanningCalendar,
} from '../../domain/planning/calendar.js';
import { cyclePlaces } from '../../domain/planning/similarity.js';
import { cycleOfDays } from '../../domain/planning/dayCycles.js';
import {
  modelCountMax,
  type CheckFacts,
  type Limits,
  type ModelDraft,
  type TypicalDays,
} from '../../domain/planning/models.js';
import type { CovariateSeries } from '../../domain/source/covariates.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { flatlineAbove } from '../checking/stretches.js';
import { effectsInOrder, learnEffects } from '../covariates/covariateEffects.js';
import { engine as presentEngine, rulesToUse, type EngineRules } from '../engine.js';
import { fromScale } from '../math/portableMath.js';
import { distinctCount, clustersOf, smoothedDays } from './clustering/clusterRows.js';
import { withoutGaps } from './profiles.js';
import { crossFitClusters, foldsOf, hitRate, chosenModelCount, tryModelCounts } from './crossFitting.js';
import { learn, nearestModels, type Learned } from './learn.js';
import { calibrate, type Calibration } from './limits/calibrate.js';
import { windowHours } from './limits/calibrationDays.js';
import { colorOf, modelNames } from './modelNames.js';
import { outliers as outliersOf } from './outliers.js';
import { prepare, type PreparedReference, referenceOf, type Reference } from './prepare.js';
import { tolerancesOf } from './tolerances.js';

/** Options of the analysis. */
export type Setting = {
  /** Number of models, 1 to 64; null to choose it from the data. */
  readonly modelCount: number | null;
  /** Target coverage: share of ordinary days without an alert, 0–1 exclusive; null for the default limits. */
  readonly coverage: number | null;
  /** Public holidays; null when none are known. */
  readonly calendar: Calendar | null;
  /** Special days named by people; absent means none. */
  readonly specials?: readonly NamedDay[];
  /** Values of sources that explain this one; absent means none. */
  readonly covariates?: readonly CovariateSeries[];
  readonly seed: number;
  /** Engine whose rules are used; absent for the present one. */
  readonly engine?: string;
};

/**
 * Learns the typical days of a source: clusters of days smoothed by the calendar, the median profile of the days
 * planned to follow each (learn.ts), tolerances, limits from cross-fitting (calibrate.ts), names and colours. The
 * same days and setting, in any order, give the same bytes. Only profiles use completed gaps (profiles.ts).
 * @param days      reference days of one length, each date once, values in the unit of the source
 * @param checkStop called between steps, at least once per run of k-means
 * @returns models by the number of days planned to follow them, largest first, then by the earliest; fewer than
 *          requested when there are fewer distinct days, never more than 64
 * @throws RangeError when the days cannot be learned from (prepare.ts), or an option is out of range
 */
export const typicalDays = (
  days: readonly Day[],
  setting: Setting,
  checkStop: CheckStop = neverStops,
): TypicalDays => {
  validate(setting);
  const { modelCount, coverage, calendar, specials = [], seed, engine = presentEngine } = setting;
  const { covariates = [] } = setting;
  const rules = rulesToUse(engine);
  const reference = referenceOf(days, rules);
  const planningCalendar: PlanningCalendar = { holidays: calendar?.holidays ?? null, specials };
  const prepared = withoutGaps(prepare(reference, planningCalendar, checkStop, rules), rules);
  const outliers = outliersOf(
    prepared,
    prepared.days.map(() => true),
  );
  const included = prepared.days.map((_, index) => !outliers.has(index));
  const smoothed = smoothedDays(prepared, included);
  const folds = foldsOf(prepared);
  const countMax = distinctCount(
    prepared.days.map(day => day.activity),
    modelCountMax,
  );
  const choice = tryModelCounts({ prepared, smoothed, folds }, modelCount, countMax, seed);
  const count = chosenModelCount(choice);
  const fit = {
    learned: learn(prepared, smoothed, clustersOf(smoothed, count, seed, checkStop)),
    fitted: crossFitClusters(prepared, folds, count, seed),
  };
  const explained = covariates.length > 0 ? learnEffects(prepared, outliers, fit, covariates) : null;
  const { learned, fitted } = explained ?? fit;
  const calibration = calibrate(prepared, fitted, outliers, { coverage, rules });
  const nearest = nearestModels(prepared, learned);
  const naming = { calendar: prepared.calendar, rules };
  const { drafts, order } = modelDrafts(prepared, learned, calibration, naming);
  const models = drafts.map((draft, place) => ({
    ...draft,
    days: (rules.namesPlannedDays ? learned.expected : nearest).filter(model => model === order[place])
      .length,
  }));
  return {
    engine,
    seed,
    models,
    assignments: assignmentsOf(reference, learned, nearest, order),
    leftOut: omittedDays(reference, outliers, rules),
    bounds: calibration.bounds,
    choice,
    calendar,
    ...(prepared.calendar.cycles && { cycles: prepared.calendar.cycles }),
    hitRate: hitRate(fitted),
    checks: {
      ...checkFacts(reference, rules.withstandsImplausibleValues ? included : null, calibration, rules),
      ...(rules.adaptive && coverage === null && { adaptive: true }),
      ...(explained?.effects.length && { covariates: effectsInOrder(explained.effects, order, rules) }),
    },
    ...(explained && { explainedBy: explained.explainedBy }),
  };
};

const validate = ({ modelCount, coverage, seed }: Setting): void => {
  if (modelCount !== null && (!Number.isInteger(modelCount) || modelCount < 1))
    throw new RangeError(`got model count ${modelCount}, expected an integer of at least 1`);
  if (coverage !== null && !(coverage > 0 && coverage < 1))
    throw new RangeError(`got coverage ${coverage}, expected a number between 0 and 1`);
  if (!Number.isSafeInteger(seed)) throw new RangeError(`got seed ${seed}, expected an integer`);
};

/** Models of the days that were learned from, as indices into the ordered models. */
const assignmentsOf = (
  { days }: Reference,
  { expected }: Learned,
  nearest: readonly (number | null)[],
  order: readonly number[],
): TypicalDays['assignments'] =>
  days.flatMap(({ date }, index) => {
    const model = nearest[index] ?? null;
    const planned = expected[index] ?? null;
    return model === null || planned === null
      ? []
      : { date, model: order.indexOf(model), planned: order.indexOf(planned) };
  });

/** Days that were not learned from, with the reason. Events contain this text: a change needs a new engine version. */
const omittedDays = (
  { days, omitted }: Reference,
  outliers: ReadonlyMap<number, number>,
  rules: EngineRules,
): TypicalDays['leftOut'] =>
  [
    ...omitted,
    ...[...outliers].map(([index, times]) => ({
      date: days[index]!.date,
      reason: `unusual: ${timesInWords(times, rules)} times as far from days of its season and weekday as the median day`,
    })),
  ].sort((a, b) => (a.date < b.date ? -1 : 1));

/** Multiple of the median distance from which a number says nothing, as where the days repeat exactly. */
const timesMax = 1000;

const timesInWords = (times: number, { withstandsImplausibleValues }: EngineRules): string =>
  withstandsImplausibleValues && times > timesMax ? `more than ${timesMax}` : times.toFixed(1);

/** @param included which days measure the minimum and the longest flatline; null for all */
const checkFacts = (
  reference: Reference,
  included: readonly boolean[] | null,
  { scores, shape }: Calibration,
  rules: EngineRules,
): CheckFacts => {
  const days = reference.days.filter((_, index) => included?.[index] ?? true);
  const minimum = days.reduce(
    (least, { activity, usable }) =>
      activity.reduce((low, value, slice) => (usable[slice] ? Math.min(low, value) : low), least),
    Number.POSITIVE_INFINITY,
  );
  return {
    scores,
    longestRun: days.reduce((most, day) => Math.max(most, flatlineAbove(day, minimum, rules).length), 0),
    minimum,
    ...(shape && { shape: shape.facts }),
  };
};

/** Calendar and rules by which models are named. */
type Naming = { readonly calendar: PlanningCalendar; readonly rules: EngineRules };

/** Models in the unit of the source. `order` holds the index of each among the learned models. */
const modelDrafts = (
  prepared: PreparedReference,
  learned: Learned,
  { limits, shape }: Pick<Calibration, 'limits' | 'shape'>,
  naming: Naming,
): { readonly drafts: ModelDraft[]; readonly order: readonly number[] } => {
  const { scale } = prepared;
  const tolerances = tolerancesOf(prepared, learned);
  const order = orderOf(learned);
  const names = namesOf(prepared, learned, order, naming);
  const modelLimits: Limits = {
    ...scale,
    windowHours,
    window: limits.window / limits.slice,
    day: limits.day / limits.slice,
    ...(limits.dayChange < Number.POSITIVE_INFINITY && {
      windowChange: limits.windowChange / limits.slice,
      dayChange: limits.dayChange / limits.slice,
    }),
    ...(shape && { shape: shape.limit }),
  };
  const drafts = order.map((model, place) => {
    const profile = learned.profiles[model]!;
    const { up, down } = tolerances[model]!;
    return {
      name: names[place] ?? '',
      color: colorOf(place),
      anomaly: false,
      activity: Array.from(profile, y => fromScale(scale, y)),
      topTolerance: Array.from(profile, (y, slice) => fromScale(scale, y + limits.slice * up[slice]!)),
      bottomTolerance: Array.from(profile, (y, slice) => fromScale(scale, y - limits.slice * down[slice]!)),
      limits: modelLimits,
    };
  });
  return { drafts, order };
};

/** Indices of the learned models by the number of days expected to follow them, largest first, then by the earliest. */
const orderOf = ({ profiles, expected }: Learned): number[] => {
  const counts = profiles.map((_, model) => expected.filter(other => other === model).length);
  const earliest = profiles.map((_, model) => expected.indexOf(model));
  return profiles
    .map((_, model) => model)
    .sort((a, b) => counts[b]! - counts[a]! || earliest[a]! - earliest[b]! || a - b);
};

const namesOf = (
  { days, scale }: PreparedReference,
  { profiles, expected }: Learned,
  order: readonly number[],
  { calendar, rules }: Naming,
): string[] => {
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  const kindOf = dateKinds(calendar);
  const dated = days.map(day => ({
    ...day,
    holiday: typeOf(day.number).type === 'holiday',
    kind: kindOf(day.number),
  }));
  return modelNames(
    order.map(model => ({
      days: dated.filter((_, index) => expected[index] === model),
      profile: Array.from(profiles[model]!, y => fromScale(scale, y)),
    })),
    dated,
    { ...rules, cycle: cycleOfDays(calendar.cycles) },
  );
};

/** Returns the name of a date, given as its day number, as a special day or a date of the month. */
const dateKinds = (calendar: PlanningCalendar): ((number: number) => string | undefined) => {
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  const placeOf = cyclePlaces(calendar.cycles, typeOf);
  return number => {
    const type = typeOf(number);
    if (type.type === 'special') return type.name;
    const cycle = calendar.cycles?.[placeOf(number).monthDay ?? -1];
    return cycle?.kind === 'monthDay' ? languages.en.modelName.monthDay(cycle) : undefined;
  };
};
