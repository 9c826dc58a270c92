import type { AlertsEvent } from './alerts.js';
import type { AuditEvent } from './audit.js';
import type { CatalogEvent } from './catalog.js';
import type { DaysEvent } from './days.js';
import type { SourceEvent } from './source.js';

/** Every event of the log. A stream's kind (the part of its name before the dash) tells which it may hold. */
export type DomainEvent = CatalogEvent | SourceEvent | DaysEvent | AlertsEvent | AuditEvent;
export type EventType = DomainEvent['type'];

/** Who and what stands behind an event. `by` is the token's subject, or `reactor`. */
export type Metadata = {
  readonly by: string;
  /** The id of the event or of the request that led to this one. */
  readonly cause: string;
  /** The id of the request at the start of the chain. */
  readonly correlation: string;
};

/** An event as it is appended. `at` is when it was decided, an ISO 8601 UTC instant. */
export type Proposed<Type extends string = string, Data = unknown> = {
  readonly id: string;
  readonly type: Type;
  /** Version of the shape of `data`, from 1. */
  readonly v: number;
  readonly data: Data;
  readonly metadata: Metadata;
  readonly at: string;
  /** Given only where an event is copied: the hash it has there, null for none. Else the store makes it. */
  readonly hash?: string | null;
};

/** An event as it is read. `revision` counts from 0 in its stream, `position` orders the whole log. */
export type Recorded<Type extends string = string, Data = unknown> = Omit<Proposed<Type, Data>, 'hash'> & {
  /** Of its content and of the event before it in its stream; older events have none. */
  readonly hash?: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
};

type RecordedOf<Event> = Event extends { readonly type: infer Type extends string; readonly data: infer Data }
  ? Recorded<Type, Data>
  : never;

/** A recorded event that this version of the program understands, in its newest shape. */
export type KnownEvent = RecordedOf<DomainEvent>;

/** The newest shape of each event. A renamed, required or re-united field raises the number (style: see README). */
export const eventVersions: Readonly<Record<EventType, number>> = {
  SourceIdReserved: 1,
  SourceCreated: 1,
  ModelsResetRequested: 1,
  ModelsReset: 2,
  ModelsReplaced: 1,
  AnalysisFailed: 1,
  DayPlanned: 1,
  DayPlanCleared: 1,
  SpecialDayNamed: 1,
  SpecialDayCleared: 1,
  DaysImported: 1,
  DaysChecked: 1,
  AlertRaised: 1,
  AlertInvalidated: 1,
  AlertAcknowledged: 1,
  AlertResolved: 1,
  AlertReopened: 1,
  AuditTrailRead: 1,
  PersonErased: 1,
};

type ModelsReset = Extract<SourceEvent, { type: 'ModelsReset' }>['data'];

/** Version 1 knew neither calendars nor what became of left-out days beside their loss. */
type ModelsReset1 = Omit<ModelsReset, 'bounds' | 'choice' | 'calendar' | 'hitRate' | 'checks'> & {
  readonly bounds: {
    readonly method: string;
    readonly level: number;
    readonly calibrationDays: number;
    readonly measuredLevel: number;
  };
  readonly choice: readonly { readonly modelCount: number; readonly loss: number }[];
};

const modelsResetFrom1 = ({
  bounds: { method, level, calibrationDays, measuredLevel },
  choice,
  ...data
}: ModelsReset1): ModelsReset => ({
  ...data,
  bounds: {
    method,
    target: level,
    guaranteedLevel: null,
    calibrationDays,
    measuredLevel,
    falseAlertsPerYear: null,
    power: null,
  },
  choice: choice.map(tried => ({ ...tried, predictability: null, stability: null })),
  calendar: null,
  hitRate: null,
  checks: null,
});

/** From version n (index n − 1) of an event's data to version n + 1. Pure. */
export const upcasters: Partial<Record<EventType, readonly ((data: never) => unknown)[]>> = {
  ModelsReset: [modelsResetFrom1],
};

/** A stored event is newer than this program: going on would lose what it says. */
export class UnknownVersion extends Error {
  readonly name = 'UnknownVersion';
}

/**
 * The event in its newest shape, or `undefined` when its type is not one of ours (a later version's: pass by).
 * @throws UnknownVersion when its type is ours and its version is newer than this program
 */
export const decode = (event: Recorded): KnownEvent | undefined => {
  if (!Object.hasOwn(eventVersions, event.type)) return undefined;
  const type = event.type as EventType;
  const newest = eventVersions[type];
  if (event.v > newest)
    throw new UnknownVersion(
      `event ${event.id} is ${type} version ${event.v}, expected at most ${newest}: it needs a newer Daybook`,
    );
  const data = (upcasters[type] ?? [])
    .slice(event.v - 1)
    .reduce<unknown>((older, upcast) => upcast(older as never), event.data);
  return { ...event, v: newest, data } as KnownEvent;
};

/** The kinds of streams; `catalog` is the only one without an id. */
export const streams = {
  catalog: 'catalog',
  source: (sourceId: number) => `source-${sourceId}`,
  days: (sourceId: number) => `days-${sourceId}`,
  alerts: (sourceId: number) => `alerts-${sourceId}`,
  audit: (tenant: string) => `audit-${tenant}`,
} as const;

/** What a tenant may be called. */
export const tenantPattern = /^[\w.-]{1,64}$/;

/** What the names of the log's streams begin with. */
export const streamBeginnings: readonly string[] = ['catalog', 'source-', 'days-', 'alerts-', 'audit-'];

/** Whether a stream is one that the log may have. */
export const isLogStream = (stream: string): boolean =>
  /^(catalog|(source|days|alerts)-[1-9]\d{0,14})$/.test(stream) || tenantPattern.test(tenantOf(stream) ?? '');

/** The source that a stream belongs to, from its name. */
export const sourceOf = (stream: string): number => Number(stream.slice(stream.indexOf('-') + 1));

/** The tenant of a stream `audit-{tenant}`; undefined for the others, which belong to sources. */
export const tenantOf = (stream: string): string | undefined =>
  stream.startsWith('audit-') ? stream.slice('audit-'.length) : undefined;
