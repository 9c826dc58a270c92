import type { Database } from 'better-sqlite3';
import type { AlertState } from '../domain/alerts/alertsState.js';
import type { Finding, Outcome } from '../domain/alerts/findings.js';
import type { DayKind } from '../domain/days.js';
import { noSeverity } from './alerts/alertPages.js';

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

type CellRow = {
  source_id: number;
  date: string;
  kind: DayKind;
  outcome: Outcome | null;
  closes_at: string | null;
  elapsed: number | null;
};
type OverviewAlertRow = {
  source_id: number;
  date: string;
  id: string;
  kind: Finding['kind'];
  state: AlertState;
  criticity: number;
  severity: number;
};
type WorstRow = {
  source_id: number;
  count: number;
  criticity: number;
  severity: number;
  id: string;
  date: string;
};

/** A row with its severity, if it has one. */
const withSeverity = <Row extends { readonly severity: number }>({
  severity,
  ...row
}: Row): Omit<Row, 'severity'> & { readonly severity?: number } =>
  severity === noSeverity ? row : { ...row, severity };

const grouped = <Row extends { readonly source_id: number }>(rows: readonly Row[]): Map<number, Row[]> => {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.source_id);
    if (group) group.push(row);
    else groups.set(row.source_id, [row]);
  }
  return groups;
};

/** Queries on many sources at once; values of days are not read. */
export const overviewQueries = (db: Database) => {
  const inIds = 'source_id in (select value from json_each($ids))';
  const cells = db.prepare<{ ids: string; from: string; to: string }, CellRow>(
    `select source_id, date, kind, outcome, closes_at, elapsed from days
     where ${inIds} and kind in ('reference', 'recent') and date >= $from and date < $to
     order by source_id, date, kind desc`,
  );
  const alerts = db.prepare<{ ids: string; from: string; to: string }, OverviewAlertRow>(
    `select source_id, date, id, state, kind, criticity, severity
     from alerts where ${inIds} and date >= $from and date < $to and +state != 'invalidated'`,
  );
  // With one max() SQLite takes the other columns from its row; a stored severity has at most four decimals.
  const open = (order: string) =>
    db.prepare<{ ids: string }, WorstRow>(
      `select source_id, count(*) as count, max(${order}), criticity, severity, id, date
       from alerts where ${inIds} and state in ('open', 'acknowledged') group by source_id`,
    );
  const worst = open('severity * 1e6 + criticity');
  const highest = open('criticity');
  return {
    /**
     * Days of sources from `from` (inclusive) to `to` (exclusive), by source and date. A recent day replaces a
     * reference day of its date; if a day has several alerts, the last one counts.
     */
    cells: (ids: readonly number[], from: string, to: string): ReadonlyMap<number, DayCell[]> => {
      const period = { ids: JSON.stringify(ids), from, to };
      const byDay = new Map(
        alerts
          .all(period)
          .map(({ source_id, date, ...alert }) => [`${source_id}/${date}`, withSeverity(alert)]),
      );
      const all = [...grouped(cells.all(period))].map(([id, rows]): [number, DayCell[]] => [
        id,
        rows
          .filter(({ date }, index) => rows[index + 1]?.date !== date)
          .map(({ date, kind, outcome, closes_at, elapsed }) => {
            const alert = kind === 'recent' ? byDay.get(`${id}/${date}`) : undefined;
            const progress = closes_at !== null && { inProgress: true as const, elapsed: elapsed ?? 0 };
            return { date, kind, outcome, ...progress, ...(alert && { alert }) };
          }),
      ]);
      return new Map(all);
    },
    /** Unprocessed alerts by source; sources without any are left out. */
    openAlerts: (ids: readonly number[]): ReadonlyMap<number, OpenAlerts> => {
      const sources = { ids: JSON.stringify(ids) };
      const criticities = new Map(highest.all(sources).map(row => [row.source_id, row.criticity]));
      return new Map(
        worst.all(sources).map(({ source_id, count, id, date, criticity, severity }) => [
          source_id,
          {
            count,
            criticity: criticities.get(source_id) ?? criticity,
            worst: withSeverity({ id, date, criticity, severity }),
          },
        ]),
      );
    },
  };
};
