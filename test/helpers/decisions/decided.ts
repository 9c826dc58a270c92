import { analyst } from '../../../adapters/workers/analyst.js';
import { openReadModels } from '../../../adapters/composition/openLog.js';
import { decisionsVerifier } from '../../../application/replayDecisions/decisionVerifier.js';
import type { VerifiedDecisions } from '../../../application/replayDecisions/tally.js';
import type { Exported } from '../../../auditing/exportLine.js';
import type { Recorded } from '../../../domain/events.js';

/** Makes the decisions of a log again, with real analyses. */
export const decidedAgain = async (log: readonly Recorded[]): Promise<VerifiedDecisions> => {
  const { models, close } = openReadModels('');
  const pool = analyst(error => {
    throw error;
  });
  try {
    const verifier = decisionsVerifier(models, pool);
    for (const [index, { position: _, ...event }] of log.entries())
      await verifier.take(event as Exported, index + 1);
    return verifier.done();
  } finally {
    close();
    await pool.close();
  }
};
