import type { Day } from '../domain/day.js';
import { modelCountMax, type TypicalDays } from '../domain/models.js';
import { bandsOf } from './bands.js';
import { clusterRows, distinctCount, scaledRows } from './clusters.js';
import { colorOf } from './colors.js';
import { commonCurve, modelCurves, type Curve } from './curves.js';
import { planHeldOut, plannedLoss, type HeldOut } from './heldOut.js';
import { modelNames } from './names.js';
import { filledRows, referenceOf, type Reference } from './reference.js';
import type { Setting } from './setting.js';

/** Name and version of what computes models. Raise it whenever the same data may give other models. */
export const engine = 'daybook-plain/1';

/** Numbers of models that are tried when none is asked for. */
const countMin = 2;
const countMax = 10;

/** The smallest number of models is taken whose loss is at most this many times the least. */
const lossTolerance = 1.02;

type Candidate = {
  readonly modelCount: number;
  readonly labels: readonly number[];
  readonly curves: readonly Curve[];
  readonly planned: readonly HeldOut[];
  readonly loss: number;
};

/**
 * Learns the typical days of a source from its reference days: clusters (k-means on scaled days), the median
 * curve of each, bounds (bands.ts), names and colours. The same days, number and seed give the same bytes, in
 * whichever order the days come. Slices that were not observed count in no curve and no bound.
 * @param days    the reference, one length, each date once, values in the source's unit
 * @param setting models wanted, ≥ 1; fewer come where there are fewer distinct days (and never more than 64);
 *                null to choose 2 to 10 by how well the planned curve foretells days left out. The calendar and the
 *                special days that dates are planned by. An integer for the random starts
 * @returns       models largest first, then by earliest day; assignments in order of date, by model index;
 *                in `choice` the loss of each number tried: the mean absolute error of the curve planned for
 *                a day while its month (fortnight, day) is left out, as a share of the mean absolute activity
 * @throws RangeError when the days cannot be learned from (reference.ts says when) or a number is out of range
 */
export const typicalDays = (days: readonly Day[], setting: Setting): TypicalDays => {
  const { modelCount, seed } = setting;
  if (modelCount !== null && (!Number.isInteger(modelCount) || modelCount < 1))
    throw new RangeError(`got model count ${modelCount}, expected an integer of at least 1`);
  if (!Number.isSafeInteger(seed)) throw new RangeError(`got seed ${seed}, expected an integer`);
  const reference = referenceOf(days);
  const rows = filledRows(reference);
  const candidates = countsToTry(modelCount, distinctCount(rows));
  const common = commonCurve(reference);
  const scaled = scaledRows(rows);
  const tried = candidates.map(count => candidateOf(reference, scaled, count, setting, common));
  const least = Math.min(...tried.map(({ loss }) => loss));
  const best = tried.find(({ loss }) => loss <= least * lossTolerance);
  if (!best) throw new Error('no candidate has the least loss'); // unreachable: losses are finite
  return learned(reference, best, tried, setting);
};

const countsToTry = (modelCount: number | null, distinct: number): number[] => {
  if (modelCount !== null) return [Math.min(modelCount, distinct, modelCountMax)];
  const most = Math.min(countMax, distinct);
  const least = Math.min(countMin, most);
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
};

const candidateOf = (
  reference: Reference,
  scaled: number[][],
  modelCount: number,
  { calendar, specials = [], seed }: Setting,
  common: Curve,
): Candidate => {
  const labels = clusterRows(scaled, modelCount, seed);
  const found = labels.reduce((most, label) => Math.max(most, label), 0) + 1;
  const curves = modelCurves(reference, labels, found, common);
  const planned = planHeldOut(reference, labels, curves, {
    holidays: calendar?.holidays ?? null,
    specials,
  });
  return { modelCount, labels, curves, planned, loss: plannedLoss(reference, planned) };
};

const learned = (
  reference: Reference,
  { labels, curves, planned }: Candidate,
  tried: readonly Candidate[],
  { calendar, seed }: Setting,
): TypicalDays => {
  const { top, bottom, bounds } = bandsOf(reference, curves, planned);
  const members = curves.map((_, model) => reference.days.filter((_, index) => labels[index] === model));
  const names = modelNames(
    members.map((days, model) => ({ days, curve: curves[model] ?? [] })),
    reference.days,
  );
  return {
    engine,
    seed,
    models: curves.map((activity, model) => ({
      name: names[model] ?? '',
      color: colorOf(model),
      anomaly: false,
      activity,
      topTolerance: top[model] ?? [],
      bottomTolerance: bottom[model] ?? [],
      days: members[model]?.length ?? 0,
    })),
    assignments: reference.days.map(({ date }, index) => ({ date, model: labels[index] ?? 0 })),
    leftOut: reference.leftOut,
    bounds,
    choice: tried.map(({ modelCount, loss }) => ({ modelCount, loss, predictability: 0, stability: 0 })),
    calendar,
    hitRate: 0,
  };
};
