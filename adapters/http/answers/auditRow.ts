import type { Recorded } from '../../../domain/events.js';
import { csvField } from '../../tables/textTable.js';

/** An event for JSON, which has no bigint. */
export const shownEvent = ({ position, ...event }: Recorded) => ({ position: String(position), ...event });
export type ShownEvent = ReturnType<typeof shownEvent>;

/** Header of the audit trail as CSV. */
export const auditRowNames = 'position,id,stream,revision,type,v,at,by,cause,correlation,hash,data';

/** An event as a row of CSV, without the line break. */
export const auditRow = (event: ShownEvent): string => {
  const { position, id, stream, revision, type, v, at, data, metadata, hash = '' } = event;
  const { by, cause, correlation } = metadata;
  return [position, id, stream, revision, type, v, at, by, cause, correlation, hash, JSON.stringify(data)]
    .map(csvField)
    .join();
};
