import type { Decider } from './decider.js';
import { lookUp, emptyKeyed, put, type Keyed } from './keyed.js';

/** Format of a reading. `proof` is one event with its inclusion proof. */
const trailFormats = ['json', 'ndjson', 'csv', 'proof'] as const;
export type TrailFormat = (typeof trailFormats)[number];

/** A reading of the audit trail. */
export type TrailReading = {
  readonly query: Readonly<Record<string, string | number>>;
  readonly format: TrailFormat;
  /** Number of events in the log at that time. */
  readonly logSize: number;
  /** Number of events returned; null when all matching events were streamed. */
  readonly count: number | null;
};

export type AuditEvent =
  | { readonly type: 'AuditTrailRead'; readonly data: TrailReading }
  /** The key of a person was destroyed. Only the id of the key identifies the person. */
  | { readonly type: 'PersonErased'; readonly data: { readonly personId: string } };
export type AuditCommand =
  | { readonly type: 'NoteReading'; readonly reading: TrailReading }
  | { readonly type: 'ErasePerson'; readonly personId: string };

/** Ids of the erased people. */
export type AuditState = Keyed<true>;

/** Rules of `audit-{tenant}`: every reading of the trail is recorded; a person is erased once. */
export const audit: Decider<AuditCommand, AuditEvent, AuditState> = {
  initial: emptyKeyed,
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
