import { alerts } from '../../domain/alerts/alerts.js';
import type { AlertsEvent, AlertsState } from '../../domain/alerts/alertsState.js';
import { withoutDays, type CauseEvent } from '../../domain/followUps.js';
import { checkRules, type CheckRules, type Knowledge } from '../../domain/alerts/checks.js';
import { fold } from '../../domain/decider.js';
import type { KnownEvent, EventOf } from '../../domain/events.js';
import { groupingRules } from '../../domain/incidents/connections.js';
import type { IncidentFacts } from '../../domain/incidents/incidents.js';
import { Rejection } from '../../domain/rejection.js';
import { sourceOf, streams, tenantOf } from '../../domain/streams.js';
import type { ReadModels } from '../../projections/readModels.js';
import { daysPerCheck, nextPart, withOutcomes, type DayOutcome } from '../followUps/checks/checkPart.js';
import { checkDecider } from '../followUps/checks/decideCheck.js';
import { alertsPerEventMax, groupedFrom, placesOf } from '../followUps/groupAlerts.js';
import { runStepsAtOnce } from '../ports/sharing/turns.js';
import { readingMismatch } from './mismatches.js';
import type { LogHistory } from './logHistory.js';
import { differenceOf, type Mismatch, type Placed, type Tally, isOfData } from './tally.js';

type AlertsKnown = EventOf<AlertsEvent['type']>;
type DaysChecked = EventOf<'DaysChecked'>;

/** A check that is recorded in parts: the remaining dates, and the outcomes of the earlier ones. */
type CheckRun = {
  readonly causeId: string;
  readonly rest: readonly string[];
  readonly earlier: ReadonlyMap<string, DayOutcome>;
};

/** Revision up to which a check knew the stream of an event of its source. */
const knowledgeOf = ({ source, days }: Knowledge, { stream }: Pick<KnownEvent, 'stream'>): number =>
  stream.startsWith('days-') ? days : source;

const dateOf = ({ data }: AlertsEvent): string | undefined => ('date' in data ? data.date : undefined);
const isSameKind = (one: AlertsEvent, other: AlertsEvent): boolean =>
  one.type === other.type && dateOf(one) === dateOf(other);
const describe = (event: AlertsEvent): string =>
  event.type === 'DaysChecked' ? event.type : `${event.type} ${event.data.alertId}`;

/** Alert events that checks lead to; people lead to the others. */
const checkEventTypes: readonly AlertsEvent['type'][] = [
  'AlertRaised',
  'AlertConfirmed',
  'AlertInvalidated',
  'AlertEnded',
];
const isOfCheck = ({ type }: AlertsEvent): boolean => checkEventTypes.includes(type);

/**
 * Repeats and compares the checks of one source.
 * @param log     read models with the earlier events of alerts, and the history of the whole log
 * @param know    applies the other events that a check had read
 */
