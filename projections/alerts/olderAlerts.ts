import type { Database } from 'better-sqlite3';
import { mainDeviation } from '../../domain/alerts/deviation.js';
import { usable, type Run } from '../../domain/day.js';
import type { EventOf } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import type { Deviation } from '../../domain/alerts/findings.js';
import type { Model } from '../../domain/planning/models.js';
import { parsed } from '../readModel.js';

/**
 * Returns a function that derives the deviation of an alert whose event has no facts. The result is null for events
 * with facts, for kinds of alerts without a deviation, and when the day or the model have changed since.
 */
export const olderDeviations = (db: Database) => {
  const read = db.prepare<
    [number, number, string, string],
    { activity: string; gaps: string; model: string }
  >(
    `select activity, gaps, model from days
     join day_values using (event_position, date)
     join models on models.source_id = days.source_id and models.id = ?
     where days.source_id = ? and days.kind = 'recent' and days.date = ? and days.import_id = ?`,
  );
  return ({ stream, data }: EventOf<'AlertRaised'>): Deviation | null => {
    if (data.kind === 'noData' || data.facts) return null;
    const { date, importId, plannedModelId, slices, limits, kind } = data;
    // Without the limit on slices, the only run is a window or the day. A limit on changes needs the days before.
    const isRun = limits === undefined || limits.includes('slice');
    const isMean = !isRun && (limits.includes('window') || limits.includes('day') || kind === 'frozen');
    if (plannedModelId === null || (!isRun && !isMean)) return null;
    const row = read.get(plannedModelId, sourceOf(stream), date, importId);
    if (!row) return null;
    const day = { date, activity: parsed<number[]>(row.activity), gaps: parsed<Run[]>(row.gaps), filled: [] };
    const expected = parsed<Model>(row.model).activity;
    const compared = { activity: day.activity, expected, usable: usable(day) };
    const main = mainDeviation(compared, isRun ? slices : [], isRun ? [] : slices);
    return main && { ...main, comparedWith: 'model' };
  };
};
