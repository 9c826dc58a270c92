/** How urgent an incident is; the field `severity` of messages, whose receivers know these words. */
export const urgencies = ['info', 'warning', 'critical'] as const;
export type Urgency = (typeof urgencies)[number];

/** Least criticities of the two higher urgencies. */
const warningMin = 0.7;
const criticalMin = 0.85;

/** Urgency of a criticity, 0–1. */
export const urgencyOf = (criticity: number): Urgency => {
  if (criticity < warningMin) return 'info';
  return criticity < criticalMin ? 'warning' : 'critical';
};
