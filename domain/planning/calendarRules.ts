import type { Decider } from '../decider.js';
import { Rejection } from '../rejection.js';
import type { AppliedRule, AppliedRuleEvent, CalendarRule, LabelRule, SpecialDays } from './specialDays.js';

/** Largest number of dates of a rule. */
export const ruleDatesMax = 1000;

/** Largest number of rules of a source itself, and of a tenant for labels; and of their dates together. */
export const rulesMax = 50;
export const allDatesMax = 10_000;

/** Commands of a source about the rules that name its dates. */
export type AppliedRuleCommand =
  | { readonly type: 'ApplyCalendarRule'; readonly requestId: string; readonly rule: CalendarRule }
  | { readonly type: 'WithdrawCalendarRule'; readonly requestId: string; readonly ruleId: string }
  | ({ readonly type: 'FollowCalendar'; readonly requestId: string } & TenantCalendar);

/** The rules for labels of a tenant at a revision of `calendar-{tenant}`. */
export type TenantCalendar = { readonly revision: number; readonly rules: readonly LabelRule[] };

/** Events of `calendar-{tenant}`: rules for sources with some labels. */
export type CalendarEvent =
  | {
      readonly type: 'CalendarRuleSaved';
      readonly data: { readonly requestId: string; readonly rule: LabelRule };
    }
  | {
      readonly type: 'CalendarRuleDeleted';
      readonly data: { readonly requestId: string; readonly ruleId: string };
    };

/** Commands of `calendar-{tenant}`. */
export type CalendarCommand =
  | { readonly type: 'SaveCalendarRule'; readonly requestId: string; readonly rule: LabelRule }
  | { readonly type: 'DeleteCalendarRule'; readonly requestId: string; readonly ruleId: string };

/** State of `calendar-{tenant}`: its rules, in the order of their first saving. */
export type CalendarState = { readonly rules: readonly LabelRule[] };

type Labels = Readonly<Record<string, string>>;

const labelsText = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort());

/** Whether a source with some labels has all those of a rule. */
const isFor = (rule: LabelRule, labels: Labels): boolean =>
  Object.entries(rule.labels).every(([key, value]) => labels[key] === value);

/** Whether two rules have the same name, dates, window and labels. */
const isSame = (one: AppliedRule | undefined, other: AppliedRule): boolean =>
  one !== undefined &&
  one.name === other.name &&
  one.rule === other.rule &&
  one.from === other.from &&
  one.to === other.to &&
  labelsText(one.labels ?? {}) === labelsText(other.labels ?? {}) &&
  one.dates.length === other.dates.length &&
  one.dates.every((date, index) => date === other.dates[index]);

/** @throws Rejection `tooManyCalendarRules` when there is no room for a rule next to others */
const requireRuleRoom = (others: readonly CalendarRule[], rule: CalendarRule): void => {
  if (others.length >= rulesMax)
    throw new Rejection(
      'tooManyCalendarRules',
      `got calendar rule ${rulesMax + 1}, expected at most ${rulesMax} of a source and of a tenant: delete one`,
    );
  const dates = others.reduce((sum, other) => sum + other.dates.length, rule.dates.length);
  if (dates > allDatesMax)
    throw new Rejection(
      'tooManyCalendarRules',
      `got ${dates} dates of all rules, expected at most ${allDatesMax} of a source and of a tenant: delete a rule`,
    );
};

/**
 * A rule with the dates that stay from the one before: those before the first date of a file, which may have lost its
 * past events. When there are too many dates, the latest stay.
 */
export const withEarlierDates = <Rule extends Omit<CalendarRule, 'ruleId'>>(
  rule: Rule,
  before: Pick<CalendarRule, 'rule' | 'dates'> | undefined,
): Rule => {
  const [first] = rule.dates;
  if (rule.rule !== null || !before || before.rule !== null || first === undefined) return rule;
  const earlier = before.dates.filter(date => rule.from <= date && date < first);
  return { ...rule, dates: [...earlier, ...rule.dates].slice(-ruleDatesMax) };
};

/**
 * The rule to save among others of its place: it gets the id of the one with its name. Undefined when it is there.
 * @throws Rejection `tooManyCalendarRules`
 */
