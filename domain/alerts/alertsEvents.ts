import type { AlertFinding } from './findings.js';
import type { CheckCause, Knowledge, CheckedDay } from './checks.js';
import type { Verdict } from './alertState.js';

/** Events of `alerts-{id}`. */
export type AlertsEvent =
  | {
      readonly type: 'DaysChecked';
      readonly data: {
        readonly cause: CheckCause;
        /** Counted from 1; the check is complete with its last part. */
        readonly part: number;
        readonly last: boolean;
        /** Name and version of the analysis; absent in older events. */
        readonly engine?: string;
        readonly modelsVersion: number;
        /** Absent in older events. */
        readonly knowledge?: Knowledge;
        /** Alerts that a check raises again are confirmed. Absent in older events: they were replaced. */
        readonly keepsAlerts?: boolean;
        /** `standing`: alerts of the day that this check did not change. */
        readonly days: readonly (CheckedDay & { readonly standing: readonly string[] })[];
      };
    }
  | {
      readonly type: 'AlertRaised';
      readonly data: FoundAlert;
    }
  /** A check against other models or another plan found the unprocessed alert again. The alert has this finding now. */
  | { readonly type: 'AlertConfirmed'; readonly data: FoundAlert }
  | {
      readonly type: 'AlertInvalidated';
      readonly data: { readonly alertId: string; readonly date: string; readonly reason: CheckCause['type'] };
    }
  | { readonly type: 'AlertAcknowledged'; readonly data: { readonly alertId: string; readonly date: string } }
  | {
      readonly type: 'AlertResolved';
      readonly data: {
        readonly alertId: string;
        readonly date: string;
        readonly verdict: Verdict;
        readonly comment: string | null;
      };
    }
  | { readonly type: 'AlertReopened'; readonly data: { readonly alertId: string; readonly date: string } }
  /** Data came after a silence. */
  | {
      readonly type: 'AlertEnded';
      readonly data: { readonly alertId: string; readonly date: string; readonly reason: CheckCause['type'] };
    };

/** A finding that is the reason of an alert. */
export type FoundAlert = AlertFinding & {
  readonly alertId: string;
  readonly date: string;
  readonly importId: string;
  readonly dayDigest: string;
  readonly modelsVersion: number;
};
