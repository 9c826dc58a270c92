import { madeJob, type Analyst } from '../analyst.js';
import type { Environment } from '../environment.js';
import type { AnalysisOutcome, Metrics } from './metrics.js';

/**
 * An analyst whose analyses are recorded. `fairAnalyst` wraps it: waits for a thread are not measured, and priorities
 * are applied already.
 */
export const meteredAnalyst = (
  analyst: Analyst,
  metrics: Metrics,
  { elapsedMs }: Pick<Environment, 'elapsedMs'>,
): Analyst => ({
  ...analyst,
  run: async (asked, signal, tenant) => {
    const job = madeJob(asked);
    const since = elapsedMs();
    const record = (outcome: AnalysisOutcome): void =>
      metrics.analysed({ kind: job.kind, outcome, seconds: (elapsedMs() - since) / 1000 });
    try {
      const result = await analyst.run(job, signal, tenant);
      record('completed');
      return result;
    } catch (error) {
      record(error instanceof Error && error.name === 'AbortError' ? 'cancelled' : 'failed');
      throw error;
    }
  },
});
