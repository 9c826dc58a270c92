import type { Database } from 'better-sqlite3';
import type { AlertState } from '../domain/alerts/alertsState.js';
import type { Finding, Outcome } from '../domain/alerts/findings.js';
import type { DayKind } from '../domain/days.js';
import { noSeverity } from './alertPages.js';
import { record, rowsVersion, type SourceMemo } from './readModel.js';

/** A day of a source without its values; `outcome` is null for reference days and unchecked ones. */
export type DayCell = {
  readonly date: string;
  readonly kind: DayKind;
  readonly outcome: Outcome | null;
  /** Absent for a date that is over. */
  readonly inProgress?: true;
  /** Slices of a date in progress that have elapsed; absent for others. */
  readonly elapsed?: number;
  readonly alert?: {
    readonly id: string;
    readonly kind: Finding['kind'];
    readonly state: AlertState;
    readonly criticity: number;
    /** Absent in alerts of engines up to 8. */
    readonly severity?: number;
  };
};

/** Alerts that wait for a person: how many, their highest criticity, and the one that lost most. */
export type OpenAlerts = {
  readonly count: number;
  readonly criticity: number;
  readonly worst: {
    readonly id: string;
    readonly date: string;
    readonly criticity: number;
    /** Absent in alerts of engines up to 8, which come after those with one, by criticity. */
    readonly severity?: number;
  };
};

/** A source in an overview. */
export type OverviewEntry = {
  /**
   * Days of the period, by date. A recent day replaces a reference day of its date; if a day has several alerts, the
   * last one counts.
   */
  readonly days: readonly DayCell[];
  /** Undefined for none. */
  readonly open: OpenAlerts | undefined;
  /** The alert that waits for a person because no data come: its date has no day. Undefined for none. */
  readonly silence: SilenceMark | undefined;
};

/** An unprocessed alert of a silence. */
export type SilenceMark = {
  readonly id: string;
  readonly date: string;
  readonly state: AlertState;
  readonly criticity: number;
  /** Absent in alerts of engines up to 8. */
  readonly severity?: number;
};

type CellRow = {
  date: string;
  kind: DayKind;
  outcome: Outcome | null;
  closes_at: string | null;
  elapsed: number | null;
};
type OverviewAlertRow = {
  date: string;
  id: string;
  kind: Finding['kind'];
  state: AlertState;
  criticity: number;
  severity: number;
};
type SilenceRow = Omit<OverviewAlertRow, 'kind'>;
type WorstRow = { count: number; criticity: number; severity: number; id: string; date: string };

/** A row with its severity, if it has one. */
const withSeverity = <Row extends { readonly severity: number }>({
  severity,
  ...row
}: Row): Omit<Row, 'severity'> & { readonly severity?: number } =>
  severity === noSeverity ? row : { ...row, severity };

/** Returns a function that reads the days of a source from `from` (inclusive) to `to` (exclusive). */
const cellReader = (db: Database) => {
  const cells = db.prepare<[number, string, string], CellRow>(
    `select date, kind, outcome, closes_at, elapsed from days
     where source_id = ? and kind in ('reference', 'recent') and date >= ? and date < ?
     order by date, kind desc`,
  );
  // The last one of a date is shown: an unprocessed one, else the one that changed last.
  const alerts = db.prepare<[number, string, string], OverviewAlertRow>(
    `select date, id, state, kind, criticity, severity
     from alerts where source_id = ? and date >= ? and date < ? and +state != 'invalidated'
     order by state in ('open', 'acknowledged'), revision`,
  );
  return (sourceId: number, from: string, to: string): DayCell[] => {
    const byDate = new Map(
      alerts.all(sourceId, from, to).map(({ date, ...alert }) => [date, withSeverity(alert)]),
    );
    const rows = cells.all(sourceId, from, to);
    return rows
      .filter(({ date }, index) => rows[index + 1]?.date !== date)
      .map(({ date, kind, outcome, closes_at, elapsed }) => {
        const alert = kind === 'recent' ? byDate.get(date) : undefined;
        const progress = closes_at !== null && { inProgress: true as const, elapsed: elapsed ?? 0 };
        return { date, kind, outcome, ...progress, ...(alert && { alert }) };
      });
  };
};

/** Returns a function that reads the unprocessed alerts of a source. */
const openReader = (db: Database) => {
  // With one max() SQLite takes the other columns from its row; a stored severity has at most four decimals.
  const open = (order: string) =>
    db.prepare<[number], WorstRow>(
      `select count(*) as count, max(${order}), criticity, severity, id, date
       from alerts where source_id = ? and state in ('open', 'acknowledged')`,
    );
  const worst = open('severity * 1e6 + criticity');
  const highest = open('criticity');
  return (sourceId: number): OpenAlerts | undefined => {
    const found = worst.get(sourceId);
    if (!found || found.count === 0) return undefined;
    const { count, id, date, criticity, severity } = found;
    return {
      count,
      criticity: highest.get(sourceId)?.criticity ?? criticity,
      worst: withSeverity({ id, date, criticity, severity }),
    };
  };
};

/** Queries for an overview of many sources; values of days are not read. */
export const overviewQueries = (db: Database, kept: SourceMemo<OverviewEntry>) => {
  const version = rowsVersion(db);
  const cells = cellReader(db);
  const open = openReader(db);
  const silence = record(
    db.prepare<[sourceId: number], SilenceRow>(
      `select id, date, state, criticity, severity from alerts
       where source_id = ? and state in ('open', 'acknowledged') and +kind = 'noData' limit 1`,
    ),
    withSeverity<SilenceRow>,
  );
  return {
    /** A source with its days from `from` (inclusive) to `to` (exclusive), kept until its rows change. */
    entry: (sourceId: number, from: string, to: string): OverviewEntry =>
      kept(sourceId, `${version(sourceId)} ${from} ${to}`, () => ({
        days: cells(sourceId, from, to),
        open: open(sourceId),
        silence: silence(sourceId),
      })),
  };
};
