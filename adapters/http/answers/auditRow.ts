import { authorOf } from '../../../application/access/people.js';
import type { Recorded } from '../../../domain/events.js';
import { csvField } from '../../tables/textTable.js';

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
