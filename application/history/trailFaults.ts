import { eventVersions } from '../../domain/events.js';
import { isLogStream, sourceOf, streams, tenantOf } from '../../domain/streams.js';
import { expectedNames } from '../texts/nearest.js';
import { shown, type InputFault } from '../imports/faults.js';
import type { AuditTrailFilter } from './auditTrail.js';

/** Sources and streams that a reader of the audit trail may name. */
export type TrailScope = {
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
  ...sourceIds().flatMap(id => [streams.source(id), streams.days(id), streams.alerts(id)]),
  streams.catalog,
  streams.audit(tenant),
  streams.webhooks(tenant),
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
