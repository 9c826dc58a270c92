import type { Logger } from 'pino';
import { proposedMinChange } from '../../analysis/checking/floor.js';
import { findingKinds } from '../../domain/alerts/findings.js';
import { dateOf, dayNumber, minutesPerDay, year, dayAfter, dateAfter } from '../../domain/dates.js';
import { Rejection } from '../../domain/rejection.js';
import {
  collectedDaysMin,
  countedDates,
  learningDate,
  referenceDates,
} from '../../domain/source/reference.js';
import { source } from '../../domain/source/source.js';
import { referenceFacts } from '../../domain/source/sourceState.js';
import { streams } from '../../domain/streams.js';
import { importedDay } from '../../projections/days/storedDays.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { type CommandHandler, derivedId } from '../commands/commandHandler.js';
import { analysisSeed } from '../followUps/analyses.js';
import { requestedCovariates } from '../followUps/covariates.js';
import { ownMetadata, reportedAs, reportedOne } from '../followUps/followUpParts.js';
import { instantOf, type Environment, repeatedly } from '../ports/environment.js';
import type { Parking } from '../reading/parking.js';
import { appendImport } from './useCases/importDays.js';
import type { Clock } from './service.js';

type CollectorParts = {
  readonly models: ReadModels;
  readonly handle: CommandHandler;
  readonly caughtUp: () => Promise<void>;
  readonly parking: Pick<Parking, 'guard'>;
  /** Date of tomorrow at an instant by the clock of a zone. */
  readonly tomorrowIn: (timeZone: string, at: string) => string;
  readonly environment: Environment;
  readonly log: Logger;
};

/** Minutes between two looks. */
export const lookMinutes = 15;
const lookMs = lookMinutes * 60_000;

/** Minute of the day (UTC) from which a source may learn: spread over the day, a look before its end. */
export const learningMinute = (sourceId: number): number => (sourceId * 611) % (minutesPerDay - lookMinutes);

/** Maximum judged alerts of a source that are read. */
const alertsMax = 10_000;

/** Dates whose data people judged as anomalies; a silence is about no data. */
const anomalies = ({ alerts }: ReadModels, { id, tenant }: SourceSetup): ReadonlySet<string> =>
  new Set(
    alerts
      .page({
        ...{
          tenant,
          sourceId: id,
          from: undefined,
          to: undefined,
          states: ['resolved'],
          kinds: findingKinds,
        },
        ...{ sort: 'date', descending: false, after: undefined, limit: alertsMax },
      })
      .flatMap(({ date, verdict }) => (verdict === 'anomaly' ? [date] : [])),
  );

/**
 * Learns sources that collect their reference: after 56 days with three quarters of their slices, and again after 3, 6
 * and 12 months. Their recent days become reference days, but those that people judged as anomalies.
 */
