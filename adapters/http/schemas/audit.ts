import { subjectLengthMax } from '../../../domain/tokens.js';
import Type from '../typebox.js';
import { positionDigits } from '../../../application/requests/history/asOf.js';
import {
  authorFields,
  instantSchema,
  sourceIdSchema,
  nextCursorSchema,
  text,
  object,
  named,
  integer,
} from './common.js';
import { authorOf } from '../../../application/ports/people.js';
import type { Recorded } from '../../../domain/events.js';
import { csvField } from '../../tables.js';

/** An event for JSON, which has no bigint. The kind of its author is no part of what its hash covers. */
export const shownEvent = ({ position, ...event }: Recorded) => ({
  position: String(position),
  ...event,
  byKind: authorOf(event.metadata.by).byKind,
});
export type ShownEvent = ReturnType<typeof shownEvent>;

/** Header of the audit trail as CSV. */
export const auditRowNames = 'position,id,stream,revision,type,v,at,by,cause,correlation,hash,data,byKind';

/** An event as a row of CSV, without the line break. */
export const auditRow = (event: ShownEvent): string => {
  const { position, id, stream, revision, type, v, at, data, metadata, hash = '', byKind } = event;
  const { by, cause, correlation } = metadata;
  const head = [position, id, stream, revision, type, v, at, by, cause, correlation, hash];
  return [...head, JSON.stringify(data), byKind].map(csvField).join();
};

/** Formats of the audit trail and their media types; all but the first are streamed. */
export const auditMedia = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const;
export type AuditFormat = keyof typeof auditMedia;
export const auditFormats = Object.keys(auditMedia) as readonly AuditFormat[];

/** Orders of the events of a page; the other formats are in the order of the log. */
const auditOrders = ['oldest', 'newest'] as const;

/** Default and largest number of events of a page. */
export const auditLimits = { default: 100, max: 500 };

/** A date or an instant, for `comparableTime`. */
const timeSchema = text('A UTC date or instant.', '2026-03-01', {
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z?)?$',
});

const streamSchema = Type.String({ maxLength: 100, examples: ['alerts-12'] });
const eventTypeSchema = Type.String({ maxLength: 100, examples: ['AlertRaised'] });

export const auditQuery = object({
  sourceId: Type.Optional(sourceIdSchema),
  stream: Type.Optional(streamSchema),
  type: Type.Optional(eventTypeSchema),
  actor: Type.Optional(
    text('Subject of a token: events of that person.', 'anna', { maxLength: subjectLengthMax }),
  ),
  byKind: Type.Optional(
    Type.Enum(['person', 'service'], {
      description: 'Events of people, erased ones included, or of the service itself.',
      examples: ['person'],
    }),
  ),
  from: Type.Optional(timeSchema),
  to: Type.Optional(Type.String({ ...timeSchema, examples: ['2026-04-01'] })),
  format: Type.Optional(
    Type.Enum([...auditFormats], {
      description:
        `ndjson and csv answer all events at once, one a line; so does the header Accept: ${auditMedia.ndjson} or ` +
        `${auditMedia.csv}.`,
    }),
  ),
  order: Type.Optional(
    Type.Enum([...auditOrders], {
      default: 'oldest',
      description: 'Order of the events; newest is for JSON pages only.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: auditLimits.max, default: auditLimits.default, examples: [100] }),
  ),
  cursor: Type.Optional(
    text(
      'nextCursor of an answer to the same query, or the position of an event: the events after it.',
      '412',
      { pattern: `^${positionDigits}(\\.${positionDigits})?$` },
    ),
  ),
});

export const auditEventSchema = named('AuditEvent', {
  position: text('Position in the log; usable as cursor.', '412'),
  id: Type.String({ examples: ['0b7c0013-1f2e-5a3b-9c4d-0123456789ab'] }),
  stream: streamSchema,
  revision: Type.Integer({ minimum: 0, examples: [7] }),
  type: eventTypeSchema,
  v: integer('Version of the shape of data.', 1, { minimum: 1 }),
  at: instantSchema,
  data: Type.Unknown({
    description: 'As stored, in the shape of its version.',
    examples: [{ alertId: '12-20260302-1', date: '2026-03-02' }],
  }),
  metadata: object({
    by: authorFields.by,
    cause: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
    correlation: Type.String({ examples: ['5f0e2a5e-8d7e-4c4b-9a53-2b6f3f9c1a10'] }),
  }),
  byKind: authorFields.byKind,
  hash: Type.Optional(text('SHA-256 over the event and its predecessor in the stream.', '5f'.repeat(32))),
});
export const auditPageSchema = named('AuditPage', {
  events: Type.Array(auditEventSchema),
  nextCursor: nextCursorSchema('412.530'),
});
