import { checkCauses, type CheckCause } from './alerts/checks.js';
import type { KnownEvent, EventOf, EventType } from './events.js';
import { appliedDecisions } from './incidents/incidents.js';
import { sourceOf } from './streams.js';

/** An event that makes a check necessary. */
export type CauseEvent = EventOf<CheckCause['type']>;

/** Whether an event makes a check necessary. An import of recent days does with its last part, when it takes effect. */
export const isCause = (event: KnownEvent): event is CauseEvent =>
  event.type === 'DaysImported'
    ? event.data.kind === 'recent' && event.data.part === event.data.parts
    : (checkCauses as readonly string[]).includes(event.type);

/** An event as it is kept while it waits: checks read imported days from the read models. */
export const withoutDays = <Known extends KnownEvent>(event: Known): Known =>
  event.type === 'DaysImported' ? ({ ...event, data: { ...event.data, days: [] } } as Known) : event;

/** The types of events that ask for an analysis. */
export const analysisTypes = ['SourceCreated', 'ModelsResetRequested', 'ReferenceExtended'] as const;

/** An event that asks for an analysis. */
export type AnalysisEvent = Extract<KnownEvent, { type: (typeof analysisTypes)[number] }>;

/**
 * Whether an event asks for an analysis. A source that collects its reference has nothing to learn from yet, and models
 * of people stay when its reference grows.
 */
export const isAnalysis = (event: KnownEvent): event is AnalysisEvent => {
  if (event.type === 'SourceCreated') return event.data.collects !== true;
  if (event.type === 'ReferenceExtended') return event.data.keepsModels !== true;
  return (analysisTypes as readonly string[]).includes(event.type);
};

/** Types of the events of alerts, which are grouped into incidents. */
export const groupedTypes = [
  'AlertRaised',
  'AlertConfirmed',
  'AlertInvalidated',
  'AlertAcknowledged',
  'AlertResolved',
  'AlertReopened',
  'AlertEnded',
] as const;

/** An event of an alert. */
export type GroupedEvent = EventOf<(typeof groupedTypes)[number]>;

/** Whether an event changes an alert, so that its incident changes. */
export const isGrouped = (event: KnownEvent): event is GroupedEvent =>
  (groupedTypes as readonly string[]).includes(event.type);

/** A decision about an incident, which changes its alerts. */
export type AppliedDecision = EventOf<(typeof appliedDecisions)[number]>;

/** Whether an event is a decision about an incident that changes its alerts. */
export const isAppliedDecision = (event: KnownEvent): event is AppliedDecision =>
  (appliedDecisions as readonly string[]).includes(event.type);

/** Types of the events that may ask for work of the process manager. */
export const followUpTypes: readonly EventType[] = [
  'SourceRelearned',
  ...analysisTypes,
  ...checkCauses,
  ...groupedTypes,
  ...appliedDecisions,
];

/** Work of the process manager, with a key that its outcome has too; `sourceId` is 0 for that of a tenant. */
export type FollowUp = { readonly sourceId: number; readonly key: string };

/** A source has one analysis at a time: a newer request replaces an older one. */
const analysisKey = 'analysis';
const creationKey = (sourceId: number): string => `creation ${sourceId}`;

/** The work that an event asks for; undefined for none, and for grouping, which is known from `AlertsGrouped`. */
export const followUpOf = (event: KnownEvent): FollowUp | undefined => {
  const of = (key: string): FollowUp => ({ sourceId: sourceOf(event.stream), key });
  if (event.type === 'SourceRelearned') return of(creationKey(event.data.created.sourceId));
  if (isAnalysis(event)) return of(analysisKey);
  if (isAppliedDecision(event)) return { sourceId: 0, key: event.id };
  return isCause(event) ? of(event.id) : undefined;
};

/** The work that an event ends, because it is its outcome or makes it needless; undefined for none. */
export const followUpEndedBy = ({ type, stream, data }: KnownEvent): FollowUp | undefined => {
  switch (type) {
    case 'DaysChecked':
      return data.last ? { sourceId: sourceOf(stream), key: data.cause.id } : undefined;
    case 'IncidentDecisionApplied':
      return { sourceId: 0, key: data.decisionId };
    case 'ModelsResetRequested':
    case 'ReferenceExtended':
    case 'ModelsReset':
    case 'ModelsReplaced':
    case 'AnalysisFailed':
      return { sourceId: sourceOf(stream), key: analysisKey };
    case 'SourceCreated':
      return data.relearnedFrom === undefined
        ? undefined
        : { sourceId: data.relearnedFrom, key: creationKey(sourceOf(stream)) };
    default:
      return undefined;
  }
};
