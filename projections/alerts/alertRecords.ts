import { alertDetails, type AlertDetails } from '../../domain/alerts/details/alertDetails.js';
import type { AlertState, Verdict } from '../../domain/alerts/alertState.js';
import type { Aggregation } from '../../domain/day.js';
import type { AlertFinding, AlertKind, Deviation, Finding } from '../../domain/alerts/findings.js';
import { episodeColumn, episodeId } from './episodes.js';
import { parsed } from '../readModel.js';

/** An alert as clients see it. */
export type AlertRecord = Omit<Finding, 'kind' | 'facts' | 'slices'> &
  AlertDetails & {
    readonly id: string;
    readonly sourceId: number;
    readonly date: string;
    readonly kind: AlertKind;
    readonly state: AlertState;
    /** Id of the run of consecutive dates with alerts that it belongs to; null when it is invalidated. */
    readonly episode: string | null;
    readonly modelsVersion: number;
    readonly importId: string;
    readonly verdict: Verdict | null;
    readonly comment: string | null;
    readonly raisedAt: string;
    readonly updatedAt: string;
  };

/** A row of the table of alerts. */
export type AlertRow = {
  readonly id: string;
  readonly source_id: number;
  readonly date: string;
  readonly state: AlertState;
  readonly finding: string;
  readonly size: number;
  readonly aggregation: Aggregation;
  readonly deviation: string;
  readonly models_version: number;
  readonly import_id: string;
  readonly verdict: Verdict | null;
  readonly comment: string | null;
  readonly raised_at: string;
  readonly updated_at: string;
  /** First date of the episode of the alert. */
  readonly episode: string | null;
};

/** Columns of an `AlertRow`. */
export const alertColumns = `alerts.*, ${episodeColumn} as episode`;

/** An alert from its row. */
export const alertRecord = ({ id, date, size, aggregation, ...row }: AlertRow): AlertRecord => {
  const finding = parsed<AlertFinding>(row.finding);
  const { kind, slices, ...found } = finding;
  const { facts, silence, ...shown } = found as typeof found & { facts?: unknown; silence?: unknown };
  const details = alertDetails({ date, size, aggregation, finding }, parsed<Deviation | null>(row.deviation));
  return {
    id,
    sourceId: row.source_id,
    date,
    kind,
    state: row.state,
    episode:
      row.episode === null || row.state === 'invalidated' ? null : episodeId(row.source_id, row.episode),
    ...shown,
    ...details,
    modelsVersion: row.models_version,
    importId: row.import_id,
    verdict: row.verdict,
    comment: row.comment,
    raisedAt: row.raised_at,
    updatedAt: row.updated_at,
  };
};