export const checksVerifier = (
  { models, history }: { readonly models: ReadModels; readonly history: LogHistory },
  know: (isKnown: (event: KnownEvent) => boolean) => void,
  tally: Tally,
) => {
  const decider = checkDecider(models);
  let state: AlertsState = alerts.initial;
  /** Causes whose check is not complete, by event id. */
  const causes = new Map<string, Placed<CauseEvent>>();
  /** Index of the latest cause that was checked. */
  let checkedTo = 0;
  let run: CheckRun | undefined;
  /** The last check, and the events that must follow it. */
  let check: Placed<DaysChecked> | undefined;
  let due: AlertsEvent[] = [];
  /** Rules that checks follow: each from the first check on that names it. */
  const followed = new Set<keyof CheckRules>();
  /** Whether the last check, and so its alerts, cannot be repeated. */
  let isUndecided = false;

  /** Expected events of a check: of the remaining dates of its run, or of all dates that its cause requires. */
  const expectedOf = ({ data }: DaysChecked, cause: CauseEvent): AlertsEvent[] => {
    const part = models.days.check(cause.id).parts + 1;
    const rest = decider.awaitedDates(cause, data.engine);
    const covariates = new Map(data.days.map(({ date, covariates = [] }) => [date, covariates]));
    const newRun: CheckRun = { causeId: cause.id, rest, earlier: new Map() };
    const rules = Object.fromEntries(checkRules.map(rule => [rule, followed.has(rule)]));
    let expected: AlertsEvent[] = [];
    for (const { rest, earlier } of run?.causeId === cause.id ? [run, newRun] : [newRun]) {
      const next = { ...nextPart(part, rest, earlier), covariates };
      const command = runStepsAtOnce(decider.checkSteps(cause, next, data.engine));
      if (!command) return [];
      expected = [...alerts.decide({ ...command, ...rules }, state)];
      if (differenceOf(expected[0]?.data, data) !== undefined) continue;
      run = {
        causeId: cause.id,
        rest: rest.slice(daysPerCheck),
        earlier: withOutcomes(earlier, command.days),
      };
      return expected;
    }
    return expected;
  };

  /** Compares the values of covariates that a check knew with the imports of the covariates. */
  const compareReadings = (placed: Placed<DaysChecked>, from: number): void => {
    const { stream, data } = placed.event;
    const effects = models.planning.checks(sourceOf(stream))?.covariates;
    const window = { from, to: placed.n };
    for (const { date, covariates, missing } of data.days) {
      const used = missing ? undefined : effects?.map(({ sourceId }) => sourceId);
      const difference = differenceOf(
        used,
        covariates?.map(({ sourceId }) => sourceId),
      );
      const mismatches: Mismatch[] = difference
        ? [{ detail: `the covariates of ${date} are not those of the models: ${difference}` }]
        : (covariates ?? []).map(reading => readingMismatch(history, reading, date, window));
      const mismatch = mismatches.find(one => one !== undefined);
      if (mismatch) return tally.agree(placed, mismatch);
    }
  };

  const takeCheck = (placed: Placed<DaysChecked>): void => {
    const { cause, knowledge, last, engine } = placed.event.data;
    const known = causes.get(cause.id);
    check = placed;
    isUndecided = false;
    if (!known) return tally.report(placed, 'no earlier event requires this check, or the check is a repeat');
    if (last) causes.delete(cause.id);
    checkedTo = Math.max(checkedTo, known.n);
    isUndecided = true;
    for (const rule of checkRules) if (placed.event.data[rule] === true) followed.add(rule);
    if (!tally.isOurs(placed, engine)) return;
    // Checks recorded `knowledge` before they named their engine.
    if (!knowledge) return tally.report(placed, 'it lacks `knowledge`, which its engine always records');
    if (knowledgeOf(knowledge, known.event) < known.event.revision)
      return tally.report(placed, 'its `knowledge` lacks its own cause, which a check always has read');
    tally.attribute(placed, known.event);
    isUndecided = false;
    know(event => event.revision <= knowledgeOf(knowledge, event));
    compareReadings(placed, known.n);
    try {
      due = expectedOf(placed.event, known.event);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return tally.report(placed, error.message);
    }
    takeDue(placed);
  };

  /** Compares an event with the next one that must follow the last check. */
  const takeDue = (placed: Placed<AlertsKnown>): void => {
    const { event } = placed;
    const at = due.findIndex(one => isSameKind(one, event));
    if (at < 0)
      return tally.report(
        placed,
        due[0]
          ? `got ${describe(event)}, expected ${describe(due[0])}`
          : `${describe(event)}: no check requires it`,
      );
    const missing = due.splice(0, at);
    if (missing.length > 0) reportMissing(placed, missing);
    tally.compare(placed, due.shift()?.data);
    const [is, should] = [event, check?.event].map(one => one && { at: one.at, ...one.metadata });
    const difference = check && differenceOf(should, is);
    if (difference !== undefined)
      tally.report(placed, `its metadata differ from those of its check: ${difference}`);
  };

  const reportMissing = (placed: Placed, missing: readonly AlertsEvent[]): void =>
    tally.report(
      placed,
      `the check before it requires ${missing.map(describe).join(', ')}, which is missing`,
    );

  return {
    /** Adds an event that makes a check necessary. */
    require: ({ event, n }: Placed<CauseEvent>): void =>
      void causes.set(event.id, { event: withoutDays(event), n }),
    /** Compares the next event of the alerts. Decisions of people are accepted. */
    take: ({ event, n }: Placed<AlertsKnown>): void => {
      const isMade = isOfCheck(event);
      if (!isMade && due.length > 0) reportMissing({ event, n }, due.splice(0));
      if (event.type === 'DaysChecked') takeCheck({ event, n });
      else if (isMade && isUndecided && event.metadata.cause === check?.event.data.cause.id)
        tally.cannotDecide(
          'they follow from a check that was not decided',
          `${describe(event)} of event ${n}`,
        );
      else if (isMade) takeDue({ event, n });
      state = fold(alerts, state, [event]);
    },
    /** To be called after the last event; returns the causes whose check is pending. */
    done: (isOverdue: (event: KnownEvent) => boolean): readonly KnownEvent[] => {
      if (check && due.length > 0)
        tally.report(check, `it requires ${due.map(describe).join(', ')}, which is missing`);
      // Instances check causes of one source at the same time: one before a checked one may be pending for a while.
      const skipped = [...causes.values()].filter(({ event, n }) => n < checkedTo && isOverdue(event));
      for (const cause of skipped) tally.report(cause, 'its check is missing, but a later event was checked');
      return [...causes.values()].filter(cause => !skipped.includes(cause)).map(({ event }) => event);
    },
  };
};

