import type { KnownEvent } from '../../domain/events.js';

/** The types of events that ask for an analysis. */
export const analysisTypes = ['SourceCreated', 'ModelsResetRequested'] as const;

/** An event that asks for an analysis. */
export type AnalysisEvent = Extract<KnownEvent, { type: (typeof analysisTypes)[number] }>;

/** Whether an event asks for an analysis. */
export const isAnalysis = (event: KnownEvent): event is AnalysisEvent =>
  (analysisTypes as readonly string[]).includes(event.type);
