import type { Decider } from './decider.js';

/** How events of the trail were shown. `proof` is one event with the proof that it is in the log. */
export const trailFormats = ['json', 'ndjson', 'csv', 'proof'] as const;
export type TrailFormat = (typeof trailFormats)[number];

/** A reading of the audit trail: what was asked for, and of which log. */
export type TrailReading = {
  readonly query: Readonly<Record<string, string | number>>;
  readonly format: TrailFormat;
  /** Events that the log had: what was shown lies among them. */
  readonly logSize: number;
  /** Events that were shown; null where all that the query means were streamed. */
  readonly count: number | null;
};

export type AuditEvent = { readonly type: 'AuditTrailRead'; readonly data: TrailReading };
export type AuditCommand = { readonly type: 'NoteReading'; readonly reading: TrailReading };

/** The rules of `audit-{tenant}`: whoever reads the trail leaves one. No decision asks for what was. */
export const audit: Decider<AuditCommand, AuditEvent, null> = {
  initial: null,
  decide: ({ reading }) => [{ type: 'AuditTrailRead', data: reading }],
  evolve: state => state,
};
