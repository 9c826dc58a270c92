import type { Decider } from './decider.js';
import { lookUp, nothingKeyed, put, type Keyed } from './keyed.js';

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

export type AuditEvent =
  | { readonly type: 'AuditTrailRead'; readonly data: TrailReading }
  /** The key of a person was destroyed, whom nothing but the key's id names. */
  | { readonly type: 'PersonErased'; readonly data: { readonly personId: string } };
export type AuditCommand =
  | { readonly type: 'NoteReading'; readonly reading: TrailReading }
  | { readonly type: 'ErasePerson'; readonly personId: string };

/** Who was erased. */
export type AuditState = Keyed<true>;

/** The rules of `audit-{tenant}`: whoever reads the trail leaves a note; a person is erased once. */
export const audit: Decider<AuditCommand, AuditEvent, AuditState> = {
  initial: nothingKeyed,
  decide: (command, erased) => {
    switch (command.type) {
      case 'NoteReading':
        return [{ type: 'AuditTrailRead', data: command.reading }];
      case 'ErasePerson': {
        const { personId } = command;
        return lookUp(erased, personId) ? [] : [{ type: 'PersonErased', data: { personId } }];
      }
    }
  },
  evolve: (erased, { type, data }) => (type === 'PersonErased' ? put(erased, data.personId, true) : erased),
};
