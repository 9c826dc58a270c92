import { dateOf, secondsPerDay } from '../../../domain/dates.js';
import type { ImportSummary } from '../../../domain/days.js';
import { tomorrowOf, type LocalClock } from '../../ports/localClock.js';
import type { BufferedPoint, PointBatch } from '../../ports/pointBuffer.js';
import { ownSource, type Requester } from '../access.js';
import { plural } from '../../../domain/text.js';
import { cutPoints } from '../points/cutPoints.js';
import { dayNumbersOf, type PointList, type Points } from '../points/pointList.js';
import type { SampledPoints } from '../points/pointWriter.js';
import { startOf } from '../points/sliceTimes.js';
import { microsOf } from '../points/sliceValues.js';
import { allCheckedInTime, type Service } from '../service.js';

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
export const dayOf = (at: number, clock: LocalClock): number =>
  Math.floor((at + clock.periodAt(at).offset) / secondsPerDay);

/** Points of a step of work, after which other requests may use the event loop. */
export const stepPoints = 5000;

/** A source with its clock, and the client that sends its points: its encrypted subject. */
type Target = { readonly sourceId: number; readonly clock: LocalClock; readonly by: string };

/** Points for the buffer, each with the revision of the event that had set its whole day. */
const buffered = (
  { models }: Pick<Service, 'models'>,
  { sourceId, clock }: Target,
  { times, values }: Points,
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
  const end = startOf(clock, tomorrow + 1);
  const first = times.findIndex(at => at >= end);
  if (first < 0) return [];
  const detail =
    `${plural(times.length - first, 'point')} after tomorrow, ${dateOf(tomorrow)}, from ` +
    `${dateOf(dayOf(times[first]!, clock))} on: kept, stored and checked when the time of each slice has passed`;
  return [{ code: 'futureDays', detail }];
};

/** Parts that store points. */
export type PointParts = Pick<
  Service,
  'caughtUp' | 'environment' | 'models' | 'now' | 'points' | 'requireRoom' | 'waiters'
>;

/**
 * Stores points durably, and those slices in the log that have elapsed; waits for the checks of these. A point changes
 * its slice only.
 * @throws InvalidInput for too many dates, before anything is stored; Rejection `sourceNotFound`; StorageFull,
 *         StoreUnavailable, and then some of the points may be stored
 */
export const importPoints = async (
  service: PointParts,
  requester: Requester,
  { sourceId, clock }: { readonly sourceId: number; readonly clock: LocalClock },
  list: PointList,
): Promise<PointsImport> => {
  const numbers = dayNumbersOf(list, clock);
  const { id, by } = await requester.begin();
  const { models, points } = service;
  await service.caughtUp();
  const source = ownSource(models, requester.actor, sourceId);
  service.requireRoom();
  const { late, readings, warnings, kept, fault } = await cutPoints(service, source, clock, list);
  if (fault) throw fault;
  // A reading at midnight is in no late day, but ends one together with readings of other bodies.
  const isLate = late.length > 0 || readings !== undefined;
  // Late readings may be refused because of those of other bodies; then nothing of this body is stored.
  const lateCauses = isLate ? await points.writer.storeLate(sourceId, by, late, readings) : [];
  const buffer = batchedBuffer(service);
  await bufferPoints(service, buffer, { sourceId, clock, by }, kept);
  const repeated = await buffer.end();
  const stored = await points.writer.store(sourceId);
  const causes = [...lateCauses, ...stored.causes];
  const checked = await allCheckedInTime(service, causes);
  return {
    id,
    points: list.times.length,
    dates: [...new Set([...numbers, ...late.map(day => day.dayNumber)])].sort((a, b) => a - b).map(dateOf),
    repeated: repeated + list.duplicates,
    warnings: [
      ...lateWarning(late),
      ...futureWarning(list.times, clock, service.now()),
      ...[...warnings, ...stored.warnings, ...list.warnings],
    ],
    causes,
    checked,
  };
};

/** Points that are stored in one commit, and commits of a body that wait for the disk at the same time. */
const pointsAtOnce = 500;
const commitsAtOnce = 10;

/** Collects batches for the buffer and stores them together: those of many sources share a commit. */
export const batchedBuffer = ({ points: { buffer } }: Pick<Service, 'points'>) => {
  let batches: PointBatch[] = [];
  let count = 0;
  let repeated = 0;
  const commits: Promise<void>[] = [];
  const flush = async (): Promise<void> => {
    const commit = Promise.all(
      batches.map(async batch => {
        const unchanged = await buffer.add(batch);
        repeated += unchanged;
      }),
    ).then(() => {});
    // Its error is thrown where the commit is awaited.
    commit.catch(() => {});
    commits.push(commit);
    batches = [];
    count = 0;
    if (commits.length >= commitsAtOnce) await commits.shift();
  };
  return {
    add: async ({ points, ...batch }: PointBatch): Promise<void> => {
      for (let from = 0; from < points.length;) {
        const part = points.slice(from, from + pointsAtOnce - count);
        batches.push({ ...batch, points: part });
        count += part.length;
        from += part.length;
        if (count >= pointsAtOnce) await flush();
      }
    },
    /** Resolves when all points are durable, to the number of those that changed nothing. */
    end: async (): Promise<number> => {
      await flush();
      await Promise.all(commits);
      return repeated;
    },
  };
};

/** Gives points to the buffer, step by step. */
export const bufferPoints = async (
  service: Pick<Service, 'models'>,
  buffer: Pick<ReturnType<typeof batchedBuffer>, 'add'>,
  target: Target,
  { times, values }: Points,
): Promise<void> => {
  for (let from = 0; from < times.length; from += stepPoints) {
    const end = from + stepPoints;
    const part = { times: times.subarray(from, end), values: values.subarray(from, end) };
    await buffer.add({ sourceId: target.sourceId, by: target.by, points: buffered(service, target, part) });
  }
};
