import type { Calendar, NamedDay } from '../../domain/planning/calendar.js';
import type { CovariateSeries } from '../../domain/source/covariates.js';

/** Options of the analysis. */
export type Setting = {
  /** Number of models, 1 to 64; null to choose it from the data. */
  readonly modelCount: number | null;
  /** Target coverage: share of ordinary days without an alert, 0–1 exclusive; null for the default limits. */
  readonly coverage: number | null;
  /** Public holidays; null when none are known. */
  readonly calendar: Calendar | null;
  /** Special days named by people; absent means none. */
  readonly specials?: readonly NamedDay[];
  /** Values of sources that explain this one; absent means none. */
  readonly covariates?: readonly CovariateSeries[];
  readonly seed: number;
  /** Engine whose rules are used; absent for the present one. */
  readonly engine?: string;
};
