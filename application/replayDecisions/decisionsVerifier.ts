import { UnknownVersion, decode, type KnownEvent } from '../../domain/events.js';
import { isLogStream, sourceOf, streams, tenantOf } from '../../domain/streams.js';
import type { DayHistory } from '../../projections/dayHistory.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { Analyst } from '../analyst.js';
import type { Exported } from '../../auditing/exportLine.js';
import { missingNoteMismatch } from './covariateMismatches.js';
import { logHistory } from './logHistory.js';
import { sourceVerifier, type SourceVerifier } from './sourceVerifier.js';
import { tally as newTally, type Placed, type VerifiedDecisions } from './tally.js';

/** Repeats the decisions of a log and compares them with its events. */
export type DecisionsVerifier = {
  /**
   * Compares the nth event of the log, from 1.
   * @throws StoreUnavailable
   */
  readonly take: (event: Exported, n: number) => Promise<void>;
  /** Adds an event whose decision is not asked about: decisions about other sources may rest on it. */
  readonly provide: (event: Exported, n: number) => void;
  /** To be called after the last event. */
  readonly done: () => VerifiedDecisions;
};

/** Milliseconds of log time after which a missing check or model is no longer pending. */
const overdueMs = 3_600_000;

/**
 * Repeats models, plannings and checks from the earlier events, with the functions of the service, and compares the
 * canonical JSON with the log.
 * @param stores  empty read models and day history; the verifier fills them
 */
export const decisionsVerifier = (
  { models, days }: { readonly models: ReadModels; readonly days: DayHistory },
  analyst: Pick<Analyst, 'run'>,
): DecisionsVerifier => {
  const tally = newTally();
  const history = logHistory(days);
  const sources = new Map<number, SourceVerifier>();

  /** Latest time of decision. */
  let latest = '';
  const verifierOf = (stream: string): SourceVerifier => {
    const sourceId = sourceOf(stream);
    const verifier = sources.get(sourceId) ?? sourceVerifier(models, analyst, history, tally);
    sources.set(sourceId, verifier);
    return verifier;
  };
  const isOfSource = (stream: string): boolean =>
    isLogStream(stream) && stream !== streams.catalog && tenantOf(stream) === undefined;
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
      if (isOfSource(stream)) {
        verifierOf(stream).skipNewer();
        history.skip(sourceOf(stream));
      }
      return undefined;
    }
  };

  /** Adds an event to the history. The notes of a source are those of its imports of covariates. */
  const takeHistory = (placed: Placed): void => {
    for (const missing of history.take(placed))
      if (sources.has(missing.sourceId)) tally.agree(missing.cause, missingNoteMismatch(missing));
  };

  return {
    take: async (exported, n) => {
      if (exported.at > latest) latest = exported.at;
      const event = decoded(exported, n);
      if (!event || event.stream === streams.catalog || tenantOf(event.stream) !== undefined) return;
      takeHistory({ event, n });
      await verifierOf(event.stream).take({ event, n });
    },
    provide: (exported, n) => {
      if (!isOfSource(exported.stream)) return;
      try {
        const event = decode({ ...exported, position: BigInt(n) });
        if (event) takeHistory({ event, n });
      } catch (error) {
        if (!(error instanceof UnknownVersion)) throw error;
        history.skip(sourceOf(exported.stream));
      }
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
