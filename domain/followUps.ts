import { isCause } from './alerts/causes.js';
import { checkCauses } from './alerts/checks.js';
import type { EventType, KnownEvent } from './events.js';
import { sourceOf } from './streams.js';

/** The types of events that ask for an analysis. */
export const analysisTypes = ['SourceCreated', 'ModelsResetRequested', 'ReferenceExtended'] as const;

/** An event that asks for an analysis. */
export type AnalysisEvent = Extract<KnownEvent, { type: (typeof analysisTypes)[number] }>;

/** Whether an event asks for an analysis: a source that collects its reference has nothing to learn from yet. */
export const isAnalysis = (event: KnownEvent): event is AnalysisEvent =>
  event.type === 'SourceCreated'
    ? event.data.collects !== true
    : (analysisTypes as readonly string[]).includes(event.type);

/** Types of the events that may ask for work of the process manager. */
export const followUpTypes: readonly EventType[] = ['SourceRelearned', ...analysisTypes, ...checkCauses];

/** Work of the process manager for a source, with a key that its outcome has too. */
export type FollowUp = { readonly sourceId: number; readonly key: string };

/** A source has one analysis at a time: a newer request replaces an older one. */
const analysisKey = 'analysis';
const creationKey = (sourceId: number): string => `creation ${sourceId}`;

/** The work that an event asks for; undefined for none. */
export const followUpOf = (event: KnownEvent): FollowUp | undefined => {
  const of = (key: string): FollowUp => ({ sourceId: sourceOf(event.stream), key });
  if (event.type === 'SourceRelearned') return of(creationKey(event.data.created.sourceId));
  if (isAnalysis(event)) return of(analysisKey);
  return isCause(event) ? of(event.id) : undefined;
};

/** The work that an event ends, because it is its outcome or makes it needless; undefined for none. */
export const followUpEndedBy = ({ type, stream, data }: KnownEvent): FollowUp | undefined => {
  switch (type) {
    case 'DaysChecked':
      return data.last ? { sourceId: sourceOf(stream), key: data.cause.id } : undefined;
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
