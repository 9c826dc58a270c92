import { alerts, type AlertsEvent, type AlertsState, type Knowledge } from '../../domain/alerts.js';
import { fold } from '../../domain/decider.js';
import type { KnownEvent } from '../../domain/events.js';
import { Rejection } from '../../domain/rejection.js';
import type { ReadModels } from '../../projections/readModels.js';
import { daysPerCheck, checkDecider, type CauseEvent, type Checked } from '../checks/decideCheck.js';
import { differenceOf } from './difference.js';
import type { Placed, Tally } from './tally.js';

type AlertsKnown = Extract<KnownEvent, { type: AlertsEvent['type'] }>;
type DaysChecked = Extract<KnownEvent, { type: 'DaysChecked' }>;

/** A check that is recorded part by part: the dates that are left, and what came of those before them. */
type Run = {
  readonly causeId: string;
  readonly rest: readonly string[];
  readonly earlier: ReadonlyMap<string, Checked>;
};

/** What is asked of a cause, without the days that it brings. */
const slim = (event: CauseEvent): CauseEvent =>
  event.type === 'DaysImported' ? { ...event, data: { ...event.data, days: [] } } : event;

const dateOf = ({ data }: AlertsEvent): string | undefined => ('date' in data ? data.date : undefined);
const isOf = (one: AlertsEvent, other: AlertsEvent): boolean =>
  one.type === other.type && dateOf(one) === dateOf(other);
const named = (event: AlertsEvent): string =>
  event.type === 'DaysChecked' ? event.type : `${event.type} ${event.data.alertId}`;

/**
 * Makes the checks of one source again.
 * @param models  read models that have taken the alerts' events before, and of the others what `know` brings
 * @param know    brings them to what a check knew
 */
export const checksVerifier = (models: ReadModels, know: (to: Knowledge) => void, tally: Tally) => {
  const decided = checkDecider(models);
  let state: AlertsState = alerts.initial;
  /** Events whose check is not complete. */
  const causes = new Map<string, Placed<CauseEvent>>();
  /** The place of the last event that a check was made of. */
  let checkedTo = 0;
  let run: Run | undefined;
  /** The last check, and what it leads to and is not there yet. */
  let check: Placed<DaysChecked> | undefined;
  let due: AlertsEvent[] = [];
  /** Whether what the last check led to cannot be decided, as it cannot. */
  let open = false;

  /** What a check should have been: of the dates that were left to its run, or of all that its cause awaits. */
  const wouldBe = ({ data }: DaysChecked, cause: CauseEvent): AlertsEvent[] => {
    const part = models.days.check(cause.id).parts + 1;
    const anew: Run = { causeId: cause.id, rest: decided.awaitedDates(cause), earlier: new Map() };
    let would: AlertsEvent[] = [];
    for (const { rest, earlier } of run?.causeId === cause.id ? [run, anew] : [anew]) {
      const last = rest.length <= daysPerCheck;
      const dates = rest.slice(0, daysPerCheck);
      const command = decided.checkCommand(cause, { part, last, dates, earlier });
      if (!command) return [];
      would = [...alerts.decide(command, state)];
      if (differenceOf(would[0]?.data, data) !== undefined) continue;
      run = {
        causeId: cause.id,
        rest: rest.slice(daysPerCheck),
        earlier: new Map([...earlier, ...command.days.map(day => [day.date, day] as const)]),
      };
      return would;
    }
    return would;
  };

  const takeCheck = (placed: Placed<DaysChecked>): void => {
    const { cause, knowledge, last, engine } = placed.event.data;
    const known = causes.get(cause.id);
    check = placed;
    open = false;
    if (!known) return tally.find(placed, 'no event before it asks for this check, or it was made already');
    if (last) causes.delete(cause.id);
    checkedTo = Math.max(checkedTo, known.n);
    open = true;
    if (!tally.isOurs(placed, engine)) return;
    // Whatever names its engine says what it knew: the one came after the other.
    if (!knowledge) return tally.find(placed, 'it does not say what it knew, as its engine always does');
    tally.attribute(placed, known.event);
    open = false;
    know(knowledge);
    try {
      due = wouldBe(placed.event, known.event);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return tally.find(placed, error.message);
    }
    takeDue(placed);
  };

  /** Compares an event with the one that is due after the last check. */
  const takeDue = (placed: Placed<AlertsKnown>): void => {
    const { event } = placed;
    const at = due.findIndex(one => isOf(one, event));
    if (at < 0)
      return tally.find(
        placed,
        due[0] ? `got ${named(event)}, expected ${named(due[0])}` : `${named(event)}: no check led to it`,
      );
    const missing = due.splice(0, at);
    if (missing.length > 0) tell(placed, missing);
    tally.compare(placed, due.shift()?.data);
    const [is, should] = [event, check?.event].map(of => of && { at: of.at, ...of.metadata });
    const difference = check && differenceOf(should, is);
    if (difference !== undefined) tally.find(placed, `it was not made with its check: ${difference}`);
  };

  const tell = (placed: Placed, missing: readonly AlertsEvent[]): void =>
    tally.find(placed, `the check before it led to ${missing.map(named).join(', ')}, which is not there`);

  return {
    /** An event that makes a check necessary. */
    ask: ({ event, n }: Placed<CauseEvent>): void => void causes.set(event.id, { event: slim(event), n }),
    /** Takes the next event of the alerts; what people decided stands as they decided it. */
    take: ({ event, n }: Placed<AlertsKnown>): void => {
      const isMade = event.type === 'AlertRaised' || event.type === 'AlertInvalidated';
      if (!isMade && due.length > 0) tell({ event, n }, due.splice(0));
      if (event.type === 'DaysChecked') takeCheck({ event, n });
      else if (isMade && open && event.metadata.cause === check?.event.data.cause.id)
        tally.cannotDecide('they follow from a check that is not decided', `${named(event)} of event ${n}`);
      else if (isMade) takeDue({ event, n });
      state = fold(alerts, state, [event]);
    },
    /** When there is no more; answers the events that await their check. */
    done: (): readonly KnownEvent[] => {
      if (check && due.length > 0)
        tally.find(check, `it led to ${due.map(named).join(', ')}, which is not there`);
      // Checks are made in the order of their causes: one that others have overtaken is not still to come.
      const overtaken = [...causes.values()].filter(({ n }) => n < checkedTo);
      for (const cause of overtaken) tally.find(cause, 'its check is not there, but one of a later event is');
      return [...causes.values()].filter(of => !overtaken.includes(of)).map(({ event }) => event);
    },
  };
};
