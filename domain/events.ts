import type { AlertsEvent } from './alerts/alertsState.js';
import type { AuditEvent } from './audit.js';
import type { CatalogEvent } from './catalog.js';
import type { CalendarEvent } from './planning/calendarRules.js';
import type { DaysEvent } from './days.js';
import type { IncidentEvent } from './incidents/incidents.js';
import type { MuteEvent } from './incidents/mutes.js';
import type { SettingsEvent } from './incidents/tenantSettings.js';
import type { SourceEvent } from './source/sourceState.js';
import type { TokenEvent } from './tokens.js';
import { isLogStream } from './streams.js';
import type { WebhookEvent } from './webhooks/webhooks.js';

/** Every event of the log. The kind of a stream (its name before the dash) determines which events it contains. */
export type DomainEvent =
  | CatalogEvent
  | SourceEvent
  | DaysEvent
  | AlertsEvent
  | AuditEvent
  | WebhookEvent
  | CalendarEvent
  | IncidentEvent
  | SettingsEvent
  | MuteEvent
  | TokenEvent;
export type EventType = DomainEvent['type'];

/** Name of the process manager as the actor of its events. */
export const processManagerName = 'reactor';

/** Actor and causes of an event. `by` is the encrypted subject of the token, or `processManagerName`. */
export type Metadata = {
  readonly by: string;
  /** Id of the event or request that caused this event. */
  readonly cause: string;
  /** Id of the request at the start of the chain of causes. */
  readonly correlation: string;
};

/** An event to append. `at` is the time of the decision, an ISO 8601 UTC instant. */
export type Proposed<Type extends string = string, Data = unknown> = {
  readonly id: string;
  readonly type: Type;
  /** Version of the shape of `data`, from 1. */
  readonly v: number;
  readonly data: Data;
  readonly metadata: Metadata;
  readonly at: string;
  /** Only for copied events: the hash of the original, null for none. Otherwise the store computes it. */
  readonly hash?: string | null;
};

/** A stored event. `revision` counts from 0 in its stream, `position` orders the whole log. */
export type Recorded<Type extends string = string, Data = unknown> = Omit<Proposed<Type, Data>, 'hash'> & {
  /** Hash of the content and of the previous event in the stream; absent in older events. */
  readonly hash?: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  /** Why the bytes of the event cannot be read; then it has no data and no metadata. Absent for a sound event. */
  readonly damage?: string;
};

type RecordedOf<Event> = Event extends { readonly type: infer Type extends string; readonly data: infer Data }
  ? Recorded<Type, Data>
  : never;

/** A stored event of a known type, in the newest version. */
export type KnownEvent = RecordedOf<DomainEvent>;

/** A stored event of one type, in the newest version. */
export type EventOf<Type extends EventType> = Extract<KnownEvent, { type: Type }>;

/** Whether an event is about a webhook. */
export const isWebhookEvent = (
  event: KnownEvent,
): event is Extract<KnownEvent, { type: WebhookEvent['type'] }> => Object.hasOwn(webhookVersions, event.type);

/** Whether an event is about incidents, mutes or the settings of a tenant. */
export const isHandlingEvent = (
  event: KnownEvent,
): event is Extract<KnownEvent, { type: keyof typeof handlingVersions }> =>
  Object.hasOwn(handlingVersions, event.type);

/** Newest versions of the events of incidents, mutes and settings. */
const handlingVersions = {
  AlertsGrouped: 1,
  IncidentAcknowledged: 1,
  IncidentResolved: 1,
  IncidentReopened: 1,
  IncidentDecisionApplied: 1,
  IncidentAssigned: 1,
  IncidentCommented: 1,
  IncidentSplit: 1,
  IncidentsMerged: 1,
  TenantSettingsChanged: 1,
  MuteCreated: 1,
  MuteDeleted: 1,
  MuteEnded: 1,
} as const satisfies Readonly<Record<(IncidentEvent | SettingsEvent | MuteEvent)['type'], number>>;

/** Newest versions of the events of webhooks. */
const webhookVersions = {
  WebhookCreated: 2,
  WebhookChanged: 2,
  WebhookSecretRotated: 1,
  WebhookDisabled: 1,
  WebhookEnabled: 1,
  WebhookReplayRequested: 1,
  WebhookDeleted: 1,
} as const satisfies Readonly<Record<WebhookEvent['type'], number>>;

/** Newest version of each event. A renamed or newly required field, or a new unit, needs a new version. */
export const eventVersions: Readonly<Record<EventType, number>> = {
  SourceIdReserved: 1,
  SourceNameClaimed: 1,
  LogBegun: 1,
  SourceCreated: 2,
  SourceDescribed: 1,
  ReferenceExtended: 1,
  SourceRelearned: 1,
  SourceArchived: 1,
  SourceRestored: 1,
  ModelsResetRequested: 2,
  ModelsReset: 3,
  ModelsReplaced: 1,
  ModelDescribed: 1,
  ModelAnomalyChanged: 1,
  AnalysisFailed: 1,
  DayPlanned: 1,
  DayPlanCleared: 1,
  SpecialDayNamed: 1,
  SpecialDayCleared: 1,
  DaysImported: 1,
  PointsImported: 1,
  DateClosed: 1,
  DayTakenBack: 1,
  ClockTicked: 1,
  CovariateDaysImported: 1,
  ReferenceDayLeftOut: 1,
  LeavingOutTakenBack: 1,
  ChangeAccepted: 1,
  ChangeWithdrawn: 1,
  CalendarRuleApplied: 1,
  CalendarRuleWithdrawn: 1,
  DaysChecked: 1,
  AlertRaised: 1,
  AlertConfirmed: 1,
  AlertInvalidated: 1,
  AlertAcknowledged: 1,
  AlertResolved: 1,
  AlertReopened: 1,
  AlertEnded: 1,
  ...handlingVersions,
  TokenIssued: 1,
  TokenRevoked: 1,
  AuditTrailRead: 1,
  PersonErased: 1,
  ...webhookVersions,
  CalendarRuleSaved: 1,
  CalendarRuleDeleted: 1,
};

