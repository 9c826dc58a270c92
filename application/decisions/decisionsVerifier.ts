import {
  UnknownVersion,
  decode,
  type KnownEvent,
  isHandlingEvent,
  isWebhookEvent,
  type EventOf,
} from '../../domain/events.js';
import { isLogStream, sourceOf, streams, tenantOf } from '../../domain/streams.js';
import type { DayHistory } from '../../projections/dayHistory.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { Analyst } from '../ports/analyst.js';
import type { Exported } from '../../auditing/eventBytes.js';
import { isOfCalendar } from './sourceHistory.js';
import { missingNoteMismatch, noteMismatch } from './mismatches.js';
import { groupingsVerifier, checksVerifier } from './checksVerifier.js';
import { logHistory, type LogHistory } from './logHistory.js';
import { tally as newTally, type Placed, type VerifiedDecisions, type Tally, isOfData } from './tally.js';
import { isCause } from '../../domain/followUps.js';
import { modelsVerifier } from './modelsVerifier.js';

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
type SourceVerifier = {
  /** @throws StoreUnavailable */
  readonly take: (placed: Placed) => Promise<void>;
  /** Records that an event of the source has a newer version. */
  readonly skipNewer: () => void;
  /** Events whose check or models are missing at the end of the log. */
  readonly done: (isOverdue: (event: KnownEvent) => boolean) => readonly KnownEvent[];
};

/**
 * The verifier of a source. It adds undecided and different decisions to the tally.
 * @param history has all events of the log up to the one that is taken
 */
const sourceVerifier = (
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
  const modelDecisions = modelsVerifier(models, analyst, history, tally);
  const checkDecisions = checksVerifier({ models, history }, applyHeld, tally);

  const takeNote = (placed: Placed<CovariateNote>): void => {
    const cause = history.days.importOf(placed.event.metadata.cause);
    if (cause) {
      const { eventId, at, correlation } = cause;
      tally.attribute(placed, { id: eventId, at, metadata: { correlation } });
    }
    tally.agree(placed, noteMismatch(history, placed, cause));
  };

  const takeKnown = async ({ event, n }: Placed): Promise<void> => {
    if (isWebhookEvent(event) || isHandlingEvent(event)) return;
    switch (event.type) {
      case 'SourceIdReserved':
      case 'SourceNameClaimed':
      case 'LogBegun':
      case 'TokenIssued':
      case 'TokenRevoked':
      case 'AuditTrailRead':
      case 'PersonErased':
      case 'CalendarRuleSaved':
      case 'CalendarRuleDeleted':
        return;
      case 'DaysImported':
      case 'PointsImported':
      case 'DateClosed':
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
        if (event.type === 'SourceCreated' || event.type === 'ReferenceExtended') applyHeld(() => true);
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
    done: isOverdue => {
      if (!isBroken && !isNewer) applyRest();
      return isBroken || isNewer ? [] : [...modelDecisions.done(), ...checkDecisions.done(isOverdue)];
    },
  };
};

/** Empty stores that a verifier fills. */
export type VerificationStores = {
  readonly models: ReadModels;
  readonly days: DayHistory;
  /** Read models with all events so far, for groupings; checks know those of their sources only. */
  readonly groupings: ReadModels;
};

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
 * Repeats models, plannings, checks and groupings from the earlier events, with the functions of the service, and
 * compares the canonical JSON with the log.
 * @param stores  empty; the verifier fills them
 */
export const decisionsVerifier = (
  { models, days, groupings: groupingModels }: VerificationStores,
  analyst: Pick<Analyst, 'run'>,
): DecisionsVerifier => {
  const tally = newTally();
  const history = logHistory(days);
  const groupings = groupingsVerifier(groupingModels, tally);
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
  /** Event in its newest version; undefined, and counted as undecided, when this build cannot read it. */
  const decoded = (exported: Exported, n: number): KnownEvent | undefined => {
    const { id, type, stream } = exported;
    try {
      const event = decode({ ...exported, position: BigInt(n) });
      if (!event) tally.cannotDecide('another program wrote them', `${type} ${id}`);
      return event;
    } catch (error) {
      if (!(error instanceof UnknownVersion)) throw error;
      tally.cannotDecide('this build does not know their type or version', error.message);
      groupings.skip(stream);
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
      if (event && isOfCalendar(event)) history.calendars.take(event);
      if (event) groupings.take({ event, n });
      if (!event || event.stream === streams.catalog || tenantOf(event.stream) !== undefined) return;
      takeHistory({ event, n });
      await verifierOf(event.stream).take({ event, n });
    },
    provide: (exported, n) => {
      const { stream } = exported;
      const isUsed = isOfSource(stream) || /^(calendar|incidents|settings)-/.test(stream);
      if (!isUsed) return;
      try {
        const event = decode({ ...exported, position: BigInt(n) });
        if (event) groupings.provide({ event, n });
        if (event && isOfCalendar(event)) history.calendars.take(event);
        else if (event && isOfSource(stream)) takeHistory({ event, n });
      } catch (error) {
        if (!(error instanceof UnknownVersion)) throw error;
        groupings.skip(stream);
        if (isOfSource(stream)) history.skip(sourceOf(stream));
      }
    },
    done: () => {
      let awaited = 0;
      const isOverdue = ({ at }: KnownEvent): boolean => Date.parse(latest) - Date.parse(at) >= overdueMs;
      for (const verifier of sources.values())
        for (const event of verifier.done(isOverdue))
          if (isOverdue(event))
            tally.cannotDecide(
              'their check or models are missing although the log continues for more than an hour',
              `the check or models of ${event.type} ${event.id}`,
            );
          else awaited += 1;
      return tally.result(awaited);
    },
  };
};
