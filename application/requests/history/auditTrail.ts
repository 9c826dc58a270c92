import { processManagerName, type Recorded, eventVersions } from '../../../domain/events.js';
import {
  sourceOf,
  streams,
  streamsOfSource,
  streamsOfTenant,
  tenantOf,
  isLogStream,
} from '../../../domain/streams.js';
import { type EventStore, eventsOfStreams } from '../../ports/eventStore.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import type { Service } from '../service.js';
import { expectedNames } from '../../../domain/text.js';
import { shown, type InputFault } from '../imports/faults.js';
import { audit, type TrailReading } from '../../../domain/audit.js';
import type { Requester } from '../access.js';

/** Filter of events: all given conditions must hold. */
export type AuditTrailFilter = {
  readonly sourceId?: number;
  readonly stream?: string;
  readonly type?: string;
  /** Accepted values of `by` in their metadata. */
  readonly by?: readonly string[];
  /** Events of people, or of the service itself. */
  readonly byKind?: 'person' | 'service';
  /** Times of decision, as dates or instants: `from` inclusive, `to` exclusive. */
  readonly from?: string;
  readonly to?: string;
};

/** Source of an event, by its stream or, in the catalog, its data; undefined when it has none. */
export const sourceIdOf = ({ stream, data }: Pick<Recorded, 'stream' | 'data'>): number | undefined => {
  if (stream === streams.catalog) return (data as { readonly sourceId?: number } | null)?.sourceId;
  return tenantOf(stream) === undefined ? sourceOf(stream) : undefined;
};

/** Source of an incident: that of its first alert. */
const sourceOfIncident = (id: string): number | undefined => {
  const source = /^inc-([1-9]\d{0,14})-/.exec(id)?.[1];
  return source === undefined ? undefined : Number(source);
};

/** Whether an event is of the mutes or the settings of a tenant, which clients show. */
const isOfTenantAlone = ({ stream }: Pick<Recorded, 'stream'>): boolean =>
  stream.startsWith(streams.mutes('')) || stream.startsWith(streams.settings(''));

/**
 * Source that clients read again after an event; an event of an incident has one, too. Null when they read again what
 * the tenant has apart from sources, undefined for nothing.
 */
export const changedSourceOf = (event: Pick<Recorded, 'stream' | 'data'>): number | null | undefined => {
  if (isOfTenantAlone(event)) return null;
  if (!event.stream.startsWith(streams.incidents(''))) return sourceIdOf(event);
  const data = event.data as { readonly sourceId?: number; readonly incidentId?: string } | null;
  return data?.sourceId ?? sourceOfIncident(data?.incidentId ?? '');
};

/** Whether the author of an event matches a filter. */
const isBy = ({ by, byKind }: AuditTrailFilter, author: string): boolean =>
  (by === undefined || by.includes(author)) &&
  (byKind === undefined || (byKind === 'service') === (author === processManagerName));

/** Whether an event matches a filter. A damaged one may have any author. */
export const matchesFilter = (
  filter: AuditTrailFilter,
  event: Pick<Recorded, 'stream' | 'type' | 'at' | 'data' | 'metadata' | 'damage'>,
): boolean => {
  const { sourceId, stream, type, from = '', to } = filter;
  return (
    (stream ?? event.stream) === event.stream &&
    (type ?? event.type) === event.type &&
    (event.damage !== undefined || isBy(filter, event.metadata.by)) &&
    event.at >= from &&
    (to === undefined || event.at < to) &&
    (sourceId === undefined || sourceIdOf(event) === sourceId)
  );
};

/** Streams that contain all matching events, undefined for the whole log. */
const streamsOf = ({ sourceId, stream }: AuditTrailFilter): readonly string[] | undefined => {
  if (stream !== undefined) return [stream];
  if (sourceId === undefined) return undefined;
  return [streams.catalog, ...streamsOfSource(sourceId)];
};

/**
 * Matching events in the order of the log, after position `after` up to `until`. Events of a stream or a source are
 * read from their streams, others from the whole log.
 * @param yieldToEventLoop awaited between events
 */
