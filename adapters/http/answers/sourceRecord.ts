import { oncePer } from '../../../analysis/math/oncePer.js';
import { ownSourceOrArchived, sourceNotFound } from '../../../application/requests/access.js';
import { collectingProgress } from '../../../application/requests/collector.js';
import type { Clock, Service } from '../../../application/requests/service.js';
import type { CountedSource, SourceRecord } from '../../../projections/sources/sourceRecords.js';
import type { Parked } from '../../../projections/parked.js';
import { keepJson } from './jsonAnswer.js';
import type { Actor } from '../middleware/tokens.js';

/** A source, with the reason when it is parked. */
type Shown = SourceRecord & { readonly parked?: ParkedMark };
type ParkedMark = { readonly position: string; readonly type: string; readonly cause: string };

/** Tomorrow by the clock of a source; of UTC for an unknown one. */
export const tomorrowOfSource = (
  { models, tomorrowIn, now }: Clock & Pick<Service, 'models'>,
  id: number,
): string => tomorrowIn(models.sources.setup(id)?.timeZone ?? 'UTC', now());

/** A source of any tenant, with its counts. */
export const countedSource = (
  service: Clock & Pick<Service, 'models'>,
  id: number,
): CountedSource | undefined => service.models.sources.one(id, tomorrowOfSource(service, id));

/**
 * Record of a source of the actor's tenant, archived or not.
 * @throws Rejection `sourceNotFound`, SourceParked
 */
export const sourceRecordOrArchived = (
  service: Clock & Pick<Service, 'models' | 'followUps'>,
  actor: Actor,
  id: number,
): Shown => {
  ownSourceOrArchived(service.models, actor, id);
  const source = countedSource(service, id);
  if (!source) throw sourceNotFound(id);
  return shownSource(service, source);
};

/**
 * Record of a source of the actor's tenant that is not archived.
 * @throws Rejection `sourceNotFound`, SourceParked
 */
export const sourceRecord = (
  service: Clock & Pick<Service, 'models' | 'followUps'>,
  actor: Actor,
  id: number,
): Shown => {
  const record = sourceRecordOrArchived(service, actor, id);
  if (record.archivedAt !== null) throw sourceNotFound(id, record);
  return record;
};

/** Why a source is parked, for its tenant. */
export const parkedMark = ({ position, type, cause }: Parked): ParkedMark => ({
  position: String(position),
  type,
  cause,
});

/** The fields of a source that its tenant sees. The read models keep sources; leaving fields out takes longer. */
const recordOf = oncePer(
  ({
    tenant,
    calendarGiven,
    collects,
    pendingRequestId,
    pendingPosition,
    ...record
  }: CountedSource): SourceRecord => keepJson(record),
);

/** A source as its tenant sees it; `running` is an analysis in progress in this process. */
export const shownSource = (
  service: Clock & Pick<Service, 'models' | 'followUps'>,
  source: CountedSource,
): Shown => {
  const { models, followUps } = service;
  const record = recordOf(source);
  const parked = models.parked.source(record.id);
  const { analysis } = record;
  const isRunning = analysis.status === 'pending' && followUps.isAnalysing(record.id);
  if (!isRunning && !parked && analysis.status !== 'collecting') return record;
  return {
    ...record,
    ...(isRunning && { analysis: { ...analysis, status: 'running' } }),
    ...(analysis.status === 'collecting' && {
      analysis: { ...analysis, ...collectingProgress(service, record) },
    }),
    ...(parked && { parked: parkedMark(parked) }),
  };
};
