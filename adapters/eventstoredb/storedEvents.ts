import { jsonEvent, type EventData } from '@eventstore/db-client';
import type { Proposed, Recorded } from '../../domain/events.js';
import { isLogStream } from '../../domain/streams.js';

/** Metadata of a stored event, with EventStoreDB's names for cause and correlation. */
type StoredMetadata = {
  readonly v: number;
  readonly at: string;
  readonly by: string;
  readonly $causationId: string;
  readonly $correlationId: string;
  /** Absent in events stored before hashes were introduced. */
  readonly hash?: string;
};

/** The used fields of an event of the client. */
export type StoredEvent = {
  readonly id: string;
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly position?: { readonly commit: bigint } | undefined;
};

/** An event as it is stored, with its hash; null without one. */
export const storedEvent = (
  { id, type, v, at, data, metadata: { by, cause, correlation } }: Proposed,
  hash: string | null,
): EventData => {
  const metadata: StoredMetadata = {
    v,
    at,
    by,
    $causationId: cause,
    $correlationId: correlation,
    ...(hash !== null && { hash }),
  };
  return jsonEvent({ id, type, data: data as Record<string, unknown>, metadata });
};

const isOurs = (metadata: unknown): metadata is StoredMetadata => {
  const { v, at, by, $causationId, $correlationId } = (metadata ?? {}) as Partial<StoredMetadata>;
  return typeof v === 'number' && [at, by, $causationId, $correlationId].every(of => typeof of === 'string');
};

/** A stored event. An event of another program keeps its place, with a type that is unknown. */
export const recorded = (prefix: string, event: StoredEvent): Recorded => {
  const { id, streamId, revision, type, data, metadata, position } = event;
  const ours = isOurs(metadata);
  return {
    id,
    type: ours ? type : `foreign ${type}`,
    v: ours ? metadata.v : 1,
    data,
    metadata: ours
      ? { by: metadata.by, cause: metadata.$causationId, correlation: metadata.$correlationId }
      : { by: '', cause: '', correlation: '' },
    at: ours ? metadata.at : '',
    ...(ours && typeof metadata.hash === 'string' && { hash: metadata.hash }),
    stream: streamId.slice(prefix.length),
    revision: Number(revision),
    position: position?.commit ?? 0n,
  };
};

/** Whether a stream of the server belongs to this log. */
export const isOfLog = (prefix: string, streamId: string): boolean =>
  streamId.startsWith(prefix) && isLogStream(streamId.slice(prefix.length));