const saved = <Rule extends CalendarRule>(
  rule: Rule,
  among: readonly Rule[],
  isNamesake: (other: Rule) => boolean,
): Rule | undefined => {
  const before = among.find(isNamesake);
  const kept = before ? { ...withEarlierDates(rule, before), ruleId: before.ruleId } : rule;
  if (isSame(before, kept)) return undefined;
  requireRuleRoom(
    among.filter(other => other !== before),
    kept,
  );
  return kept;
};

/** Rules of `calendar-{tenant}`. A rule takes the place of the one with its name and labels. */
export const calendar: Decider<CalendarCommand, CalendarEvent, CalendarState> = {
  initial: { rules: [] },

  decide: (command, { rules }) => {
    const { requestId } = command;
    switch (command.type) {
      case 'SaveCalendarRule': {
        const labels = labelsText(command.rule.labels);
        const isNamesake = (other: LabelRule): boolean =>
          other.name === command.rule.name && labelsText(other.labels) === labels;
        const rule = saved(command.rule, rules, isNamesake);
        return rule ? [{ type: 'CalendarRuleSaved', data: { requestId, rule } }] : [];
      }
      case 'DeleteCalendarRule': {
        const { ruleId } = command;
        return rules.some(rule => rule.ruleId === ruleId)
          ? [{ type: 'CalendarRuleDeleted', data: { requestId, ruleId } }]
          : [];
      }
    }
  },

  evolve: ({ rules }, event) => {
    switch (event.type) {
      case 'CalendarRuleSaved': {
        const { rule } = event.data;
        const isKnown = rules.some(({ ruleId }) => ruleId === rule.ruleId);
        const replaced = rules.map(other => (other.ruleId === rule.ruleId ? rule : other));
        return { rules: isKnown ? replaced : [...rules, rule] };
      }
      case 'CalendarRuleDeleted':
        return { rules: rules.filter(({ ruleId }) => ruleId !== event.data.ruleId) };
    }
  },
};

/** A source as the decisions about its rules need it. */
type RuledSource = { readonly specials: SpecialDays; readonly labels: Labels };

/**
 * Events after which a source has the rules for its labels. None for a calendar that is older than the followed one.
 */
const follow = (
  requestId: string,
  { revision: followed, rules }: TenantCalendar,
  { specials, labels }: RuledSource,
): readonly AppliedRuleEvent[] => {
  if (followed < specials.followed) return [];
  const wanted = rules.filter(rule => isFor(rule, labels));
  const present = specials.rules.filter(rule => rule.labels !== undefined);
  const isWanted = ({ ruleId }: AppliedRule): boolean => wanted.some(rule => rule.ruleId === ruleId);
  return [
    ...present
      .filter(rule => !isWanted(rule))
      .map(({ ruleId }): AppliedRuleEvent => ({
        type: 'CalendarRuleWithdrawn',
        data: { requestId, ruleId, followed },
      })),
    ...wanted
      .filter(
        rule =>
          !isSame(
            present.find(({ ruleId }) => ruleId === rule.ruleId),
            rule,
          ),
      )
      .map((rule): AppliedRuleEvent => ({
        type: 'CalendarRuleApplied',
        data: { requestId, rule, followed },
      })),
  ];
};

/**
 * Decides about the rules that name dates of a source. A rule of the source takes the place of the one with its name.
 * @throws Rejection `tooManyCalendarRules`
 */
export const decideAppliedRules = (
  command: AppliedRuleCommand,
  source: RuledSource,
): readonly AppliedRuleEvent[] => {
  const { requestId } = command;
  const own = source.specials.rules.filter(({ labels }) => labels === undefined);
  switch (command.type) {
    case 'ApplyCalendarRule': {
      const rule = saved<CalendarRule>(command.rule, own, ({ name }) => name === command.rule.name);
      return rule ? [{ type: 'CalendarRuleApplied', data: { requestId, rule } }] : [];
    }
    case 'WithdrawCalendarRule': {
      const { ruleId } = command;
      return own.some(rule => rule.ruleId === ruleId)
        ? [{ type: 'CalendarRuleWithdrawn', data: { requestId, ruleId } }]
        : [];
    }
    case 'FollowCalendar':
      return follow(requestId, command, source);
  }
};

/** Whether a source lacks rules for its labels, or has others. */
export const isBehind = (calendar: TenantCalendar, source: RuledSource): boolean =>
  follow('', calendar, source).length > 0;

/** Rules for labels that a new source with these labels begins with. */
export const rulesFor = ({ rules }: TenantCalendar, labels: Labels): readonly LabelRule[] =>
  rules.filter(rule => isFor(rule, labels));