type Grouped = Placed<EventOf<'AlertsGrouped'>>;

/** Events before a grouping that are looked at. */
const recentMax = 2000;

const isRead = (stream: string): boolean => /^(source|alerts|incidents|settings)-/.test(stream);

/** Facts of incidents without what has changed in their sources, which follows from values of days. */
const withoutChanges = (incidents: readonly IncidentFacts[]) =>
  incidents.map(({ changes, recognised, ...facts }) => facts);

/**
 * Repeats groupings of alerts into incidents. A grouping is made from all events of its tenant's incidents, the alerts
 * of its source up to `knowledge`, and what the read models have of other sources between its cause and its event.
 * @param models empty; they get all events in the order of the log
 */
export const groupingsVerifier = (models: ReadModels, tally: Tally) => {
  let recent: { readonly id: string; readonly stream: string; readonly revision: number }[] = [];
  /** Why later groupings cannot be repeated. */
  let broken: string | undefined;

  /** Whether other events came after the cause of a grouping, of which it may know any number. */
  const isAmongOthers = ({ event: { metadata, data } }: Grouped): boolean => {
    const from = recent.findIndex(({ id }) => id === metadata.cause);
    return recent.slice(from < 0 ? 0 : from).some(({ stream, revision }) => {
      if (stream === streams.alerts(data.sourceId)) return revision > data.knowledge;
      return isRead(stream) && !stream.startsWith('incidents-');
    });
  };

  const verify = (placed: Grouped): void => {
    const { id, stream, data } = placed.event;
    const { sourceId, knowledge, rules = 1, incidents, ...moved } = data;
    if (broken !== undefined) return tally.cannotDecide(broken, `AlertsGrouped ${id}`);
    if (rules > groupingRules) return tally.cannotDecide('newer rules made them', `AlertsGrouped ${id}`);
    if (models.sources.setup(sourceId) === undefined) return tally.agree(placed, 'notInLog');
    const places = placesOf(models, sourceId, tenantOf(stream) ?? '');
    const changed = models.incidents
      .changedAlerts(sourceId, { places, rules }, alertsPerEventMax)
      .filter(({ revision }) => revision <= knowledge);
    if (changed.length === 0)
      return tally.report(
        placed,
        'AlertsGrouped does not follow from the earlier events: no alert has changed',
      );
    const known = models.incidents.knownFor(sourceId, changed, rules);
    const expected = groupedFrom(models, { sourceId, changed, known });
    const compared = { sourceId, knowledge, ...moved, incidents: withoutChanges(incidents) };
    const wanted = { ...expected, incidents: withoutChanges(expected.incidents) };
    const isSame = differenceOf(JSON.parse(JSON.stringify(wanted)), compared) === undefined;
    if (!isSame && isAmongOthers(placed))
      return tally.cannotDecide('other alerts changed while they were made', `AlertsGrouped ${id}`);
    tally.compare({ ...placed, event: { ...placed.event, data: compared } }, wanted);
  };

  const apply = ({ event }: Placed): void => {
    recent.push({ id: event.id, stream: event.stream, revision: event.revision });
    if (recent.length > 2 * recentMax) recent = recent.slice(-recentMax);
    if (broken !== undefined || !isRead(event.stream)) return;
    try {
      models.apply([event], event);
    } catch (error) {
      if (!isOfData(error)) throw error;
      broken = 'an earlier event cannot be replayed';
    }
  };
  /** Compares a grouping; one with data that no build writes is reported. */
  const verifySound = (placed: Grouped): void => {
    try {
      verify(placed);
    } catch (error) {
      if (!isOfData(error)) throw error;
      tally.report(placed, `it cannot be replayed: ${error.message}`);
    }
  };

  return {
    /** Compares a grouping, and takes the next event of the log. */
    take: (placed: Placed): void => {
      const { event, n } = placed;
      if (event.type === 'AlertsGrouped') verifySound({ event, n });
      apply(placed);
    },
    /** Takes an event whose decision is not asked about. */
    provide: apply,
    /** Records that an event of a stream has a newer version. */
    skip: (stream: string): void => {
      if (isRead(stream)) broken ??= 'an earlier event has a newer version';
    },
  };
};
