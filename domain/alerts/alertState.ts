/** Judgements of a person on an alert. */
export const verdicts = ['anomaly', 'expected', 'notAnomaly', 'newPattern'] as const;
export type Verdict = (typeof verdicts)[number];

/** `ended`: the reported condition is over; only silences end by themselves. */
export const alertStates = ['open', 'acknowledged', 'ended', 'resolved', 'invalidated'] as const;
export type AlertState = (typeof alertStates)[number];

/** States of alerts that are valid: new data or models did not invalidate them. */
export const validAlertStates: readonly AlertState[] = alertStates.filter(state => state !== 'invalidated');
