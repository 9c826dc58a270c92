import type { ImportSummary } from '../../../domain/days.js';
import { latenessMs } from '../../../domain/points.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { Environment } from '../../ports/environment.js';
import type { LocalClock } from '../../ports/localClock.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import { foldDays } from '../imports/dayFolder.js';
import { InvalidInput, type SampledDay } from '../imports/faults.js';
import { foldRegister } from '../imports/registerFolder.js';
import { lateReadingsMax } from './lateness.js';
import type { PointList, Points } from './pointList.js';
import type { SampledPoints } from './pointWriter.js';
import { placeAt, startOf } from './sliceTimes.js';
import { expectedMax, keptFrom as bufferFrom, keptMs, pointsAtOnce } from './sliceValues.js';

/** The settings of a source that decide how its points are cut. */
export type CutSource = Pick<
  SourceSetup,
  'id' | 'activitySize' | 'aggregation' | 'interpolationMethod' | 'lateness'
>;

/** Points of a body: those of dates that the buffer keeps, and the slices of the dates before. */
export type CutPoints = {
  /** The dates before, with the values of their slices, NaN for those without points. */
  readonly late: readonly SampledPoints[];
  /** The late readings of a register, when they are so few that they join those of other bodies. */
  readonly readings?: Points;
  /** Resets, jumps and roll-overs of a register on these dates. */
  readonly warnings: ImportSummary['warnings'];
  readonly kept: Points;
  /** First instant that is not late, in seconds since 1970. */
  readonly from: number;
  /** Why points before `from` cannot be stored; then `kept` has none of them. */
  readonly fault?: InvalidInput;
};

/** Index of the first point that is not late: points of dates that have been closed for a week are. */
const firstKept = ({ times }: Points, source: CutSource, clock: LocalClock, nowMs: number): number => {
  const { dayNumber } = placeAt(clock, source.activitySize, (nowMs - keptMs - latenessMs(source)) / 1000);
  const from = startOf(clock, dayNumber);
  const found = times.findIndex(at => at >= from);
  return found < 0 ? times.length : found;
};

/**
 * Index of the first reading of a register for the buffer, which keeps two days more: the slices between two readings
 * around the cut need both of them there, also from two bodies.
 */
const firstReading = ({ times }: Points, source: CutSource, end: number, nowMs: number): number => {
  const from = bufferFrom(source, nowMs);
  const found = times.findIndex(at => at >= from);
  // Two readings of one body belong together, however far they are apart.
  const shared = end < times.length ? end - 1 : end;
  return Math.min(shared, found < 0 ? times.length : found);
};

/** Groups points into days; a register has warnings. */
const folderOf = (
  { models }: { readonly models: Pick<ReadModels, 'typicalDays'> },
  source: CutSource,
  clock: LocalClock,
  invalid: PointList['invalid'] | undefined,
): {
  readonly add: (times: Float64Array, values: Float64Array) => void;
  readonly finish: () => { readonly sampled: SampledDay[]; readonly warnings?: ImportSummary['warnings'] };
} => {
  const { activitySize, aggregation, interpolationMethod } = source;
  if (aggregation !== 'counter') return foldDays({ activitySize, aggregation, clock });
  return foldRegister({
    ...{ activitySize, interpolationMethod, clock },
    expectedMax: expectedMax(models, source),
    ...(invalid && { invalid }),
  });
};

type CutParts = {
  readonly models: Pick<ReadModels, 'typicalDays'>;
  readonly environment: Pick<Environment, 'nowMs'>;
};

type Body = Points & Partial<Pick<PointList, 'invalid'>>;

/**
 * The days of the points up to `end`; the points after it up to `through` only end slices.
 * @throws InvalidInput `notCumulative`, and the code of the body
 */
const lateDays = async (
  folder: ReturnType<typeof folderOf>,
  { source, clock }: { readonly source: CutSource; readonly clock: LocalClock },
  { times, values }: Points,
  { end, through }: { readonly end: number; readonly through: number },
): Promise<Pick<CutPoints, 'late' | 'warnings'>> => {
  const yieldToEventLoop = eventLoopYielder();
  const counts = new Map<number, number>();
  for (let from = 0; from < end;) {
    const { dayNumber } = placeAt(clock, source.activitySize, times[from]!);
    const midnight = startOf(clock, dayNumber + 1);
    const most = Math.min(end, from + pointsAtOnce);
    let to = from + 1;
    while (to < most && times[to]! < midnight) to += 1;
    folder.add(times.subarray(from, to), values.subarray(from, to));
    counts.set(dayNumber, (counts.get(dayNumber) ?? 0) + to - from);
    from = to;
    await yieldToEventLoop();
  }
  if (through > end) folder.add(times.subarray(end, through), values.subarray(end, through));
  const { sampled, warnings = [] } = folder.finish();
  const late = sampled
    .map(day => ({ ...day, points: counts.get(day.dayNumber) ?? 0 }))
    .filter(({ points, values }) => points > 0 || !values.every(Number.isNaN));
  return { late, warnings };
};

const noDays: Pick<CutPoints, 'late' | 'warnings'> = { late: [], warnings: [] };

/**
 * The points for the buffer. Readings that are no register would stay there, and falsify the slices of corrected ones.
 * @throws InvalidInput `notCumulative`, and the code of the body
 */
const judged = async (
  folder: ReturnType<typeof folderOf>,
  target: { readonly source: CutSource; readonly clock: LocalClock },
  kept: Points,
): Promise<Points> => {
  const end = kept.times.length;
  if (target.source.aggregation === 'counter') await lateDays(folder, target, kept, { end, through: end });
  return kept;
};

/**
 * Cuts the points of a body where the buffer begins to keep them. The two readings of a register at the cut are on
 * both sides, because the rise between them may be in slices of both.
 * @param body `invalid` is the code of the fault for a register with amounts on too many days
 */
export const cutPoints = async (
  parts: CutParts,
  source: CutSource,
  clock: LocalClock,
  body: Body,
): Promise<CutPoints> => {
  const { times, values } = body;
  const nowMs = parts.environment.nowMs();
  const end = firstKept(body, source, clock, nowMs);
  const within = (from: number, to = times.length): Points => ({
    times: times.subarray(from, to),
    values: values.subarray(from, to),
  });
  const from = times[end] ?? Infinity;
  const isCounter = source.aggregation === 'counter';
  const through = isCounter && end < times.length ? end + 1 : end;
  const target = { source, clock };
  const folder = () => folderOf(parts, source, clock, body.invalid);
  let faultyTo = end;
  try {
    const days = end > 0 ? await lateDays(folder(), target, body, { end, through }) : noDays;
    faultyTo = times.length;
    const first = isCounter && end > 0 ? firstReading(body, source, end, nowMs) : end;
    return {
      ...days,
      ...(isCounter && end > 0 && through <= lateReadingsMax && { readings: within(0, through) }),
      kept: await judged(folder(), target, within(first)),
      from,
    };
  } catch (fault) {
    if (!(fault instanceof InvalidInput)) throw fault;
    return { ...noDays, kept: within(faultyTo), from: times[faultyTo] ?? Infinity, fault };
  }
};
