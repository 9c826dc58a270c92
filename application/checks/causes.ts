import { checkCauses, type CheckCause } from '../../domain/alerts/checks.js';
import type { KnownEvent } from '../../domain/events.js';

/** An event that makes a check necessary. */
export type CauseEvent = Extract<KnownEvent, { type: CheckCause['type'] }>;

/** Whether an event makes a check necessary. An import does with its last part, when it takes effect. */
export const isCause = (event: KnownEvent): event is CauseEvent =>
  event.type === 'DaysImported'
    ? event.data.kind === 'recent' && event.data.part === event.data.parts
    : (checkCauses as readonly string[]).includes(event.type);

/** The types of events that ask for an analysis. */
export const analysisTypes = ['SourceCreated', 'ModelsResetRequested'] as const;

/** An event that asks for an analysis. */
export type AnalysisEvent = Extract<KnownEvent, { type: (typeof analysisTypes)[number] }>;

/** Whether an event asks for an analysis. */
export const isAnalysis = (event: KnownEvent): event is AnalysisEvent =>
  (analysisTypes as readonly string[]).includes(event.type);
