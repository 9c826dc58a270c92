import { dateOf, dayNumber, year } from '../../../domain/dates.js';
import { calendar, withEarlierDates } from '../../../domain/planning/calendarRules.js';
import type { CalendarRule } from '../../../domain/planning/specialDays.js';
import { Rejection } from '../../../domain/rejection.js';
import type { LeftOutCommand } from '../../../domain/source/leftOutDays.js';
import { source } from '../../../domain/source/source.js';
import { streams } from '../../../domain/streams.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { CalendarRuleRecord } from '../../../projections/calendarRules.js';
import { type CommandMetadata, derivedId } from '../../commands/commandHandler.js';
import { requireNotParked } from '../../reading/parking.js';
import { requireCapacity, type Requester, changedSource, ownCalendarRule } from '../access.js';
import { checkOf, type Checked, type Deciding, type Following, type Service } from '../service.js';

/** One date of a source. */
export type SourceDate = { readonly sourceId: number; readonly date: string };

/** A change of what one date is planned by. */
export type PlanChange =
  | { readonly type: 'PlanDay'; readonly modelId: number }
  | { readonly type: 'NameSpecialDay'; readonly name: string }
  | { readonly type: 'ClearDayPlan' | 'ClearSpecialDay' };

/**
 * Changes what one date is planned by, and waits for the check of its day: a model that a person chose, or the name of
 * a special day, with whose days it is planned.
 */
export const changePlan = async (
  service: Deciding & Following,
  requester: Requester,
  { sourceId, date }: SourceDate,
  change: PlanChange,
): Promise<Checked> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const command = { ...change, requestId: metadata.id, date };
  const { events } = await service.handle(source, streams.source(sourceId), command, metadata);
  return checkOf(service, events[0]?.id);
};

/** Runs a command about a reference day. @throws Rejection `sourceNotFound`, `referenceDayNotFound` */
const change = async (
  service: Deciding & Following,
  requester: Requester,
  { sourceId, date }: SourceDate,
  commandOf: (metadata: CommandMetadata) => Promise<LeftOutCommand>,
): Promise<void> => {
  requireCapacity(service, requester.actor);
  changedSource(service.models, requester, sourceId);
  if (!service.models.days.hasReference(sourceId, date))
    throw new Rejection('referenceDayNotFound', `source ${sourceId} has no reference day on ${date}`);
  const metadata = await requester.begin();
  await service.handle(source, streams.source(sourceId), await commandOf(metadata), metadata);
  await service.caughtUp();
};

/**
 * Leaves a reference day out of learning, from the next reset on. The reason is encrypted before it is stored.
 * @throws Rejection `sourceNotFound`, `referenceDayNotFound`, `tooFewReferenceDays`
 */
export const leaveOutDay = (
  service: Deciding & Following & Pick<Service, 'people'>,
  requester: Requester,
  place: SourceDate,
  reason: string,
): Promise<void> =>
  change(service, requester, place, async ({ id: requestId }) => ({
    type: 'LeaveOutReferenceDay',
    requestId,
    date: place.date,
    reason: await service.people.sealed(requester.actor, reason),
  }));

/**
 * Takes the leaving-out of a reference day back: the next reset learns from it again.
 * @throws Rejection `sourceNotFound`, `referenceDayNotFound`
 */
export const takeBackLeavingOut = (
  service: Deciding & Following,
  requester: Requester,
  place: SourceDate,
): Promise<void> =>
  change(service, requester, place, async ({ id: requestId }) => ({
    type: 'TakeBackLeavingOut',
    requestId,
    date: place.date,
  }));

/** Where a rule applies: one source, or all sources with some labels. */
export type RulePlace = { readonly sourceId: number } | { readonly labels: Readonly<Record<string, string>> };

/** The rule that a person wants. */
export type RuleDraft = Omit<CalendarRule, 'ruleId'>;

/** Years of the window of a rule: at least before this one, at most before it, and after it. */
const yearsBefore = 3;
const yearsBeforeMax = 20;
const yearsAfter = 5;

/** The window of a rule, the present date by the clock of its place, and that clock's time zone. */
export type RuleTimes = {
  readonly window: Pick<CalendarRule, 'from' | 'to'>;
  readonly today: string;
  readonly timeZone: string;
};

/**
 * The window for the dates of a rule: whole years from the earliest reference of its sources to five years from now.
 * A rule for labels has the clock of UTC.
 * @throws Rejection `sourceNotFound`
 */
export const ruleTimes = async (
  { models, now, tomorrowIn }: Pick<Service, 'models' | 'now' | 'tomorrowIn'>,
  requester: Pick<Requester, 'actor' | 'hasKey'>,
  place: RulePlace,
  yieldToEventLoop: () => Promise<void> | undefined,
): Promise<RuleTimes> => {
  const setups: SourceSetup[] = [];
  if ('sourceId' in place) setups.push(changedSource(models, requester, place.sourceId));
  else
    for (const id of models.sources.presentIds(requester.actor.tenant)) {
      const setup = models.sources.setup(id);
      const labels = Object.entries(place.labels);
      if (setup && labels.every(([key, value]) => setup.labels[key] === value)) setups.push(setup);
      await yieldToEventLoop();
    }
  const timeZone = 'sourceId' in place ? (setups[0]?.timeZone ?? 'UTC') : 'UTC';
  const today = dateOf(dayNumber(tomorrowIn(timeZone, now())) - 1);
  const thisYear = year(dayNumber(today));
  const first = setups.reduce(
    (least, { reference }) => Math.min(least, year(dayNumber(reference.from))),
    thisYear - yearsBefore,
  );
  const from = Math.max(first, thisYear - yearsBeforeMax);
  return {
    window: { from: `${from}-01-01`, to: `${thisYear + yearsAfter}-12-31` },
    today,
    timeZone,
  };
};

