import type { Finding } from './findings.js';
import type { CheckCause, Knowledge, CheckedDay, CheckedSilence } from './checks.js';
import type { Verdict } from './alertState.js';

/** Commands of `alerts-{id}`. */
export type AlertsCommand =
  | {
      readonly type: 'RecordCheck';
      readonly sourceId: number;
      readonly cause: CheckCause;
      readonly part: number;
      readonly last: boolean;
      readonly engine: string;
      readonly modelsVersion: number;
      readonly knowledge: Knowledge;
      /** Number of parts of checks that the limits have adapted to; absent when they do not adapt. */
      readonly checksKnown?: number;
      /** Whether alerts are confirmed; older versions replaced them. */
      readonly keepsAlerts?: boolean;
      readonly days: readonly (CheckedDay & { readonly finding: Finding | null })[];
      /** A silence, or null when the source is not silent; absent when the check does not look at silences. */
      readonly silence?: CheckedSilence | null;
    }
  | { readonly type: 'AcknowledgeAlert'; readonly alertId: string }
  | {
      readonly type: 'ResolveAlert';
      readonly alertId: string;
      readonly verdict: Verdict;
      readonly comment: string | null;
    }
  /** Acknowledges those of several alerts whose state allows it; the others do not change. */
  | { readonly type: 'AcknowledgeAlerts'; readonly alertIds: readonly string[] }
  | {
      readonly type: 'ResolveAlerts';
      readonly alertIds: readonly string[];
      readonly verdict: Verdict;
      readonly comment: string | null;
    }
  | { readonly type: 'ReopenAlert'; readonly alertId: string };

/** Records the result of a check. */
export type RecordCheck = Extract<AlertsCommand, { type: 'RecordCheck' }>;
