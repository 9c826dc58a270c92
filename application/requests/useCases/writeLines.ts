import { dateOf } from '../../../domain/dates.js';
import { seriesText } from '../../../domain/source/feed.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { tomorrowOf, type LocalClock } from '../../ports/localClock.js';
import type { PointBatch } from '../../ports/pointBuffer.js';
import { eventLoopYielder } from '../../ports/sharing/eventLoopYielder.js';
import type { Requester } from '../access.js';
import { cutPoints } from '../points/cutPoints.js';
import type { LineBatch, RejectedLines, SeriesPoints } from '../points/lineBatch.js';
import { pointCollector } from '../points/pointList.js';
import { startOf } from '../points/sliceTimes.js';
import type { Service } from '../service.js';
import { buffered } from './importPoints.js';

/** Client of a body of lines. */
export type Writer = {
  readonly actor: Requester['actor'];
  /** Its encrypted subject. */
  readonly by: string;
};

/** A source and the series of a body that it takes. */
type Claim = {
  readonly source: SourceSetup;
  readonly clock: LocalClock;
  readonly series: readonly SeriesPoints[];
};

/** Points that are stored in one commit, and commits of a body that wait for the disk at the same time. */
const pointsAtOnce = 500;
const commitsAtOnce = 10;
/** Points of a step of work, after which other requests may use the event loop. */
const stepPoints = 5000;

/** The series of a body by their sources; those of no source are noted as unclaimed. */
const claimsOf = async (
  service: Pick<Service, 'feeds' | 'environment'>,
  { tenant }: Requester['actor'],
  all: readonly SeriesPoints[],
): Promise<ReadonlyMap<number, readonly SeriesPoints[]>> => {
  const yieldToEventLoop = eventLoopYielder();
  const routes = service.feeds.routesOf(tenant);
  const nowMs = service.environment.nowMs();
  const claims = new Map<number, SeriesPoints[]>();
  for (const series of all) {
    await yieldToEventLoop();
    const sourceId = routes(series);
    const claim = sourceId === undefined ? undefined : claims.get(sourceId);
    if (claim) claim.push(series);
    else if (sourceId !== undefined) claims.set(sourceId, [series]);
    else service.feeds.unclaimed.note(tenant, series, series.at.length, nowMs);
  }
  return claims;
};

/** Returns a function that says why a point of a source is refused; undefined for an accepted one. */
const refusal = ({ source, clock, series }: Claim, now: string) => {
  const tomorrow = tomorrowOf(clock, now);
  const end = startOf(clock, tomorrow + 1) * 1e6;
  const isOne = new Set(series.map(seriesText)).size === 1;
  const taken = new Map<number, string>();
  return (at: number, one: SeriesPoints): string | undefined => {
    if (at >= end)
      return (
        `got the time ${new Date(at / 1000).toISOString()}, expected one up to tomorrow, ${dateOf(tomorrow)}, by ` +
        `the clock of ${clock.timeZone} of source ${source.id}`
      );
    if (isOne) return undefined;
    const text = seriesText(one);
    const other = taken.get(at) ?? text;
    taken.set(at, other);
    return other === text
      ? undefined
      : `two series of the feed of source ${source.id} have this time, expected one: name more tags in the feed`;
  };
};

/** Points of a source by time: seconds since 1970 and their values. */
const pointsOf = async (claim: Claim, now: string, rejected: RejectedLines) => {
  const yieldToEventLoop = eventLoopYielder();
  const collector = pointCollector();
  const refused = refusal(claim, now);
  for (const one of claim.series) {
    for (const [index, at] of one.at.entries()) {
      if (index % stepPoints === 0) await yieldToEventLoop();
      const reason = refused(at, one);
      if (reason === undefined) collector.add(at / 1e6, one.values[index]!);
      else rejected.add(one.lines[index]!, reason);
    }
  }
  return collector.finish();
};

/** Collects batches for the buffer and stores them together: those of many sources share a commit. */
const batchedBuffer = ({ points: { buffer } }: Pick<Service, 'points'>) => {
  let batches: PointBatch[] = [];
  let count = 0;
  const commits: Promise<unknown>[] = [];
  const flush = async (): Promise<void> => {
    const commit = Promise.all(batches.map(batch => buffer.add(batch)));
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
    /** Resolves when all points are durable. */
    end: async (): Promise<void> => {
      await flush();
      await Promise.all(commits);
    },
  };
};

/**
 * Stores the points of a body durably, each with the source whose feed its series fits. The log gets them slice by
 * slice within seconds. Points of no source are counted, and dropped. The same body stored again changes nothing.
 * @throws StorageFull, StoreUnavailable, and then some of the points may be stored
 */
export const writeLines = async (
  service: Service,
  { actor, by }: Writer,
  { series, rejected }: LineBatch,
  clockOf: (timeZone: string) => LocalClock | undefined,
): Promise<void> => {
  await service.caughtUp();
  const { models, points } = service;
  const buffer = batchedBuffer(service);
  const yieldToEventLoop = eventLoopYielder();
  for (const [sourceId, claimed] of await claimsOf(service, actor, series)) {
    await yieldToEventLoop();
    const source = models.sources.setup(sourceId);
    const clock = source && clockOf(source.timeZone);
    if (!source || !clock) throw new Error(`this runtime does not know the time zone of source ${sourceId}`);
    const list = await pointsOf({ source, clock, series: claimed }, service.now(), rejected);
    const { late, readings, kept } = await cutPoints(service, source, clock, list);
    if (late.length > 0) await points.writer.storeLate(sourceId, by, late, readings);
    for (let from = 0; from < kept.times.length; from += stepPoints) {
      const times = kept.times.subarray(from, from + stepPoints);
      const values = kept.values.subarray(from, from + stepPoints);
      await buffer.add({ sourceId, by, points: buffered(service, sourceId, { times, values }, clock) });
    }
  }
  await buffer.end();
};
