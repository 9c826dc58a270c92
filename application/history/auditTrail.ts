import { processManagerName, type Recorded } from '../../domain/events.js';
import { sourceOf, streams, tenantOf } from '../../domain/streams.js';
import type { EventStore } from '../eventStore.js';
import { eventLoopYielder } from '../sharing/eventLoopYielder.js';
import { eventsOfStreams } from './sourceEvents.js';

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

/** Whether an event matches a filter. */
export const matchesFilter = (
  { sourceId, stream, type, by, byKind, from = '', to }: AuditTrailFilter,
  event: Pick<Recorded, 'stream' | 'type' | 'at' | 'data' | 'metadata'>,
): boolean =>
  (stream ?? event.stream) === event.stream &&
  (type ?? event.type) === event.type &&
  (by === undefined || by.includes(event.metadata.by)) &&
  (byKind === undefined || (byKind === 'service') === (event.metadata.by === processManagerName)) &&
  event.at >= from &&
  (to === undefined || event.at < to) &&
  (sourceId === undefined || sourceIdOf(event) === sourceId);

/** Streams that contain all matching events, undefined for the whole log. */
const streamsOf = ({ sourceId, stream }: AuditTrailFilter): readonly string[] | undefined => {
  if (stream !== undefined) return [stream];
  if (sourceId === undefined) return undefined;
  return [streams.catalog, streams.source(sourceId), streams.days(sourceId), streams.alerts(sourceId)];
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
