import { dateOf, secondsPerDay } from '../../../domain/dates.js';
import type { ImportSummary } from '../../../domain/days.js';
import type { BufferedPoint } from '../../ports/pointBuffer.js';
import { tomorrowOf, type LocalClock } from '../../ports/localClock.js';
import { ownSource, type Requester } from '../access.js';
import { plural } from '../imports/counted.js';
import { cutPoints } from '../points/cutPoints.js';
import type { PointList, Points } from '../points/pointList.js';
import type { SampledPoints } from '../points/pointWriter.js';
import { microsOf } from '../points/sliceValues.js';
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

/** Day number of a point by a local clock. */
const dayOf = (at: number, clock: LocalClock): number =>
  Math.floor((at + clock.periodAt(at).offset) / secondsPerDay);

/** Points for the buffer, each with the revision of the event that had set its whole day. */
export const buffered = (
  { models }: Pick<Service, 'models'>,
  sourceId: number,
  { times, values }: Points,
  clock: LocalClock,
): BufferedPoint[] => {
  const bases = new Map<number, number>();
  const baseOf = (number: number): number => {
    const base = bases.get(number) ?? models.days.wholeDayRevision(sourceId, dateOf(number));
    bases.set(number, base);
    return base;
  };
  return Array.from(times, (at, index) => {
    const number = dayOf(at, clock);
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

/** A warning for points after tomorrow. */
const futureWarning = (times: Float64Array, clock: LocalClock, now: string): ImportSummary['warnings'] => {
  const tomorrow = tomorrowOf(clock, now);
  const first = times.findIndex(at => dayOf(at, clock) > tomorrow);
  if (first < 0) return [];
  const detail =
    `${plural(times.length - first, 'point')} after tomorrow, ${dateOf(tomorrow)}, from ` +
    `${dateOf(dayOf(times[first]!, clock))} on: kept, stored and checked when the time of each slice has passed`;
  return [{ code: 'futureDays', detail }];
};

/** Dates of points, ascending. */
const datesOf = (
  late: readonly SampledPoints[],
  points: readonly BufferedPoint[],
  clock: LocalClock,
): string[] => {
  const numbers = new Set(late.map(day => day.dayNumber));
  for (const { at } of points) numbers.add(dayOf(at / 1e6, clock));
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
  const { late, readings, warnings, kept } = await cutPoints(service, source, clock, list);
  const recent = buffered(service, sourceId, kept, clock);
  const repeated =
    recent.length > 0 ? await points.buffer.add({ sourceId, by: metadata.by, points: recent }) : 0;
  const lateCauses =
    late.length > 0 ? await points.writer.storeLate(sourceId, metadata.by, late, readings) : [];
  const stored = await points.writer.store(sourceId);
  const causes = [...lateCauses, ...stored.causes];
  const checks = await Promise.all(causes.map(cause => checkedInTime(service, cause)));
  return {
    id: metadata.id,
    points: list.times.length,
    dates: datesOf(late, recent, clock),
    repeated: repeated + list.duplicates,
    warnings: [
      ...lateWarning(late),
      ...futureWarning(list.times, clock, service.now()),
      ...[...warnings, ...stored.warnings, ...list.warnings],
    ],
    causes,
    checked: checks.every(Boolean),
  };
};
