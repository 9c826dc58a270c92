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
import type { Exported } from '../../auditing/exportLine.js';
import { isCause } from '../checks/decideCheck.js';
import { checksVerifier } from './checks.js';
import { modelsVerifier } from './models.js';
import { tally as newTally, type Placed, type VerifiedDecisions } from './tally.js';

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

/** Whether an error is caused by the data of the log and not by this machine. */
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
  'AlertEnded',
];
const isDecision = ({ type }: KnownEvent): boolean => decisionTypes.includes(type);

/**
 * Repeats models, plannings and checks from the earlier events, with the functions of the service, and compares the
 * canonical JSON with the log.
 * @param models  empty read models; the verifier fills them
 */
export const decisionsVerifier = (models: ReadModels, analyst: Pick<Analyst, 'run'>): DecisionsVerifier => {
  const tally = newTally();
  const sources = new Map<number, ReturnType<typeof sourceVerifier>>();

  const sourceVerifier = () => {
    /** Events of the source and its days that no check has read yet; they are not in the read models. */
    let held: KnownEvent[] = [];
    let isBroken = false;
    /** Whether an event had a newer version: later events cannot be decided. */
    let isNewer = false;
    const apply = (event: KnownEvent): void => models.apply([event], event);
    const applyHeld = (isKnown: (event: KnownEvent) => boolean): void => {
      for (const event of held.filter(isKnown)) apply(event);
      held = held.filter(event => !isKnown(event));
    };
    const know = ({ source, days }: Knowledge): void =>
      applyHeld(({ stream, revision }) => revision <= (stream.startsWith('days-') ? days : source));
    const ofModels = modelsVerifier(models, analyst, tally);
    const ofChecks = checksVerifier(models, know, tally);

    const takeKnown = async ({ event, n }: Placed): Promise<void> => {
      switch (event.type) {
        case 'SourceIdReserved':
        case 'AuditTrailRead':
        case 'PersonErased':
        case 'WebhookCreated':
        case 'WebhookSecretRotated':
        case 'WebhookDisabled':
        case 'WebhookEnabled':
        case 'WebhookReplayRequested':
        case 'WebhookDeleted':
          return;
        case 'DaysImported':
        case 'ClockTicked':
          held.push(event);
          break;
        case 'DaysChecked':
        case 'AlertRaised':
        case 'AlertInvalidated':
        case 'AlertAcknowledged':
        case 'AlertResolved':
        case 'AlertReopened':
        case 'AlertEnded':
          ofChecks.take({ event, n });
          return apply(event);
        default:
          held.push(event);
          // Every check has read the creation of the source and its reference days.
          if (event.type === 'SourceCreated') applyHeld(() => true);
          await ofModels.take({ event, n });
      }
      if (isCause(event)) ofChecks.require({ event, n });
    };

    return {
      take: async (placed: Placed): Promise<void> => {
        if (isBroken) return;
        if (isNewer) {
          if (isDecision(placed.event))
            tally.cannotDecide(
              'an earlier event has a newer version',
              `${placed.event.type} ${placed.event.id}`,
            );
          return;
        }
        try {
          await takeKnown(placed);
        } catch (error) {
          if (!isOfData(error)) throw error;
          // Later events cannot be compared.
          isBroken = true;
          tally.find(placed, `it cannot be replayed: ${error.message}`);
        }
      },
      /** Records that an event of the source has a newer version. */
      skipNewer: (): void => {
        isNewer = true;
      },
      done: (): readonly KnownEvent[] =>
        isBroken || isNewer ? [] : [...ofModels.done(), ...ofChecks.done()],
    };
  };

  /** Latest time of decision. */
  let latest = '';
  const ofSource = (stream: string): ReturnType<typeof sourceVerifier> => {
    const sourceId = sourceOf(stream);
    const verifier = sources.get(sourceId) ?? sourceVerifier();
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
        ofSource(stream).skipNewer();
      return undefined;
    }
  };

  return {
    take: async (exported, n) => {
      if (exported.at > latest) latest = exported.at;
      const event = decoded(exported, n);
      if (!event || event.stream === streams.catalog || tenantOf(event.stream) !== undefined) return;
      await ofSource(event.stream).take({ event, n });
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
