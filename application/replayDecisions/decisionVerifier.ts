import {
  UnknownVersion,
  decode,
  isLogStream,
  sourceOf,
  streams,
  tenantOf,
  type KnownEvent,
} from '../../domain/events.js';
import type { Knowledge } from '../../domain/alerts.js';
import { Rejection } from '../../domain/rejection.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { Analyst } from '../analyst.js';
import { guarded } from '../../adapters/sqlite/database.js';
import type { Exported } from '../../auditing/exportLine.js';
import { isCause } from '../checks/decideCheck.js';
import { checksVerifier } from './checks.js';
import { modelsVerifier } from './models.js';
import { tally as newTally, type Placed, type VerifiedDecisions } from './tally.js';

/** Makes the decisions of a log again, from its beginning. */
export type DecisionsVerifier = {
  /**
   * Takes the next event, the nth of the log, from 1.
   * @throws StoreUnavailable
   */
  readonly take: (event: Exported, n: number) => Promise<void>;
  /** When there is no more. */
  readonly done: () => VerifiedDecisions;
};

/** What is due so long after its cause, by the log's own times, is not still to come. */
const overdueMs = 3_600_000;

/** What no event that Daybook has written leads to: a fault of the data, not of this machine. */
const isOfData = (error: unknown): error is Error =>
  error instanceof RangeError ||
  error instanceof TypeError ||
  error instanceof Rejection ||
  (error instanceof Error && error.name === 'SqliteError');

const decisionTypes: readonly string[] = [
  'SourceCreated',
  'ModelsReset',
  'ModelsReplaced',
  'AnalysisFailed',
  'DaysChecked',
  'AlertRaised',
  'AlertInvalidated',
];
const isDecision = ({ type }: KnownEvent): boolean => decisionTypes.includes(type);

/**
 * A verifier that makes models, plannings and checks again, by the functions that made them and from the events before
 * them, and compares what comes out with what the log has, to the byte of its canonical JSON.
 * @param models  empty read models, which it fills
 */
export const decisionsVerifier = (models: ReadModels, analyst: Pick<Analyst, 'run'>): DecisionsVerifier => {
  const tally = newTally();
  const sources = new Map<number, ReturnType<typeof sourceVerifier>>();

  const sourceVerifier = () => {
    /** Of the source and its days: what no check has known yet. Its models would know too much. */
    let held: KnownEvent[] = [];
    let isBroken = false;
    /** Whether an event was of a newer version: what comes after it cannot be decided. */
    let isNewer = false;
    const apply = (event: KnownEvent): void => guarded(() => models.apply([event], event));
    const applyHeld = (isKnown: (event: KnownEvent) => boolean): void => {
      for (const event of held.filter(isKnown)) apply(event);
      held = held.filter(event => !isKnown(event));
    };
    const know = ({ source, days }: Knowledge): void =>
      applyHeld(({ type, revision }) => revision <= (type === 'DaysImported' ? days : source));
    const ofModels = modelsVerifier(models, analyst, tally);
    const ofChecks = checksVerifier(models, know, tally);

    const takeKnown = async ({ event, n }: Placed): Promise<void> => {
      switch (event.type) {
        case 'SourceIdReserved':
        case 'AuditTrailRead':
        case 'PersonErased':
          return;
        case 'DaysImported':
          held.push(event);
          break;
        case 'DaysChecked':
        case 'AlertRaised':
        case 'AlertInvalidated':
        case 'AlertAcknowledged':
        case 'AlertResolved':
        case 'AlertReopened':
          ofChecks.take({ event, n });
          return apply(event);
        default:
          held.push(event);
          // No check knows less than a source's creation and its reference days.
          if (event.type === 'SourceCreated') applyHeld(() => true);
          await ofModels.take({ event, n });
      }
      if (isCause(event)) ofChecks.ask({ event, n });
    };

    return {
      take: async (placed: Placed): Promise<void> => {
        if (isBroken) return;
        if (isNewer) {
          if (isDecision(placed.event))
            tally.cannotDecide(
              'an event before them is of a newer version',
              `${placed.event.type} ${placed.event.id}`,
            );
          return;
        }
        try {
          await takeKnown(placed);
        } catch (error) {
          if (!isOfData(error)) throw error;
          // What comes after it has nothing to be compared with.
          isBroken = true;
          tally.find(placed, `it cannot be replayed: ${error.message}`);
        }
      },
      /** That an event of it is of a newer version. */
      pass: (): void => {
        isNewer = true;
      },
      done: (): readonly KnownEvent[] =>
        isBroken || isNewer ? [] : [...ofModels.done(), ...ofChecks.done()],
    };
  };

  /** Time of the latest event. */
  let latest = '';
  const ofSource = (stream: string): ReturnType<typeof sourceVerifier> => {
    const sourceId = sourceOf(stream);
    const of = sources.get(sourceId) ?? sourceVerifier();
    sources.set(sourceId, of);
    return of;
  };
  /** An event in its newest shape; says which cannot be understood, and passes by. */
  const understood = (exported: Exported, n: number): KnownEvent | undefined => {
    const { id, type, stream } = exported;
    try {
      const event = decode({ ...exported, position: BigInt(n) });
      if (!event) tally.cannotDecide('they are of a type that this build does not know', `${type} ${id}`);
      return event;
    } catch (error) {
      if (!(error instanceof UnknownVersion)) throw error;
      tally.cannotDecide('they are of a newer version than this build knows', error.message);
      if (isLogStream(stream) && stream !== streams.catalog && tenantOf(stream) === undefined)
        ofSource(stream).pass();
      return undefined;
    }
  };

  return {
    take: async (exported, n) => {
      if (exported.at > latest) latest = exported.at;
      const event = understood(exported, n);
      if (!event || event.stream === streams.catalog || tenantOf(event.stream) !== undefined) return;
      await ofSource(event.stream).take({ event, n });
    },
    done: () => {
      let awaited = 0;
      for (const of of sources.values())
        for (const { type, id, at } of of.done())
          if (Date.parse(latest) - Date.parse(at) < overdueMs) awaited += 1;
          else
            tally.cannotDecide(
              'what they ask for is not there, though the log went on for more than an hour: taken out, or never made',
              `the check or models of ${type} ${id}`,
            );
      return tally.result(awaited);
    },
  };
};
