import type { Database } from 'better-sqlite3';
import type { DayKind, ImportSummary } from '../../domain/days.js';
import { parsed } from '../readModel.js';

/** An import that has taken effect. `eventId` is the id of its last part, which causes its check. */
export type ImportRecord = ImportSummary & {
  readonly id: string;
  readonly sourceId: number;
  readonly kind: DayKind;
  readonly importedAt: string;
  readonly eventId: string;
};

type ImportRow = {
  readonly id: string;
  readonly source_id: number;
  readonly kind: DayKind;
  readonly summary: string;
  readonly imported_at: string;
  readonly event_id: string;
};

const importRecord = (row: ImportRow): ImportRecord => ({
  id: row.id,
  sourceId: row.source_id,
  kind: row.kind,
  ...parsed<ImportSummary>(row.summary),
  importedAt: row.imported_at,
  eventId: row.event_id,
});

/** A date, the observed share of its slices, and whether it is in progress. */
export type DatedShare = { readonly date: string; readonly completeness: number; readonly open: boolean };

/** Queries on imports. */
export const importQueries = (db: Database) => {
  const byImport = db.prepare<[string], { date: string; completeness: number; open: 0 | 1 }>(
    `select date, completeness, closes_at is not null as open from days where import_id = ? order by date`,
  );
  const missing = db
    .prepare<[string], string>('select date from missing_dates where import_id = ? order by date')
    .pluck();
  const one = db.prepare<[string], ImportRow>('select * from imports where id = ?');
  const revision = db
    .prepare<[number], number>('select revision from days_revisions where source_id = ?')
    .pluck();
  return {
    /** Dates whose data are still those of an import, with the completeness of each, by date. */
    byImport: (importId: string): DatedShare[] =>
      byImport.all(importId).map(day => ({ ...day, open: day.open === 1 })),
    /** Dates inside an import of recent days that it has no data of, ascending. */
    missingDates: (importId: string): string[] => missing.all(importId),
    import: (importId: string): ImportRecord | undefined => {
      const row = one.get(importId);
      return row && importRecord(row);
    },
    /** Last revision of the stream `days-{id}` that was applied, -1 for none. */
    revision: (sourceId: number): number => revision.get(sourceId) ?? -1,
  };
};
