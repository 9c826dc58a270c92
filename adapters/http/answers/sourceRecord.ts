import { sourceNotFound } from '../../../application/access/access.js';
import type { Service } from '../../../application/service.js';
import type { CountedSource, SourceRecord } from '../../../projections/sources/sourceRecords.js';
import type { Actor } from '../middleware/tokens.js';

/**
 * Record of a source of the actor's tenant, archived or not.
 * @throws Rejection `sourceNotFound`
 */
export const sourceRecordOrArchived = (service: Service, actor: Actor, id: number): SourceRecord => {
  const source = service.models.sources.one(id);
  if (source?.tenant !== actor.tenant) throw sourceNotFound(id);
  return shownSource(service, source);
};

/**
 * Record of a source of the actor's tenant that is not archived.
 * @throws Rejection `sourceNotFound`
 */
export const sourceRecord = (service: Service, actor: Actor, id: number): SourceRecord => {
  const record = sourceRecordOrArchived(service, actor, id);
  if (record.archivedAt !== null) throw sourceNotFound(id, record);
  return record;
};

/** A source as its tenant sees it; `running` is an analysis in progress in this process. */
export const shownSource = (
  { followUps }: Service,
  { tenant, calendarGiven, pendingRequestId, pendingPosition, ...record }: CountedSource,
): SourceRecord =>
  record.analysis.status === 'pending' && followUps.isAnalysing(record.id)
    ? { ...record, analysis: { ...record.analysis, status: 'running' } }
    : record;
