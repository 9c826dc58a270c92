import { dateOf, dayNumber } from '../../domain/dates.js';
import { Rejection } from '../../domain/rejection.js';
import { collectedDaysMin, learningDate } from '../../domain/source/collecting.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { learningMinute, lookMinutes } from './collector.js';
import type { Clock } from './service.js';

type Collecting = Pick<SourceSetup, 'id' | 'timeZone' | 'collects' | 'reference'>;
type Parts = Clock & { readonly models: Pick<ReadModels, 'days'> };

/** How far a source is that collects its reference, and the date on which it learns if each day has data. */
export const collectingProgress = (
  { models: { days }, tomorrowIn, now }: Parts,
  { id, timeZone }: Pick<Collecting, 'id' | 'timeZone'>,
): { readonly usableDays: number; readonly learnsAt: string | null } => {
  const tomorrow = tomorrowIn(timeZone, now());
  const dates = days.learnableDates(id, false).filter(date => date <= tomorrow);
  const learnsAt = learningDate(dates, days.lastDate(id, tomorrow), dateOf(dayNumber(tomorrow) - 1));
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
