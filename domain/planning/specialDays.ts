import type { NamedDay } from './calendar.js';

/** Dates that a rule or a file names: ascending, each once. */
export type CalendarRule = {
  readonly ruleId: string;
  /** The name of the special days. */
  readonly name: string;
  /** The recurrence rule (RFC 5545); null for the dates of an iCalendar file. */
  readonly rule: string | null;
  /** First and last date of the window that `dates` are computed for. */
  readonly from: string;
  readonly to: string;
  readonly dates: readonly string[];
};

/** A rule of the tenant for all sources with some labels. */
export type LabelRule = CalendarRule & { readonly labels: Readonly<Record<string, string>> };

/** A rule that names dates of a source: its own, or one for its labels. */
export type AppliedRule = CalendarRule & Partial<Pick<LabelRule, 'labels'>>;

/** Names of dates of a source, by people and by rules. */
export type SpecialDays = {
  /** Names that people gave, by date. */
  readonly named: Readonly<Record<string, string>>;
  /** Dates of rules whose name people removed, ascending. */
  readonly cleared: readonly string[];
  readonly rules: readonly AppliedRule[];
  /** Revision of `calendar-{tenant}` that the rules for labels are of; −1 for none. */
  readonly followed: number;
};

/** No names. */
export const noSpecialDays: SpecialDays = { named: {}, cleared: [], rules: [], followed: -1 };

const byDate = (a: NamedDay, b: NamedDay): number => (a.date < b.date ? -1 : 1);

/** Special days that people named, by date. */
export const namedDays = ({ named }: Pick<SpecialDays, 'named'>): NamedDay[] =>
  Object.entries(named)
    .map(([date, name]) => ({ date, name }))
    .sort(byDate);

/** Order of rules that name the same date, strongest first: of the source itself, with fewer dates, by name and id. */
const byStrength = (a: AppliedRule, b: AppliedRule): number =>
  Number(a.labels !== undefined) - Number(b.labels !== undefined) ||
  a.dates.length - b.dates.length ||
  (a.name === b.name ? (a.ruleId < b.ruleId ? -1 : 1) : a.name < b.name ? -1 : 1);

/** All special days by date. A name by a person is stronger than one by a rule. */
export const specialDayList = ({ named, cleared, rules }: SpecialDays): NamedDay[] => {
  const names = new Map<string, string>();
  for (const { dates, name } of [...rules].sort(byStrength))
    for (const date of dates) if (!names.has(date)) names.set(date, name);
  for (const date of cleared) names.delete(date);
  for (const { date, name } of namedDays({ named })) names.set(date, name);
  return [...names].map(([date, name]) => ({ date, name })).sort(byDate);
};

const isOfRule = ({ rules }: Pick<SpecialDays, 'rules'>, date: string): boolean =>
  rules.some(({ dates }) => dates.includes(date));

/** Whether a date has a name. */
export const isNamed = (days: SpecialDays, date: string): boolean =>
  days.named[date] !== undefined || (isOfRule(days, date) && !days.cleared.includes(date));

/** The names after a person named a date. */
const withName = (days: SpecialDays, date: string, name: string): SpecialDays => ({
  ...days,
  named: { ...days.named, [date]: name },
  cleared: days.cleared.filter(other => other !== date),
});

/** The names after a person removed the name of a date: no rule names it either, until a person does. */
const withoutName = (days: SpecialDays, date: string): SpecialDays => {
  const { [date]: _, ...named } = days.named;
  const others = days.cleared.filter(other => other !== date);
  return { ...days, named, cleared: isOfRule(days, date) ? [...others, date].sort() : others };
};

/** The names under other rules. A removed name is forgotten with the last rule of its date. */
const withRules = (
  days: SpecialDays,
  rules: readonly AppliedRule[],
  followed = days.followed,
): SpecialDays => {
  const dates = new Set(rules.flatMap(rule => rule.dates));
  return { ...days, rules, cleared: days.cleared.filter(date => dates.has(date)), followed };
};

/** The names after a rule applies; it takes the place of the rule with its id. */
const withRule = (days: SpecialDays, rule: AppliedRule, followed?: number): SpecialDays => {
  const isKnown = days.rules.some(({ ruleId }) => ruleId === rule.ruleId);
  const rules = isKnown
    ? days.rules.map(other => (other.ruleId === rule.ruleId ? rule : other))
    : [...days.rules, rule];
  return withRules(days, rules, followed);
};

/** The names after a rule no longer applies. */
const withoutRule = (days: SpecialDays, ruleId: string, followed?: number): SpecialDays =>
  withRules(
    days,
    days.rules.filter(rule => rule.ruleId !== ruleId),
    followed,
  );

/** Events of a source about the rules that name its dates. */
export type AppliedRuleEvent =
  /** `followed`: the revision of `calendar-{tenant}` of a rule for labels; absent for a rule of the source. */
  | {
      readonly type: 'CalendarRuleApplied';
      readonly data: { readonly requestId: string; readonly rule: AppliedRule; readonly followed?: number };
    }
  | {
      readonly type: 'CalendarRuleWithdrawn';
      readonly data: { readonly requestId: string; readonly ruleId: string; readonly followed?: number };
    };

/** An event that changes names of dates. */
export type NamingEvent =
  | {
      readonly type: 'SpecialDayNamed';
      readonly data: { readonly requestId: string; readonly date: string; readonly name: string };
    }
  | {
      readonly type: 'SpecialDayCleared';
      readonly data: { readonly requestId: string; readonly date: string };
    }
  | AppliedRuleEvent;

/** The names after an event. */
export const renamed = (days: SpecialDays, { type, data }: NamingEvent): SpecialDays => {
  switch (type) {
    case 'SpecialDayNamed':
      return withName(days, data.date, data.name);
    case 'SpecialDayCleared':
      return withoutName(days, data.date);
    case 'CalendarRuleApplied':
      return withRule(days, data.rule, data.followed);
    case 'CalendarRuleWithdrawn':
      return withoutRule(days, data.ruleId, data.followed);
  }
};
