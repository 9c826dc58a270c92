import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import type { Service } from '../service.js';
import { eventLoopYielder } from '../../ports/sharing/eventLoopYielder.js';
import { freshDaysMax, knownDaysBefore } from './misreadWarnings.js';

/** Fewest days of an import that are compared with a whole reference; fewer are compared with the days before them. */
const seasonDaysMin = 3;

/** Reads the stored days of a source that the new days of an import are compared with: at most some 1,300. */
export const knownDays =
  ({ days: stored }: Service['models'], sourceId: number) =>
  async (fresh: readonly Day[]): Promise<readonly Day[]> => {
    const newest = fresh.slice(-freshDaysMax);
    const first = dayNumber(newest[0]?.date ?? '1970-01-01');
    const last = dayNumber(newest.at(-1)?.date ?? '1970-01-01');
    const from = dateOf(first - knownDaysBefore);
    const to = dateOf(Math.min(last, first + freshDaysMax) + 1);
    const days = new Map<string, Day>();
    const yieldToEventLoop = eventLoopYielder();
    const references =
      newest.length < seasonDaysMin
        ? stored.each(sourceId, 'reference', from, to)
        : stored.reference(sourceId);
    for (const found of [references, stored.each(sourceId, 'recent', from, to)])
      for (const day of found) {
        days.set(day.date, day);
        await yieldToEventLoop();
      }
    return [...days.values()];
  };
