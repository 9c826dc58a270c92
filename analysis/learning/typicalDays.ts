import { dayTypes } from '../../domain/calendar.js';
import type { Day } from '../../domain/day.js';
import { modelCountMax, type Limits, type ModelDraft, type TypicalDays } from '../../domain/models.js';
import type { PlanningCalendar } from '../../domain/planning.js';
import { chosenCount, tryCounts } from './modelCount.js';
import { distinctCount } from './clusterRows.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import { colorOf } from './colors.js';
import { engine } from '../engine.js';
import { longestRunOf } from '../checking/flatline.js';
import { clustersOf, learn, smoothedDays, type Learned } from './learn.js';
import { foldsOf, hitRate, leaveOutWhole } from './crossFitting.js';
import { calibrate, windowHours, type Calibration } from './calibrate.js';
import { modelNames } from './modelNames.js';
import { prepare, type Prepared } from './prepare.js';
import { referenceOf, type Reference } from './reference.js';
import type { Setting } from './setting.js';
import { tolerancesOf } from './tolerances.js';
import { fromScale } from '../math/logScale.js';
import { unusualDays } from './outliers.js';

/**
 * Learns the typical days of a source from its reference days: what the calendar makes expected of each day,
 * clusters of that (k-means), the median curve of the days planned to each (learn.ts), tolerances above and below
 * (tolerances.ts) and limits from days whose block was left out (limits.ts), names and colours. The same days and
 * setting give the same bytes, in whichever order the days come, on every machine. Slices that were not observed
 * count in no curve and no limit; unusual days (unusual.ts) found no model and widen no bound.
 * @param days    the reference, one length, each date once, values in the source's unit
 * @param setting `modelCount` null chooses it (choice.ts); fewer models come where there are fewer distinct days,
 *                never more than 64
 * @param checkStop called between steps, at least once a start of k-means
 * @returns       models by the number of days that are planned to follow them, largest first, then by earliest;
 *                assignments in order of date, by model index
 * @throws RangeError when the days cannot be learned from (reference.ts says when) or a number is out of range
 */
export const typicalDays = (
  days: readonly Day[],
  { modelCount, level, calendar, specials = [], seed }: Setting,
  checkStop: CheckStop = neverStops,
): TypicalDays => {
  if (modelCount !== null && (!Number.isInteger(modelCount) || modelCount < 1))
    throw new RangeError(`got model count ${modelCount}, expected an integer of at least 1`);
  if (level !== null && !(level > 0 && level < 1))
    throw new RangeError(`got level ${level}, expected a number between 0 and 1`);
  if (!Number.isSafeInteger(seed)) throw new RangeError(`got seed ${seed}, expected an integer`);
  const reference = referenceOf(days);
  const known: PlanningCalendar = { holidays: calendar?.holidays ?? null, specials };
  const prepared = prepare(reference, known, checkStop);
  const unusual = unusualDays(
    prepared,
    prepared.days.map(() => true),
  );
  const included = prepared.days.map((_, index) => !unusual.has(index));
  const smoothed = smoothedDays(prepared, included);
  const folds = foldsOf(prepared);
  const most = Math.min(modelCountMax, distinctCount(prepared.days.map(day => day.activity)));
  const choice = tryCounts(prepared, smoothed, folds, modelCount, most, seed);
  const count = chosenCount(choice);
  const learned = learn(prepared, smoothed, clustersOf(smoothed, count, seed, checkStop));
  const left = leaveOutWhole(prepared, folds, count, seed);
  const calibration = calibrate(prepared, left, unusual, level);
  const { models, order } = drafts(reference, prepared, learned, calibration, known);
  return {
    engine,
    seed,
    models,
    assignments: reference.days.flatMap(({ date }, index) => {
      const [nearest, expected] = [learned.nearest[index] ?? null, learned.expected[index] ?? null];
      return nearest === null || expected === null
        ? []
        : { date, model: order.indexOf(nearest), planned: order.indexOf(expected) };
    }),
    leftOut: [
      ...reference.leftOut,
      ...[...unusual].map(([index, times]) => ({
        date: reference.days[index]!.date,
        reason: `unusual: ${times.toFixed(1)} times as far from days of its season and weekday as the median day`,
      })),
    ].sort((a, b) => (a.date < b.date ? -1 : 1)),
    bounds: calibration.bounds,
    choice,
    calendar,
    hitRate: hitRate(left),
    checks: {
      scores: calibration.scores,
      longestRun: reference.days.reduce(
        (most, day) => Math.max(most, longestRunOf(day.activity, day.observed).length),
        0,
      ),
      minimum: reference.days.reduce(
        (least, { activity, usable }) =>
          activity.reduce((low, value, slice) => (usable[slice] ? Math.min(low, value) : low), least),
        Number.POSITIVE_INFINITY,
      ),
    },
  };
};

/** The models in the source's unit, and which learned model each of them is. */
const drafts = (
  reference: Reference,
  prepared: Prepared,
  learned: Learned,
  { limits }: Calibration,
  calendar: PlanningCalendar,
): { readonly models: (ModelDraft & { readonly days: number })[]; readonly order: readonly number[] } => {
  const { scale } = prepared;
  const tolerances = tolerancesOf(prepared, learned);
  const planned = learned.curves.map((_, model) => learned.expected.filter(of => of === model).length);
  const earliest = learned.curves.map((_, model) => learned.expected.indexOf(model));
  const order = learned.curves
    .map((_, model) => model)
    .sort((a, b) => planned[b]! - planned[a]! || earliest[a]! - earliest[b]! || a - b);
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  const dated = reference.days.map(day => ({ ...day, holiday: typeOf(day.number).type === 'holiday' }));
  const names = modelNames(
    order.map(model => ({
      days: dated.filter((_, index) => learned.expected[index] === model),
      curve: Array.from(learned.curves[model]!, y => fromScale(scale, y)),
    })),
    dated,
  );
  const beside: Limits = {
    ...scale,
    windowHours,
    window: limits.window / limits.slice,
    day: limits.day / limits.slice,
    ...(limits.dayChange < Number.POSITIVE_INFINITY && {
      windowChange: limits.windowChange / limits.slice,
      dayChange: limits.dayChange / limits.slice,
    }),
  };
  return {
    order,
    models: order.map((model, place) => {
      const curve = learned.curves[model]!;
      const { up, down } = tolerances[model]!;
      return {
        name: names[place] ?? '',
        color: colorOf(place),
        anomaly: false,
        activity: Array.from(curve, y => fromScale(scale, y)),
        topTolerance: Array.from(curve, (y, slice) => fromScale(scale, y + limits.slice * up[slice]!)),
        bottomTolerance: Array.from(curve, (y, slice) => fromScale(scale, y - limits.slice * down[slice]!)),
        limits: beside,
        days: learned.nearest.filter(of => of === model).length,
      };
    }),
  };
};
