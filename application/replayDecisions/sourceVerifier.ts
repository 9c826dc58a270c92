import { isCause } from '../../domain/alerts/causes.js';
import type { Knowledge } from '../../domain/alerts/checks.js';
import { isWebhookEvent, type KnownEvent, type EventOf } from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { Analyst } from '../analyst.js';
import { checksVerifier } from './checksVerifier.js';
import { noteMismatch } from './covariateMismatches.js';
import { isOfData } from './isOfData.js';
import type { LogHistory } from './logHistory.js';
import { modelsVerifier } from './modelsVerifier.js';
import type { Placed, Tally } from './tally.js';

const decisionTypes: readonly string[] = [
  'SourceCreated',
  'SourceRelearned',
  'ModelsReset',
  'ModelsReplaced',
  'ModelAnomalyChanged',
  'AnalysisFailed',
  'DaysChecked',
  'AlertRaised',
  'AlertConfirmed',
  'AlertInvalidated',
  'AlertEnded',
  'CovariateDaysImported',
];
const isDecision = ({ type }: KnownEvent): boolean => decisionTypes.includes(type);

type CovariateNote = EventOf<'CovariateDaysImported'>;

/** Repeats the decisions about one source. */
export type SourceVerifier = {
  /** @throws StoreUnavailable */
  readonly take: (placed: Placed) => Promise<void>;
  /** Records that an event of the source has a newer version. */
  readonly skipNewer: () => void;
  /** Events whose check or models are missing at the end of the log. */
  readonly done: () => readonly KnownEvent[];
};

/**
 * The verifier of a source. It adds undecided and different decisions to the tally.
 * @param history has all events of the log up to the one that is taken
 */
export const sourceVerifier = (
  models: ReadModels,
  analyst: Pick<Analyst, 'run'>,
  history: LogHistory,
  tally: Tally,
): SourceVerifier => {
  /** Events of the source and its days that no check has read yet; they are not in the read models. */
  let held: Placed[] = [];
  let isBroken = false;
  /** Whether an event had a newer version: later events cannot be decided. */
  let isNewer = false;
  const apply = (event: KnownEvent): void => models.apply([event], event);
  const applyHeld = (isKnown: (event: KnownEvent) => boolean): void => {
    const known = held.filter(({ event }) => isKnown(event));
    held = held.filter(({ event }) => !isKnown(event));
    for (const { event } of known) apply(event);
  };
  /** Applies the events that no check has read, to find one that cannot be applied. */
  const applyRest = (): void => {
    for (const placed of held)
      try {
        apply(placed.event);
      } catch (error) {
        if (!isOfData(error)) throw error;
        isBroken = true;
        return tally.report(placed, `it cannot be replayed: ${error.message}`);
      }
  };
  const know = ({ source, days }: Knowledge): void =>
    applyHeld(({ stream, revision }) => revision <= (stream.startsWith('days-') ? days : source));
  const modelDecisions = modelsVerifier(models, analyst, history, tally);
  const checkDecisions = checksVerifier({ models, history }, know, tally);

  const takeNote = (placed: Placed<CovariateNote>): void => {
    const cause = history.days.importOf(placed.event.metadata.cause);
    if (cause) {
      const { eventId, at, correlation } = cause;
      tally.attribute(placed, { id: eventId, at, metadata: { correlation } });
    }
    tally.agree(placed, noteMismatch(history, placed, cause));
  };

  const takeKnown = async ({ event, n }: Placed): Promise<void> => {
    if (isWebhookEvent(event)) return;
    switch (event.type) {
      case 'SourceIdReserved':
      case 'SourceNameClaimed':
      case 'AuditTrailRead':
      case 'PersonErased':
        return;
      case 'DaysImported':
      case 'DayTakenBack':
      case 'ClockTicked':
        held.push({ event, n });
        break;
      case 'CovariateDaysImported':
        takeNote({ event, n });
        held.push({ event, n });
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
        held.push({ event, n });
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
        tally.report(placed, `it cannot be replayed: ${error.message}`);
      }
    },
    skipNewer: () => {
      isNewer = true;
    },
    done: () => {
      if (!isBroken && !isNewer) applyRest();
      return isBroken || isNewer ? [] : [...modelDecisions.done(), ...checkDecisions.done()];
    },
  };
};
