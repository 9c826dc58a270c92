import { fold } from '../../domain/decider.js';
import type { EventOf, KnownEvent } from '../../domain/events.js';
import {
  calendar,
  decideAppliedRules,
  type CalendarEvent,
  type CalendarState,
} from '../../domain/planning/calendarRules.js';
import type { AppliedRuleEvent } from '../../domain/planning/specialDays.js';
import type { ExistingSource } from '../../domain/source/sourceState.js';
import { streams } from '../../domain/streams.js';

type OfCalendar = EventOf<CalendarEvent['type']>;

/** Whether an event is one of `calendar-{tenant}`. */
export const isOfCalendar = (event: KnownEvent): event is OfCalendar =>
  event.type === 'CalendarRuleSaved' || event.type === 'CalendarRuleDeleted';

/** The rules for labels of each tenant of a log, at every revision. */
export const calendarHistory = () => {
  const states = new Map<string, CalendarState[]>();
  return {
    take: (event: OfCalendar): void => {
      const known = states.get(event.stream) ?? [];
      known.push(fold(calendar, known.at(-1) ?? calendar.initial, [event]));
      states.set(event.stream, known);
    },
    /** The rules for labels of a tenant at a revision; undefined before it. */
    at: (tenant: string, revision: number): CalendarState | undefined =>
      states.get(streams.calendar(tenant))?.[revision],
  };
};

export type CalendarHistory = ReturnType<typeof calendarHistory>;

/**
 * The data that an event about a rule for labels must have, decided again from the calendar that the source followed;
 * undefined when the calendar does not ask for the event.
 */
export const followedAgain = (
  { type, data }: EventOf<AppliedRuleEvent['type']>,
  { rules }: CalendarState,
  state: ExistingSource,
): object | undefined => {
  const { requestId, followed: revision = -1 } = data;
  const source = { specials: state.specials, labels: state.description.labels };
  const decided = decideAppliedRules({ type: 'FollowCalendar', requestId, revision, rules }, source);
  const ruleId = 'rule' in data ? data.rule.ruleId : data.ruleId;
  return decided.find(
    other =>
      other.type === type && ('rule' in other.data ? other.data.rule.ruleId : other.data.ruleId) === ruleId,
  )?.data;
};
