import { isAppliedDecision, isGrouped, isCause } from '../../../domain/followUps.js';
import { sourceOf } from '../../../domain/streams.js';
import type { KnownEvent } from '../../../domain/events.js';

/** The events whose work is not done, found in the events alone, slowly. */
export const dueFollowUps = (events: readonly KnownEvent[]): readonly KnownEvent[] =>
  events.filter((event, index) => {
    const { type, stream, data, id } = event;
    const later = events.slice(index + 1);
    if (type === 'SourceRelearned')
      return !later.some(one => one.stream === `source-${data.created.sourceId}`);
    if (type === 'SourceCreated' || type === 'ModelsResetRequested')
      return !later.some(
        one =>
          one.stream === stream &&
          ['ModelsResetRequested', 'ModelsReset', 'ModelsReplaced', 'AnalysisFailed'].includes(one.type),
      );
    if (isGrouped(event))
      return !later.some(
        one =>
          one.type === 'AlertsGrouped' &&
          one.data.sourceId === sourceOf(stream) &&
          one.data.knowledge >= event.revision,
      );
    if (isAppliedDecision(event))
      return !later.some(one => one.type === 'IncidentDecisionApplied' && one.data.decisionId === id);
    const isChecked = events.some(
      one => one.type === 'DaysChecked' && one.data.last && one.data.cause.id === id,
    );
    return isCause(event) && !isChecked;
  });
