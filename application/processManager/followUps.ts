import { isCause } from '../../domain/alerts/causes.js';
import type { KnownEvent } from '../../domain/events.js';
import { isAnalysis } from '../../domain/followUps.js';
import { analyses } from './analyses.js';
import { checks } from './checks.js';
import { createRelearned, isRelearned } from './creations.js';
import { hasApplied, type FollowUpParts } from './followUpParts.js';

/** The work that events ask for: an analysis, a check, the creation of a source. Its outcome is appended as events. */
export type FollowUps = {
  /** Whether an event asks for work that is not done yet, as far as the read models know. */
  readonly isDue: (event: KnownEvent) => boolean;
  /**
   * Does the work. Results that are already recorded, found by their cause, are skipped, so an event may be repeated.
   * @throws AbortError (by name) when the analysis was cancelled; errors that satisfy `isTransient` may be retried
   */
  readonly run: (event: KnownEvent) => Promise<void>;
  /** To be called with new events: newer models, or a newer request for models, cancel a running analysis. */
  readonly notice: (events: readonly KnownEvent[]) => void;
  /** Cancels all analyses and waits. */
  readonly end: () => void;
  /** Whether an analysis of the source runs in this process. */
  readonly isAnalysing: (sourceId: number) => boolean;
};

/** The work of this process. */
export const followUps = (parts: FollowUpParts): FollowUps => {
  const { models } = parts;
  const analysing = analyses(parts);
  const checking = checks(parts);
  return {
    isDue: event => !hasApplied(models, event) || models.followUps.isDue(event.position),
    run: async event => {
      if (isRelearned(event)) await createRelearned(parts, event);
      else if (isAnalysis(event)) await analysing.run(event);
      else if (isCause(event)) await checking.run(event);
    },
    notice: analysing.notice,
    end: () => {
      checking.end();
      analysing.cancelAll();
    },
    isAnalysing: analysing.isRunning,
  };
};
