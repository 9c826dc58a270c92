import { ownCalendarRule, ownSource } from '../../../application/requests/access.js';
import { InvalidInput } from '../../../application/requests/imports/faults.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { inTurns, runSteps } from '../../../application/ports/sharing/turns.js';
import { requireNotParked } from '../../../application/reading/parking.js';
import type { Clock, Deciding, Following, Service } from '../../../application/requests/service.js';
import {
  deleteCalendarRule,
  previewedRule,
  replacedRule,
  ruleTimes,
  saveCalendarRule,
  type RuleDraft,
  type RulePlace,
  type RuleTimes,
} from '../../../application/requests/useCases/changePlan.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { ruleDatesMax } from '../../../domain/planning/calendarRules.js';
import { streams } from '../../../domain/streams.js';
import type { CalendarRuleRecord } from '../../../projections/calendarRules.js';
import { fileDates, fileLimits } from '../../iCalendar/calendarFile.js';
import { knownDate, parseRuleText, recurrenceDates, RecurrenceInvalid } from '../../iCalendar/recurrence.js';
import { clockOf } from '../../timeZones.js';
import { inPlace } from '../answers/largeAnswer.js';
import { wholeBody, type ReadBody } from '../body.js';
import { ok, json, route, type Answer, type Call, type Route } from '../route.js';
import {
  calendarRuleSchema,
  calendarRulesSchema,
  deletedRuleSchema,
  importedRuleQuery,
  newRuleQuery,
  newRuleSchema,
  nextDatesMax,
  ruleListQuery,
  ruleParams,
} from '../schemas/calendarRule.js';
import { labelsOf } from '../schemas/description.js';

const scope = 'planning';

/** Routes of calendar rules, which name special days of sources. */
export const calendarRuleRoutes = (
  service: Deciding & Following & Clock & Pick<Service, 'calendars' | 'largeAnswers' | 'turns'>,
  bodies: ReadBody,
): readonly Route[] => [
  createRule(service),
  importRule(service, bodies),
  listRules(service),
  getRule(service),
  deleteRule(service),
];

const savedAnswers = {
  200: { description: 'A preview: nothing was stored', schema: calendarRuleSchema },
  201: { description: 'The rule with its next dates', schema: calendarRuleSchema },
};

const createRule = (service: Deciding & Following & Clock & Pick<Service, 'calendars' | 'turns'>): Route =>
  route({
    at: 'POST /v1/calendar-rule/create',
    operationId: 'createCalendarRule',
    summary:
      'Name the dates of a recurrence rule special days of a source, or of all sources with some labels',
    scope,
    query: newRuleQuery,
    body: json(newRuleSchema),
    answers: savedAnswers,
    problems: ['sourceNotFound', 'calendarInvalid', 'tooManyCalendarRules'],
    run: async call => {
      const { sourceId, labels, name, rule } = call.body;
      const place = placeOf({ sourceId, labels }, 'bodyInvalid', '');
      const yieldToEventLoop = service.turns.yielderFor(call.actor.tenant, call.signal);
      const times = await ruleTimes(service, call, place, yieldToEventLoop);
      const since = knownDate(rule, replacedRule(service, call, place, name)) ?? times.today;
      const dates = await datesOfRule(rule, { window: times.window, since }, yieldToEventLoop);
      const draft = { name, rule, ...times.window, dates };
      return answered(service, call, place, { draft, times });
    },
  });

/** Memory of a calendar file: its bytes, its text and its events. */
const fileMemory = { ofByte: 8, most: 8 * fileLimits.bytesMax };

const importRule = (
  service: Deciding & Following & Clock & Pick<Service, 'calendars' | 'turns'>,
  bodies: ReadBody,
): Route =>
  route({
    at: 'POST /v1/calendar-rule/import',
    operationId: 'importCalendarRule',
    summary:
      'Name the dates of an iCalendar file special days of a source, or of all sources with some labels',
    scope,
    query: importedRuleQuery,
    body: { kind: 'iCalendar', bytesMax: fileLimits.bytesMax },
    answers: savedAnswers,
    problems: ['sourceNotFound', 'calendarInvalid', 'tooManyCalendarRules'],
    run: async call => {
      const { sourceId, label, name } = call.query;
      const given = { sourceId, labels: label && labelsOf(label) };
      const place = placeOf(given, 'parametersInvalid', '/query');
      const yieldToEventLoop = service.turns.yielderFor(call.actor.tenant, call.signal);
      const times = await ruleTimes(service, call, place, yieldToEventLoop);
      const { window, today, timeZone } = times;
      const rule = { window, today, clock: clockOf(timeZone) ?? utcClock, yieldToEventLoop };
      const dates = await bodies(
        call,
        bytes => wholeBody(bytes, fileLimits.bytesMax),
        file => fileDates(file, rule),
        fileMemory,
      );
      return answered(service, call, place, { draft: { name, rule: null, ...window, dates }, times });
    },
  });

const listRules = (service: Clock & Pick<Service, 'models' | 'largeAnswers' | 'turns'>): Route =>
  route({
    at: 'GET /v1/calendar-rule/list',
    operationId: 'listCalendarRules',
    summary: 'List the rules of the tenant that name special days, or those that apply to a source',
    scope: 'read',
    query: ruleListQuery,
    answers: ok('The rules, by name', calendarRulesSchema),
    problems: ['sourceNotFound'],
    run: call =>
      inPlace(service, call, () => {
        const { models } = service;
        const { tenant } = call.actor;
        requireNotParked(models, streams.calendar(tenant));
        const { sourceId } = call.query;
        const rules =
          sourceId === undefined ? models.calendarRules.list(tenant) : rulesOf(models, call.actor, sourceId);
        const yieldToEventLoop = service.turns.yielderFor(tenant, call.signal);
        const shown = inTurns(rules, rule => shownRule(rule, todayOf(service, rule)), yieldToEventLoop);
        return { status: 200, body: { rules: shown } };
      }),
  });

