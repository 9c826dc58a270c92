import {
  UnknownVersion,
  decode,
  isLogStream,
  sourceOf,
  streams,
  tenantOf,
  type KnownEvent,
} from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { Analyst } from '../analyst.js';
import type { Exported } from '../../auditing/exportLine.js';
import { sourceVerifier, type SourceVerifier } from './sourceVerifier.js';
import { tally as newTally, type VerifiedDecisions } from './tally.js';

/** Repeats the decisions of a log and compares them with its events. */
export type DecisionsVerifier = {
  /**
   * Compares the nth event of the log, from 1.
   * @throws StoreUnavailable
   */
  readonly take: (event: Exported, n: number) => Promise<void>;
  /** To be called after the last event. */
  readonly done: () => VerifiedDecisions;
};

/** Milliseconds of log time after which a missing check or model is no longer pending. */
const overdueMs = 3_600_000;

/**
 * Repeats models, plannings and checks from the earlier events, with the functions of the service, and compares the
 * canonical JSON with the log.
 * @param models  empty read models; the verifier fills them
 */
export const decisionsVerifier = (models: ReadModels, analyst: Pick<Analyst, 'run'>): DecisionsVerifier => {
  const tally = newTally();
  const sources = new Map<number, SourceVerifier>();

  /** Latest time of decision. */
  let latest = '';
  const verifierOf = (stream: string): SourceVerifier => {
    const sourceId = sourceOf(stream);
    const verifier = sources.get(sourceId) ?? sourceVerifier(models, analyst, tally);
    sources.set(sourceId, verifier);
    return verifier;
  };
  /** Event in its newest version; undefined, and counted as undecided, when this build does not know it. */
  const decoded = (exported: Exported, n: number): KnownEvent | undefined => {
    const { id, type, stream } = exported;
    try {
      const event = decode({ ...exported, position: BigInt(n) });
      if (!event) tally.cannotDecide('this build does not know their type', `${type} ${id}`);
      return event;
    } catch (error) {
      if (!(error instanceof UnknownVersion)) throw error;
      tally.cannotDecide('this build does not know their version', error.message);
      if (isLogStream(stream) && stream !== streams.catalog && tenantOf(stream) === undefined)
        verifierOf(stream).skipNewer();
      return undefined;
    }
  };

  return {
    take: async (exported, n) => {
      if (exported.at > latest) latest = exported.at;
      const event = decoded(exported, n);
      if (!event || event.stream === streams.catalog || tenantOf(event.stream) !== undefined) return;
      await verifierOf(event.stream).take({ event, n });
    },
    done: () => {
      let awaited = 0;
      for (const verifier of sources.values())
        for (const { type, id, at } of verifier.done())
          if (Date.parse(latest) - Date.parse(at) < overdueMs) awaited += 1;
          else
            tally.cannotDecide(
              'their check or models are missing although the log continues for more than an hour',
              `the check or models of ${type} ${id}`,
            );
      return tally.result(awaited);
    },
  };
};
