import { dateOf, secondsPerDay } from '../../../domain/dates.js';
import type { ImportSummary } from '../../../domain/days.js';
import { latenessMs } from '../../../domain/points.js';
import type { BufferedPoint } from '../../ports/pointBuffer.js';
import type { LocalClock } from '../../ports/localClock.js';
import { eventLoopYielder } from '../../ports/sharing/eventLoopYielder.js';
import { ownSource, type Requester } from '../access.js';
import { plural } from '../imports/counted.js';
import { foldDays } from '../imports/dayFolder.js';
import { foldRegister } from '../imports/registerFolder.js';
import { keptMs, type SampledPoints } from '../points/pointWriter.js';
import { microsOf } from '../points/sliceValues.js';
import { placeAt, startOf } from '../points/sliceTimes.js';
import type { PointList } from '../points/pointList.js';
import { checkedInTime, type Service } from '../service.js';

/** A stored import of points. */
export type PointsImport = {
  readonly id: string;
  readonly points: number;
  /** Dates of the points, ascending. */
  readonly dates: readonly string[];
  /** Points that were known already. */
  readonly repeated: number;
  readonly warnings: ImportSummary['warnings'];
  /** Events whose checks belong to this import, and whether these have ended. */
  readonly causes: readonly string[];
  readonly checked: boolean;
};

/** The dates of points, and the values of their slices, NaN for those without points. */
export const sampledLate = async (
  { times, values }: Pick<PointList, 'times' | 'values'>,
  source: Pick<ReturnType<typeof ownSource>, 'activitySize' | 'aggregation' | 'interpolationMethod'>,
  clock: LocalClock,
): Promise<readonly SampledPoints[]> => {
  const yieldToEventLoop = eventLoopYielder();
  const { activitySize, aggregation, interpolationMethod } = source;
  const rule = { activitySize, aggregation, interpolationMethod, clock };
  const folder = aggregation === 'counter' ? foldRegister(rule) : foldDays(rule);
  const counts = new Map<number, number>();
  for (let from = 0; from < times.length;) {
    const { dayNumber } = placeAt(clock, activitySize, times[from]!);
    const end = startOf(clock, dayNumber + 1);
    let to = from + 1;
    while (to < times.length && times[to]! < end) to += 1;
    folder.add(times.subarray(from, to), values.subarray(from, to));
    counts.set(dayNumber, (counts.get(dayNumber) ?? 0) + to - from);
    from = to;
    await yieldToEventLoop();
  }
  return folder.finish().sampled.map(day => ({ ...day, points: counts.get(day.dayNumber) ?? 0 }));
};

/** Index of the first point that the buffer still keeps: points of dates that have been closed for a week are late. */
export const firstKept = (
  { times }: Pick<PointList, 'times'>,
  source: { readonly activitySize: Parameters<typeof placeAt>[1]; readonly lateness: string },
  clock: LocalClock,
  nowMs: number,
): number => {
  const { dayNumber } = placeAt(clock, source.activitySize, (nowMs - keptMs - latenessMs(source)) / 1000);
  const from = startOf(clock, dayNumber);
  const found = times.findIndex(at => at >= from);
  return found < 0 ? times.length : found;
};

/** Points for the buffer, each with the revision of the event that had set its whole day. */
export const buffered = (
  { models }: Pick<Service, 'models'>,
  sourceId: number,
  { times, values }: Pick<PointList, 'times' | 'values'>,
  clock: LocalClock,
): BufferedPoint[] => {
  const bases = new Map<number, number>();
  const baseOf = (number: number): number => {
    const base = bases.get(number) ?? models.days.wholeDayRevision(sourceId, dateOf(number));
    bases.set(number, base);
    return base;
  };
  return Array.from(times, (at, index) => {
    const number = Math.floor((at + clock.periodAt(at).offset) / secondsPerDay);
    return { at: microsOf(at), value: values[index]!, base: baseOf(number) };
  });
};

const lateWarning = (late: readonly SampledPoints[]): ImportSummary['warnings'] => {
  const points = late.reduce((sum, day) => sum + day.points, 0);
  const first = late[0];
  return first
    ? [
        {
          code: 'latePoint',
          detail:
            `${plural(points, 'point')} of ${plural(late.length, 'date')} from ${dateOf(first.dayNumber)} on came more than ` +
            'a week after the date had closed: they replace what their slices had',
        },
      ]
    : [];
};

/** Dates of points, ascending. */
const datesOf = (
  late: readonly SampledPoints[],
  points: readonly BufferedPoint[],
  clock: LocalClock,
): string[] => {
  const numbers = new Set(late.map(day => day.dayNumber));
  for (const { at } of points)
    numbers.add(Math.floor((at / 1e6 + clock.periodAt(at / 1e6).offset) / secondsPerDay));
  return [...numbers].sort((one, other) => one - other).map(dateOf);
};

/**
 * Stores points durably, and those slices in the log that have elapsed; waits for the checks of these. A point changes
 * its slice only.
 * @throws Rejection `sourceNotFound`; StorageFull, StoreUnavailable, and then some of the points may be stored
 */
export const importPoints = async (
  service: Service,
  requester: Requester,
  { sourceId, clock }: { readonly sourceId: number; readonly clock: LocalClock },
  list: PointList,
): Promise<PointsImport> => {
  const metadata = await requester.begin();
  const { models, points } = service;
  await service.caughtUp();
  const source = ownSource(models, requester.actor, sourceId);
  service.requireRoom();
  const kept = firstKept(list, source, clock, service.environment.nowMs());
  const cut = (from: number, to: number) => ({
    times: list.times.subarray(from, to),
    values: list.values.subarray(from, to),
  });
  const late = await sampledLate(cut(0, kept), source, clock);
  const recent = buffered(service, sourceId, cut(kept, list.times.length), clock);
  const repeated =
    recent.length > 0 ? await points.buffer.add({ sourceId, by: metadata.by, points: recent }) : 0;
  const lateCauses = late.length > 0 ? await points.writer.storeLate(sourceId, metadata.by, late) : [];
  const stored = await points.writer.store(sourceId);
  const causes = [...lateCauses, ...stored.causes];
  const checks = await Promise.all(causes.map(cause => checkedInTime(service, cause)));
  return {
    id: metadata.id,
    points: list.times.length,
    dates: datesOf(late, recent, clock),
    repeated: repeated + list.duplicates,
    warnings: [...lateWarning(late), ...stored.warnings, ...list.warnings],
    causes,
    checked: checks.every(Boolean),
  };
};