type DataOf<Type extends EventType> = Extract<DomainEvent, { type: Type }>['data'];

/** Version 1 named the target coverage `level`. */
type WithLevel<Data> = Omit<Data, 'coverage'> & { readonly level?: number };

const coverageFromLevel = <Data extends object>({ level, ...data }: WithLevel<Data>): object =>
  level === undefined ? data : { ...data, coverage: level };

type ModelsReset = DataOf<'ModelsReset'>;

/** Version 2 had other names for the coverages and the minimum detectable change. */
type ModelsReset2 = Omit<ModelsReset, 'bounds'> & {
  readonly bounds: Pick<ModelsReset['bounds'], 'method' | 'calibrationDays' | 'falseAlertsPerYear'> & {
    readonly target: number | null;
    readonly guaranteedLevel: number | null;
    readonly measuredLevel: number;
    readonly power: ModelsReset['bounds']['minimumDetectableChange'];
  };
};

/** Version 1 had no calendar, and of cross-fitting only the loss. */
type ModelsReset1 = Omit<ModelsReset2, 'bounds' | 'choice' | 'calendar' | 'hitRate' | 'checks'> & {
  readonly bounds: {
    readonly method: string;
    readonly level: number;
    readonly calibrationDays: number;
    readonly measuredLevel: number;
  };
  readonly choice: readonly { readonly modelCount: number; readonly loss: number }[];
};

const modelsResetFrom1 = ({ bounds: { level, ...bounds }, choice, ...data }: ModelsReset1): ModelsReset2 => ({
  ...data,
  bounds: { ...bounds, target: level, guaranteedLevel: null, falseAlertsPerYear: null, power: null },
  choice: choice.map(tried => ({ ...tried, predictability: null, stability: null })),
  calendar: null,
  hitRate: null,
  checks: null,
});

const modelsResetFrom2 = ({
  bounds: { target, guaranteedLevel, measuredLevel, power, ...bounds },
  ...data
}: ModelsReset2): ModelsReset => ({
  ...data,
  bounds: {
    ...bounds,
    targetCoverage: target,
    guaranteedCoverage: guaranteedLevel,
    measuredCoverage: measuredLevel,
    minimumDetectableChange: power,
  },
});

/** Version 1 grouped alerts of consecutive dates. */
const incidentsFromEpisodes = <Data extends object>(data: Data): object =>
  'grouping' in data && data.grouping === 'episode' ? { ...data, grouping: 'incident' } : data;

/** Functions from version n (index n − 1) of the data of an event to version n + 1. */
export const upcasters: Partial<Record<EventType, readonly ((data: never) => unknown)[]>> = {
  SourceCreated: [coverageFromLevel<DataOf<'SourceCreated'>>],
  ModelsResetRequested: [coverageFromLevel<DataOf<'ModelsResetRequested'>>],
  ModelsReset: [modelsResetFrom1, modelsResetFrom2],
  WebhookCreated: [incidentsFromEpisodes],
  WebhookChanged: [incidentsFromEpisodes],
};

/** A stored event has a type or version that this program does not know. Skipping it would lose data. */
export class UnknownVersion extends Error {
  readonly name = 'UnknownVersion';
}

/** The stored bytes of an event are damaged. */
export class EventDamaged extends Error {
  readonly name = 'EventDamaged';

  constructor(event: Pick<Recorded, 'type' | 'stream' | 'revision'>, damage: string) {
    const { type, stream, revision } = event;
    super(`revision ${revision} of ${stream} (${type}) is damaged: ${damage}`);
  }
}

/** Refuses an event without data. @throws EventDamaged */
export const requireSound = (event: Omit<Recorded, 'position'>): void => {
  if (event.damage !== undefined) throw new EventDamaged(event, event.damage);
};

/** Type of an event that another program wrote. */
export const foreignType = (type: string): string => `foreign ${type}`;

/** Whether an event was written by another program: by its type, or to a stream that no build of this one has. */
export const isForeign = ({ type, stream }: Pick<Recorded, 'type' | 'stream'>): boolean =>
  type.startsWith(foreignType('')) || !isLogStream(stream);

/**
 * Converts an event to its newest version.
 * @returns undefined for an event of another program
 * @throws UnknownVersion for an event of a newer build of this one; EventDamaged
 */
export const decode = (event: Recorded): KnownEvent | undefined => {
  requireSound(event);
  if (!Object.hasOwn(eventVersions, event.type)) {
    if (isForeign(event)) return undefined;
    throw new UnknownVersion(`event ${event.id} is ${event.type}, an unknown type: it needs a newer Daybook`);
  }
  const type = event.type as EventType;
  const newest = eventVersions[type];
  if (event.v > newest)
    throw new UnknownVersion(
      `event ${event.id} is ${type} version ${event.v}, expected at most ${newest}: it needs a newer Daybook`,
    );
  if (event.v === newest) return event as KnownEvent;
  const data = (upcasters[type] ?? [])
    .slice(event.v - 1)
    .reduce<unknown>((older, upcast) => upcast(older as never), event.data);
  return { ...event, v: newest, data } as KnownEvent;
};

/** Last revision of each stream in a batch of events. */
export const lastRevisions = (events: readonly Recorded[]): ReadonlyMap<string, number> =>
  new Map(events.map(({ stream, revision }) => [stream, revision]));