const getRule = (service: Clock & Pick<Service, 'models'>): Route =>
  route({
    at: 'GET /v1/calendar-rule/{rule_id}',
    operationId: 'getCalendarRule',
    summary: 'Get one rule',
    scope: 'read',
    params: ruleParams,
    answers: ok('The rule', calendarRuleSchema),
    problems: ['calendarRuleNotFound'],
    result: async ({ actor, params }) => {
      const rule = ownCalendarRule(service.models, actor, params.rule_id);
      return shownRule(rule, todayOf(service, rule));
    },
  });

const deleteRule = (service: Deciding & Following & Pick<Service, 'calendars'>): Route =>
  route({
    at: 'DELETE /v1/calendar-rule/{rule_id}',
    operationId: 'deleteCalendarRule',
    summary: 'Delete a rule: its dates lose its name',
    scope,
    params: ruleParams,
    answers: ok('The rule was deleted', deletedRuleSchema),
    problems: ['calendarRuleNotFound'],
    result: async call => {
      const id = call.params.rule_id;
      await deleteCalendarRule(service, call, id);
      return { id };
    },
  });

/** Rules that apply to a source: its own, and those for its labels. */
const rulesOf = (
  models: Service['models'],
  actor: Call<unknown, unknown, unknown>['actor'],
  sourceId: number,
): readonly CalendarRuleRecord[] => {
  ownSource(models, actor, sourceId);
  const applied = new Set(models.planning.namesOf(sourceId).rules.map(({ ruleId }) => ruleId));
  return models.calendarRules.ofSource(actor.tenant, sourceId).filter(({ ruleId }) => applied.has(ruleId));
};

/** The present date by the clock of the source of a rule. */
const todayOf = (
  service: Clock & Pick<Service, 'models'>,
  { sourceId }: Pick<CalendarRuleRecord, 'sourceId'>,
): string => {
  const setup = sourceId === null ? undefined : service.models.sources.setup(sourceId);
  return dateOf(dayNumber(service.tomorrowIn(setup?.timeZone ?? 'UTC', service.now())) - 1);
};

/** A rule for an answer. */
const shownRule = (rule: RuleDraft & Partial<CalendarRuleRecord>, today: string): object => {
  const { ruleId = null, savedAt = null, sourceId = null, labels = null, dates } = rule;
  const { name, rule: text, from, to } = rule;
  return {
    ...{ id: ruleId, name, sourceId, labels, rule: text, from, to, dateCount: dates.length },
    dates: dates.filter(date => date >= today).slice(0, nextDatesMax),
    savedAt,
  };
};

/** Saves a rule and answers it, or answers its preview. */
const answered = async (
  service: Deciding & Following & Pick<Service, 'calendars'>,
  call: Call<unknown, { readonly preview?: boolean }, unknown>,
  place: RulePlace,
  { draft, times: { today } }: { readonly draft: RuleDraft; readonly times: RuleTimes },
): Promise<Answer> => {
  const shown = (rule: Parameters<typeof shownRule>[0]): object => {
    const earlierDates = rule.dates.filter(date => date < draft.dates[0]!).length;
    return { ...shownRule(rule, today), ...(earlierDates > 0 && { earlierDates }) };
  };
  if (call.query.preview === true)
    return { status: 200, body: shown({ ...previewedRule(service, call, place, draft), ...place }) };
  const saved = await saveCalendarRule(service, call, place, draft);
  const headers = { Location: `/v1/calendar-rule/${saved.ruleId}` };
  return { status: 201, headers, body: shown(saved) };
};

/** The place of a rule. @throws InvalidInput unless one of both is given */
const placeOf = (
  {
    sourceId,
    labels,
  }: {
    readonly sourceId: number | undefined;
    readonly labels: Readonly<Record<string, string>> | undefined;
  },
  code: 'bodyInvalid' | 'parametersInvalid',
  at: string,
): RulePlace => {
  if (sourceId !== undefined && labels === undefined) return { sourceId };
  if (sourceId === undefined && labels && Object.keys(labels).length > 0) return { labels };
  const got = sourceId === undefined ? 'neither a source nor labels' : 'a source and labels';
  const where = at === '' ? 'body' : 'query';
  throw new InvalidInput(code, `the ${where} is not valid`, [
    { code: 'place', pointer: `${at}/sourceId`, detail: `got ${got}, expected one of them` },
  ]);
};

/** The dates of a rule. `since` is today, or a date that it has already. @throws InvalidInput `calendarInvalid` */
const datesOfRule = async (
  text: string,
  { window, since }: Pick<RuleTimes, 'window'> & { readonly since: string },
  yieldToEventLoop: () => Promise<void> | undefined,
): Promise<readonly string[]> => {
  const refused = (code: string, detail: string): InvalidInput =>
    new InvalidInput('calendarInvalid', 'the rule cannot be used: nothing was stored', [
      { code, pointer: '/rule', detail },
    ]);
  const { from, to } = window;
  try {
    const dates = await runSteps(recurrenceDates(parseRuleText(text), window, since), yieldToEventLoop);
    if (dates.length > 0 && dates.length <= ruleDatesMax) return dates;
    throw dates.length === 0
      ? refused('noDates', `got no date from ${from} to ${to}, expected at least one`)
      : refused(
          'tooManyDates',
          `got more than ${ruleDatesMax} dates from ${from} to ${to}, expected at most ${ruleDatesMax}`,
        );
  } catch (error) {
    if (error instanceof RecurrenceInvalid) throw refused(error.code, error.message);
    throw error;
  }
};
