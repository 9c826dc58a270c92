import type { Knowledge } from '../../domain/alerts/checks.js';
import { isWebhookEvent, type KnownEvent } from '../../domain/events.js';
import { Rejection } from '../../domain/rejection.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { Analyst } from '../analyst.js';
import { isCause } from '../checks/causes.js';
import { checksVerifier } from './checks.js';
import { modelsVerifier } from './models.js';
import type { Placed, Tally } from './tally.js';

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
  'ModelAnomalyChanged',
  'AnalysisFailed',
  'DaysChecked',
  'AlertRaised',
  'AlertConfirmed',
  'AlertInvalidated',
  'AlertEnded',
];
const isDecision = ({ type }: KnownEvent): boolean => decisionTypes.includes(type);

/** Repeats the decisions about one source. */
export type SourceVerifier = {
  /** @throws StoreUnavailable */
  readonly take: (placed: Placed) => Promise<void>;
  /** Records that an event of the source has a newer version. */
  readonly skipNewer: () => void;
  /** Events whose check or models are missing at the end of the log. */
  readonly done: () => readonly KnownEvent[];
};

/** The verifier of a source. It adds undecided and different decisions to the tally. */
export const sourceVerifier = (
  models: ReadModels,
  analyst: Pick<Analyst, 'run'>,
  tally: Tally,
): SourceVerifier => {
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
  const modelDecisions = modelsVerifier(models, analyst, tally);
  const checkDecisions = checksVerifier(models, know, tally);

  const takeKnown = async ({ event, n }: Placed): Promise<void> => {
    if (isWebhookEvent(event)) return;
    switch (event.type) {
      case 'SourceIdReserved':
      case 'SourceNameClaimed':
      case 'AuditTrailRead':
      case 'PersonErased':
        return;
      case 'DaysImported':
      case 'ClockTicked':
      case 'CovariateDaysImported':
        held.push(event);
        break;
      case 'DaysChecked':
      case 'AlertRaised':
      case 'AlertConfirmed':
      case 'AlertInvalidated':
      case 'AlertAcknowledged':
      case 'AlertResolved':
      case 'AlertReopened':
      case 'AlertEnded':
        checkDecisions.take({ event, n });
        return apply(event);
      default:
        held.push(event);
        // Every check has read the creation of the source and its reference days.
        if (event.type === 'SourceCreated') applyHeld(() => true);
        await modelDecisions.take({ event, n });
    }
    if (isCause(event)) checkDecisions.require({ event, n });
  };

  return {
    take: async placed => {
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
    skipNewer: () => {
      isNewer = true;
    },
    done: () => (isBroken || isNewer ? [] : [...modelDecisions.done(), ...checkDecisions.done()]),
  };
};