export const collector = (parts: CollectorParts) => {
  const { models, handle, caughtUp, parking, tomorrowIn, environment, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;

  const learn = async (setup: SourceSetup, at: string): Promise<void> => {
    const { id, reference, timeZone } = setup;
    const today = dateOf(dayNumber(tomorrowIn(timeZone, at)) - 1);
    const dates = referenceDates(reference, models.days.learnableDates(id), today);
    if (dates.length === 0) return;
    const judged = anomalies(models, setup);
    const kept = dates.filter(date => !judged.has(date));
    const [from, to] = [kept[0], kept.at(-1)];
    if (from === undefined || to === undefined) return;
    const wanted = new Set(kept);
    const held = new Map(models.days.reference(id).map(day => [day.date, JSON.stringify(importedDay(day))]));
    const changed = models.days
      .between(id, 'recent', from, dayAfter(to))
      .filter(({ date }) => wanted.has(date))
      .map(importedDay)
      .filter(day => held.get(day.date) !== JSON.stringify(day));
    const importId = derivedId('reference', id, to);
    const step = (id: string) => ({ ...ownMetadata(importId, at), id });
    const summary = { lines: 0, days: changed.length, missingSamples: 0, filledSamples: 0, duplicates: 0 };
    const imported = { days: changed, summary: { ...summary, warnings: [] } };
    if (changed.length > 0)
      await appendImport(parts, { sourceId: id, kind: 'reference', imported }, importId, step(importId));
    await caughtUp();
    const days = models.days.reference(id).filter(({ date }) => wanted.has(date));
    const requestId = derivedId('extend', id, to);
    const minChange = proposedMinChange(days);
    const leftOut = new Set([
      ...[...judged].filter(date => from <= date && date <= to),
      ...[...held.keys()].filter(date => !wanted.has(date)),
    ]);
    const command = {
      type: 'ExtendReference',
      requestId,
      referenceYear: year(dayNumber(from)),
      reference: referenceFacts(days),
      leftOut: [...leftOut].sort(),
      ...(minChange && { minChange }),
      seed: analysisSeed,
      ...requestedCovariates(models, setup.explainedBy, { from, to }),
    } as const;
    await handle(source, streams.source(id), command, step(requestId));
    await caughtUp();
  };

  const learnAll = async (): Promise<number> => {
    const at = instantOf(environment);
    const minute = Math.floor((Date.parse(at) / 60_000) % minutesPerDay);
    for (const id of models.sources.collecting()) {
      const setup = models.sources.setup(id);
      if (signal.aborted) break;
      if (!setup || setup.archivedAt !== null || setup.pendingRequestId !== null) continue;
      if (minute < learningMinute(id)) continue;
      const failed = reportedOne(log, 'a source that collects its reference cannot learn; retrying', {
        sourceId: id,
      });
      await parking.guard(() => learn(setup, at)).catch(failed);
      await environment.nextTurn();
    }
    return lookMs;
  };

  const failed = reportedAs(log, 'sources that collect their reference cannot learn; retrying');
  const { wake, stop } = repeatedly({ environment, failed, retryMs: lookMs, stopping }, learnAll);
  return { start: () => void wake(), stop };
};

type Collecting = Pick<SourceSetup, 'id' | 'timeZone' | 'collects' | 'reference'>;
type Parts = Clock & { readonly models: Pick<ReadModels, 'days'> };

/** How far a source is that collects its reference, and the date on which it learns if each day has data. */
export const collectingProgress = (
  { models: { days }, tomorrowIn, now }: Parts,
  { id, timeZone }: Pick<Collecting, 'id' | 'timeZone'>,
): { readonly usableDays: number; readonly learnsAt: string | null } => {
  const tomorrow = tomorrowIn(timeZone, now());
  const dates = countedDates(days.learnableDates(id).filter(date => date <= tomorrow));
  const learnsAt = learningDate(dates, days.lastDate(id, tomorrow), dateAfter(tomorrow, -1));
  return { usableDays: dates.length, learnsAt };
};

/** First instant from which a source may learn on its present date, in words. */
const lookText = (id: number, at: string): string => {
  const minute = learningMinute(id);
  const start = Date.parse(`${at.slice(0, 10)}T00:00:00Z`);
  const dueMs = start + minute * 60_000;
  if (Date.parse(at) >= dueMs) return `within ${lookMinutes} minutes`;
  return `within ${lookMinutes} minutes after ${new Date(dueMs).toISOString()}`;
};

/**
 * Refuses a reset of a source that still collects its reference: it learns by itself.
 * @throws Rejection `referenceCollecting`, with the time at which it learns
 */
export const requireReference = (parts: Parts, source: Collecting): void => {
  const { id, timeZone, collects, reference } = source;
  if (!collects || reference.days > 0) return;
  const { usableDays, learnsAt } = collectingProgress(parts, source);
  const at = parts.now();
  const today = dateOf(dayNumber(parts.tomorrowIn(timeZone, at)) - 1);
  const got = `the source collects its reference: got ${usableDays} days with data`;
  const outlook =
    learnsAt === null
      ? 'it learns by itself from them'
      : learnsAt <= today
        ? `it learns by itself ${lookText(id, at)}`
        : `it learns by itself on ${learnsAt}, if each day has data`;
  throw new Rejection(
    'referenceCollecting',
    usableDays < collectedDaysMin
      ? `${got}, expected ${collectedDaysMin} before its first models; ${outlook}`
      : `${got}, which are enough; ${outlook}, and can be reset then`,
  );
};