export async function* trail(
  log: Pick<EventStore, 'all' | 'read'>,
  filter: AuditTrailFilter,
  { after, until }: { readonly after: bigint; readonly until: bigint },
  yieldToEventLoop: () => Promise<void> | undefined = eventLoopYielder(),
): AsyncGenerator<Recorded> {
  const names = streamsOf(filter);
  const types = filter.type === undefined ? undefined : [filter.type];
  for await (const event of names ? eventsOfStreams(log, names) : log.all(after, types)) {
    await yieldToEventLoop();
    if (event.position > until) return;
    if (event.position > after && matchesFilter(filter, event)) yield event;
  }
}

/** Tenant of an event; undefined for a source id that was reserved and never used. */
export const tenantOfEvent = ({ models }: Pick<Service, 'models'>, event: Recorded): string | undefined => {
  const sourceId = sourceIdOf(event);
  if (sourceId === undefined) return tenantOf(event.stream);
  // A source that is parked at its creation has no row.
  return models.sources.setup(sourceId)?.tenant ?? models.parked.source(sourceId)?.tenant ?? undefined;
};

/** Whether an event is of a tenant. @throws StoreUnavailable while the read models lack sources: none would be its */
export const isOfTenant = (
  service: Pick<Service, 'models' | 'requireWhole'>,
  event: Recorded,
  tenant: string,
): boolean => {
  service.requireWhole();
  return tenantOfEvent(service, event) === tenant;
};

/** Sources and streams that a reader of the audit trail may name. */
type TrailScope = {
  readonly tenant: string;
  readonly isOwn: (sourceId: number) => boolean;
  /** Ids of the own sources, ascending; read only for a message. */
  readonly sourceIds: () => readonly number[];
};

const eventTypes = Object.keys(eventVersions);

const isOwnStream = (stream: string, { tenant, isOwn }: TrailScope): boolean => {
  if (!isLogStream(stream)) return false;
  if (stream === streams.catalog) return true;
  const owner = tenantOf(stream);
  return owner === undefined ? isOwn(sourceOf(stream)) : owner === tenant;
};

const ownStreams = ({ tenant, sourceIds }: TrailScope): string[] => [
  ...sourceIds().flatMap(streamsOfSource),
  streams.catalog,
  ...streamsOfTenant(tenant),
];

const fault = (name: string, got: string, expected: string): InputFault => ({
  code: `${name}Unknown`,
  pointer: `/query/${name}`,
  value: shown(got),
  detail: `got "${shown(got)}", ${expected}`,
});

/**
 * Names in a filter that cannot match any event of the reader. An empty answer to a mistyped name would look like
 * proof that nothing happened. Sources of other tenants are unknown here; `sourceId` is an own one.
 */
export const trailFaults = (
  { type, stream, sourceId }: Pick<AuditTrailFilter, 'type' | 'stream' | 'sourceId'>,
  scope: TrailScope,
): InputFault[] => {
  const faults: InputFault[] = [];
  if (type !== undefined && !eventTypes.includes(type))
    faults.push(fault('type', type, expectedNames(type, eventTypes, 'a type of event')));
  if (stream !== undefined && !isOwnStream(stream, scope))
    faults.push(fault('stream', stream, expectedNames(stream, ownStreams(scope), 'a stream')));
  if (faults.length > 0 || stream === undefined || sourceId === undefined) return faults;
  const isOfSource = tenantOf(stream) === undefined && stream !== streams.catalog;
  if (stream !== streams.catalog && !(isOfSource && sourceOf(stream) === sourceId))
    faults.push(fault('stream', stream, `expected a stream of source ${sourceId}, as sourceId says`));
  return faults;
};

/**
 * Records in the log that the actor is about to read events. An empty log gets no event.
 * @throws StoreUnavailable, OutcomeUnknown: the events must not be shown then
 */
export const recordReading = async (
  service: Pick<Service, 'models' | 'handle' | 'requireWhole'>,
  requester: Requester,
  reading: Omit<TrailReading, 'logSize'>,
): Promise<void> => {
  service.requireWhole();
  const logSize = service.models.tree.size();
  if (logSize === 0) return;
  const command = { type: 'NoteReading', reading: { ...reading, logSize } } as const;
  const metadata = await requester.begin();
  await service.handle(audit, streams.audit(requester.actor.tenant), command, metadata);
};
