import type { Calendar, NamedDay } from '../../domain/calendar.js';

/** What a data scientist may choose. */
export type Setting = {
  /** Models wanted, 1 to 64; null to let their number be chosen. */
  readonly modelCount: number | null;
  /** Share of ordinary days that are to stay without an alert, 0.9 to 0.995; null for the default limits. */
  readonly level: number | null;
  /** Public holidays; null where none are known. */
  readonly calendar: Calendar | null;
  /** Special days that people told; none when absent. */
  readonly specials?: readonly NamedDay[];
  readonly seed: number;
};
