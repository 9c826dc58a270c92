import { dateOf } from '../../../domain/dates.js';
import { seriesText } from '../../../domain/source/feed.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { tomorrowOf, type LocalClock } from '../../ports/localClock.js';
import { EventFault } from '../../ports/eventStore.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import type { Requester } from '../access.js';
import { InvalidInput, recentDaysMax, tooManyDays } from '../imports/faults.js';
import { cutPoints } from '../points/cutPoints.js';
import {
  pointCollector,
  type LineBatch,
  type RejectedLines,
  type SeriesPoints,
} from '../points/pointList.js';
import { startOf } from '../points/sliceTimes.js';
import type { Service } from '../service.js';
import { batchedBuffer, bufferPoints, dayOf, stepPoints } from './importPoints.js';

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
  const dates = new Set<number>();
  const taken = new Map<number, string>();
  return (at: number, one: SeriesPoints): string | undefined => {
    if (at >= end)
      return (
        `got the time ${new Date(at / 1000).toISOString()}, expected one up to tomorrow, ${dateOf(tomorrow)}, by ` +
        `the clock of ${clock.timeZone} of source ${source.id}`
      );
    const date = dayOf(at / 1e6, clock);
    if (dates.size === recentDaysMax && !dates.has(date)) return tooManyDays.detail;
    dates.add(date);
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
      else rejected.add(one.lines[index]!, () => reason);
    }
  }
  return collector.finish();
};

/** Rejects the lines of a source up to an instant, in seconds since 1970. */
const rejectUpTo = (
  rejected: RejectedLines,
  series: readonly SeriesPoints[],
  end: number,
  reason: string,
): void => {
  for (const { at, lines } of series)
    for (const [index, line] of lines.entries()) if (at[index]! / 1e6 < end) rejected.add(line, () => reason);
};

/**
 * Gives the points of a source to the buffer, and its late ones to the log. Readings that are no register are rejected,
 * and so are late points of a source with an event that cannot be read: the lines of others are stored.
 */
const storeClaim = async (
  service: Pick<Service, 'environment' | 'models' | 'now' | 'points'>,
  buffer: Pick<ReturnType<typeof batchedBuffer>, 'add'>,
  { claim, by }: { readonly claim: Claim; readonly by: string },
  rejected: RejectedLines,
): Promise<void> => {
  const { source, clock } = claim;
  const list = await pointsOf(claim, service.now(), rejected);
  const { late, readings, kept, from, fault } = await cutPoints(service, source, clock, list);
  try {
    if (fault) throw fault;
    // A reading at midnight is in no late day, but ends one together with readings of other bodies.
    if (late.length > 0 || readings) await service.points.writer.storeLate(source.id, by, late, readings);
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof EventFault)) throw error;
    rejectUpTo(rejected, claim.series, from, `source ${source.id}: ${error.message}`);
  }
  await bufferPoints(service, buffer, { sourceId: source.id, clock, by }, kept);
};

/**
 * Stores the points of a body durably, each with the source whose feed its series fits. The log gets them slice by
 * slice within seconds. Points of no source are counted, and dropped; those of a register whose readings are none, and
 * of a source in a time zone that is unknown here, are rejected. The same body stored again changes nothing.
 * @throws StorageFull, StoreUnavailable, and then some of the points may be stored
 */
export const writeLines = async (
  service: Pick<Service, 'caughtUp' | 'environment' | 'feeds' | 'models' | 'now' | 'points'>,
  { actor, by }: Writer,
  { series: all, rejected }: LineBatch,
  clockOf: (timeZone: string) => LocalClock | undefined,
): Promise<void> => {
  await service.caughtUp();
  const buffer = batchedBuffer(service);
  const yieldToEventLoop = eventLoopYielder();
  for (const [sourceId, series] of await claimsOf(service, actor, all)) {
    await yieldToEventLoop();
    const source = service.models.sources.setup(sourceId);
    const clock = source && clockOf(source.timeZone);
    if (source && clock)
      await storeClaim(service, buffer, { claim: { source, clock, series }, by }, rejected);
    else
      rejectUpTo(
        rejected,
        series,
        Infinity,
        `this runtime does not know the time zone of source ${sourceId}`,
      );
  }
  await buffer.end();
};
