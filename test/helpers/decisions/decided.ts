import { openVerification } from '../../../adapters/composition/openLog.js';
import type { Analyst } from '../../../application/ports/analyst.js';
import { decisionsVerifier } from '../../../application/decisions/decisionsVerifier.js';
import type { VerifiedDecisions } from '../../../application/decisions/tally.js';
import type { Exported } from '../../../auditing/eventBytes.js';
import type { Recorded } from '../../../domain/events.js';
import { sharedAnalyst } from '../sharedAnalyst.js';

/** Worker threads that keep the results of their analyses: many forged logs request the same ones. */
export const rememberingAnalyst = (): Pick<Analyst, 'run' | 'close'> => {
  const pool = sharedAnalyst();
  const made = new Map<string, Promise<unknown>>();
  return {
    run: (job => {
      const key = JSON.stringify(job);
      const result = made.get(key) ?? pool.run(job);
      made.set(key, result);
      return result;
    }) as Analyst['run'],
    close: pool.close,
  };
};

/** Makes the decisions of a log again, with the analyses of an analyst; others than the chosen ones are only known. */
export const decidedBy = async (
  pool: Pick<Analyst, 'run'>,
  log: readonly Exported[],
  isChosen: (event: Exported) => boolean = () => true,
): Promise<VerifiedDecisions> => {
  const { stores, close } = openVerification();
  try {
    const verifier = decisionsVerifier(stores, pool);
    for (const [index, event] of log.entries())
      if (isChosen(event)) await verifier.take(event, index + 1);
      else verifier.provide(event, index + 1);
    return verifier.done();
  } finally {
    close();
  }
};

/** Events as an export has them. */
export const exported = (log: readonly Recorded[]): readonly Exported[] =>
  log.map(({ position: _, ...event }) => event as Exported);

/** Makes the decisions of a log again, with real analyses. */
export const decidedAgain = async (log: readonly Recorded[]): Promise<VerifiedDecisions> => {
  const pool = rememberingAnalyst();
  try {
    return await decidedBy(pool, exported(log));
  } finally {
    await pool.close();
  }
};

type Data = Readonly<Record<string, unknown>>;

/** A log with changed data of the events that are chosen; their hashes are not part of a decision. */
export const forged = (
  log: readonly Exported[],
  isChosen: (event: Exported) => boolean,
  change: (data: Data) => Data,
): readonly Exported[] => {
  if (!log.some(isChosen)) throw new Error('no event is chosen');
  return log.map(event => (isChosen(event) ? { ...event, data: change(event.data as Data) } : event));
};
