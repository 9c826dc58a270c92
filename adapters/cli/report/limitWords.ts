import type { BrokenLimit } from '../../../domain/alerts/findings.js';

/** Limits in the words of reports. */
export const limitWords = {
  slice: 'bounds',
  window: '8-hour limit',
  day: 'day limit',
  windowChange: '8-hour change limit',
  dayChange: 'day change limit',
  shape: 'shape limit',
} as const satisfies Record<BrokenLimit, string>;