/** Whether a rule has a name and is of a source itself, or for just these labels. */
const isNamesake =
  (place: RulePlace, name: string) =>
  (rule: { readonly name: string; readonly labels?: Readonly<Record<string, string>> | null }): boolean => {
    if (rule.name !== name || 'sourceId' in place) return rule.name === name && !rule.labels;
    const wanted = Object.entries(place.labels);
    const { labels } = rule;
    return (
      Boolean(labels) &&
      Object.keys(labels ?? {}).length === wanted.length &&
      wanted.every(([key, value]) => labels?.[key] === value)
    );
  };

/** A rule as it would be saved now. */
export const previewedRule = (
  { models }: Pick<Service, 'models'>,
  { actor }: Pick<Requester, 'actor'>,
  place: RulePlace,
  draft: RuleDraft,
): RuleDraft => withEarlierDates(draft, replacedRule({ models }, { actor }, place, draft.name));

/** The rule whose place a rule with a name takes; undefined for none. */
export const replacedRule = (
  { models }: Pick<Service, 'models'>,
  { actor }: Pick<Requester, 'actor'>,
  place: RulePlace,
  name: string,
): CalendarRule | undefined => {
  const rules =
    'sourceId' in place
      ? models.calendarRules.ofSource(actor.tenant, place.sourceId)
      : (models.calendarRules.calendarOf(actor.tenant)?.rules ?? []);
  return rules.find(isNamesake(place, name));
};

/** Saves a rule of a source and waits for the check of its days. */
const saveForSource = async (
  service: Deciding & Pick<Service, 'waiters'>,
  requester: Requester,
  sourceId: number,
  draft: RuleDraft,
): Promise<CalendarRuleRecord> => {
  changedSource(service.models, requester, sourceId);
  const metadata = await requester.begin();
  const rule = { ...draft, ruleId: derivedId('calendarRule', metadata.id) };
  const command = { type: 'ApplyCalendarRule', requestId: metadata.id, rule } as const;
  const { events, state } = await service.handle(source, streams.source(sourceId), command, metadata);
  await checkOf(service, events[0]?.id);
  const rules = state.status === 'absent' ? [] : state.specials.rules;
  const saved = rules.find(isNamesake({ sourceId }, draft.name));
  return ownCalendarRule(service.models, requester.actor, saved?.ruleId ?? rule.ruleId);
};

/** Saves a rule for labels and applies it to the sources that have them. */
const saveForLabels = async (
  service: Deciding & Pick<Service, 'calendars'>,
  requester: Requester,
  labels: Readonly<Record<string, string>>,
  draft: RuleDraft,
): Promise<CalendarRuleRecord> => {
  const { tenant } = requester.actor;
  requireNotParked(service.models, streams.calendar(tenant));
  const metadata = await requester.begin();
  const rule = { ...draft, labels, ruleId: derivedId('calendarRule', metadata.id) };
  const command = { type: 'SaveCalendarRule', requestId: metadata.id, rule } as const;
  const { state } = await service.handle(calendar, streams.calendar(tenant), command, metadata);
  await service.caughtUp();
  await service.calendars.follow(tenant);
  const saved = state.rules.find(isNamesake({ labels }, draft.name));
  return ownCalendarRule(service.models, requester.actor, saved?.ruleId ?? rule.ruleId);
};

/**
 * Saves a rule. It takes the place of the one with its name at the same place.
 * @throws Rejection `sourceNotFound`, `tooManyCalendarRules`
 */
export const saveCalendarRule = (
  service: Deciding & Following & Pick<Service, 'calendars'>,
  requester: Requester,
  place: RulePlace,
  draft: RuleDraft,
): Promise<CalendarRuleRecord> => {
  requireCapacity(service, requester.actor);
  return 'sourceId' in place
    ? saveForSource(service, requester, place.sourceId, draft)
    : saveForLabels(service, requester, place.labels, draft);
};

/**
 * Deletes a rule; its dates lose its name.
 * @throws Rejection `calendarRuleNotFound`
 */
export const deleteCalendarRule = async (
  service: Deciding & Following & Pick<Service, 'calendars'>,
  requester: Requester,
  ruleId: string,
): Promise<void> => {
  const { models } = service;
  const { tenant } = requester.actor;
  requireCapacity(service, requester.actor);
  // A retry may come after the rule was deleted.
  if (!requester.hasKey) ownCalendarRule(models, requester.actor, ruleId);
  const metadata = await requester.begin();
  if (metadata.isRetry && !models.calendarRules.one(tenant, ruleId)) return;
  const { sourceId } = ownCalendarRule(models, requester.actor, ruleId);
  const named = { requestId: metadata.id, ruleId };
  if (sourceId === null) {
    const command = { type: 'DeleteCalendarRule', ...named } as const;
    await service.handle(calendar, streams.calendar(tenant), command, metadata);
    await service.caughtUp();
    return service.calendars.follow(tenant);
  }
  const command = { type: 'WithdrawCalendarRule', ...named } as const;
  const { events } = await service.handle(source, streams.source(sourceId), command, metadata);
  await checkOf(service, events[0]?.id);
};
