import { checkDecider } from '../../../application/followUps/checks/decideCheck.js';
import { nextPart, withOutcomes, type DayOutcome } from '../../../application/followUps/checks/checkPart.js';
import { runStepsAtOnce } from '../../../application/ports/sharing/turns.js';
import { alerts } from '../../../domain/alerts/alerts.js';
import { alertsOn, isUnprocessed } from '../../../domain/alerts/alertsState.js';
import type { AlertKind } from '../../../domain/alerts/findings.js';
import { isCause, type CauseEvent } from '../../../domain/followUps.js';
import { fold } from '../../../domain/decider.js';
import type { Day } from '../../../domain/day.js';
import { days, type DaysEvent } from '../../../domain/days.js';
import type { DomainEvent, EventOf, KnownEvent } from '../../../domain/events.js';
import { created, holding, imported, reset } from '../data/sourceHistory.js';
import { dayOf, id } from '../data/samples.js';
import { handWritten } from '../data/tables.js';

type DaysKnown = EventOf<DaysEvent['type']>;
const isOfDays = (event: KnownEvent): event is DaysKnown => event.stream === 'days-1';

/**
 * Source 1 in a log: events are appended by hand, and the checks that they require are decided and recorded by the
 * rules of the service, in any order and at any time.
 */
export const checkedLog = (engine?: string) => {
  const { events, add } = handWritten();
  add('catalog', { type: 'SourceIdReserved', data: { sourceId: 1, requestId: id(101) } });
  add('days-1', imported(id(201), 'reference', [dayOf('2023-01-01'), dayOf('2023-01-02')]));
  add('source-1', created(1));
  add('source-1', reset(1, 1));
  let { models } = holding(events);
  let state = alerts.initial;
  let decider = checkDecider(models);

  const append = (stream: string, event: DomainEvent): CauseEvent | undefined => {
    add(stream, event);
    const added = events.at(-1)!;
    models.apply([added], added);
    return isCause(added) ? added : undefined;
  };

  const record = (cause: CauseEvent): void => {
    let rest = decider.awaitedDates(cause, engine);
    let earlier: ReadonlyMap<string, DayOutcome> = new Map();
    for (let n = 1; ; n += 1) {
      const part = nextPart(n, rest, earlier);
      const command = runStepsAtOnce(decider.checkSteps(cause, part, engine))!;
      for (const event of alerts.decide(command, state)) {
        append('alerts-1', event);
        state = fold(alerts, state, [event]);
      }
      if (part.last) return;
      earlier = withOutcomes(earlier, command.days);
      rest = rest.slice(part.dates.length);
    }
  };

  let imports = 300;
  return {
    events,
    models: () => models,
    append,
    record,
    /** Rebuilds the read models from the log. */
    restart: () => {
      ({ models } = holding(events));
      decider = checkDecider(models);
    },
    /** Imports recent days of ascending dates, at most `perPart` in an event; returns the cause of their check. */
    importDates: (
      dates: readonly string[],
      { perPart = 31, dayOn = dayOf as (date: string) => Day } = {},
    ) => {
      const importId = id((imports += 1));
      const parts = Math.ceil(dates.length / perPart);
      let cause: CauseEvent | undefined;
      for (let part = 1; part <= parts; part += 1) {
        const of = dates.slice((part - 1) * perPart, part * perPart).map(date => dayOn(date));
        cause = append('days-1', imported(importId, 'recent', of, part, parts)) ?? cause;
      }
      return cause!;
    },
    /** Takes the recent day of a date back; returns the cause of its check, undefined for none. @throws Rejection */
    takeBack: (date: string): CauseEvent | undefined => {
      const known = events.flatMap(event => (isOfDays(event) ? [event] : []));
      const command = { type: 'TakeDayBack', sourceId: 1, date, reason: null } as const;
      const [taken] = days.decide(command, fold(days, days.initial, known));
      return taken && append('days-1', taken);
    },
    /** Dates with an unprocessed alert of a kind, ascending. */
    datesWith: (kind: AlertKind): readonly string[] =>
      Object.values(state.alerts)
        .flatMap(century => Object.values(century).flatMap(year => Object.values(year)))
        .flatMap(month => Object.keys(month))
        .filter(date =>
          alertsOn(state, date).standing.some(alert => isUnprocessed(alert) && alert.kind === kind),
        )
        .sort(),
  };
};
