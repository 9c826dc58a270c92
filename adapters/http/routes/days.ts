import {
  changedSource,
  ownSource,
  ownSourceOrArchived,
  type Requester,
} from '../../../application/requests/access.js';
import type { Deciding, Following, Service } from '../../../application/requests/service.js';
import {
  leaveOutDay,
  takeBackLeavingOut,
  changePlan,
  type PlanChange,
  type SourceDate,
} from '../../../application/requests/useCases/changePlan.js';
import { takeDayBack } from '../../../application/requests/useCases/importDays.js';
import { dayAfter } from '../../../domain/dates.js';
import { sourceAsOf } from '../asOfQuery.js';
import {
  json,
  ok,
  route,
  type BodyKind,
  type BodyOf,
  type Names,
  type NoBody,
  type Route,
} from '../route.js';
import {
  asOfQuery,
  dateParams,
  yearParams,
  dateSchema,
  nullable,
  sourceIdSchema,
  exampleProfile,
  described,
  integer,
  number,
} from '../schemas/common.js';
import {
  dayYearSchema,
  takeBackQuery,
  takenBackAnswers,
  leaveOutAnswers,
  leaveOutBody,
  referenceLeftOutField,
  earlierDaySchema,
  storedDaySchema,
  calendarYearSchema,
  specialDaySchema,
} from '../schemas/day.js';
import { alertChanges, unchangedAlerts, checkedAnswer } from '../answers/alertChanges.js';
import { dayAnswer, dayYear, leftOutOn, plannedYear, planAnswer, shownDay } from '../answers/dayAnswer.js';
import { overrideSchema, planningYearSchema, dayPlanSchema, modelSchema } from '../schemas/model.js';
import Type, { type TSchema } from '../typebox.js';
import { wholeAnswer, type LargeParts, type LargeService } from '../answers/largeAnswer.js';
import { planChangeAnswers } from '../schemas/modelChanges.js';
import { drawnAlertSchema } from '../schemas/alert.js';
import { limitLevelsSchema } from '../schemas/deviation.js';
import { explainedFactsSchema } from '../schemas/covariate.js';

const percentile = (description: string, share: number) =>
  Type.Array(nullable(Type.Number()), { description, examples: [exampleProfile(share)] });

const usualSchema = described(
  'UsualRange',
  'Where nine of ten comparable days were, slice by slice: at most 60 reference days of the planned model, and the ' +
    'ordinary recent days that were planned with it in the eight weeks before.',
  {
    low: percentile('5th percentile; null for a slice that fewer than ten of the days have.', -0.1),
    high: percentile('95th percentile.', 0.1),
    days: integer('Number of comparable days.', 64),
  },
);

const axisSchema = described('ValueAxis', 'Values that the charts of all dates of the source begin with.', {
  low: Type.Number({ examples: [0] }),
  high: Type.Number({ examples: [400] }),
});

const dayDetailsSchema = described('DayDetails', 'All data of the chart of one date.', {
  sourceId: sourceIdSchema,
  date: dateSchema,
  sliceMinutes: Type.Integer({ examples: [60] }),
  day: nullable(storedDaySchema),
  ...referenceLeftOutField,
  planning: dayPlanSchema,
  plannedModel: nullable(modelSchema, {
    description: 'As expected on the date: moved by the sources that explain this one.',
  }),
  explainedBy: Type.Optional(explainedFactsSchema),
  limits: limitLevelsSchema,
  expectedByDaysBefore: nullable(Type.Array(Type.Number(), { examples: [exampleProfile(0.05)] }), {
    description: 'The planned profile at the level of the fortnight before; null with fewer than three days.',
  }),
  expectedTotal: Type.Optional(number('Total to expect of a date in progress; absent for means.', 1250)),
  expectedRest: Type.Optional(number('The part of expectedTotal that has not come.', 700)),
  usual: nullable(usualSchema, { description: 'null with fewer than ten comparable days.' }),
  axis: nullable(axisSchema, { description: 'null without models.' }),
  closestModel: nullable(modelSchema),
  betterModel: nullable(modelSchema, { examples: [null] }),
  alerts: Type.Array(drawnAlertSchema, { description: 'Alerts that are not invalidated.' }),
  daysBefore: Type.Array(earlierDaySchema, { maxItems: 7, description: 'Recent days of the week before.' }),
  weekdaysBefore: Type.Array(earlierDaySchema, {
    maxItems: 4,
    description: 'The same weekday of the four weeks before.',
  }),
});

/**
 * A read of one year of a source, now or as of a moment.
 * @param read returns the body of the answer
 */
const yearRoute = (
  service: LargeService,
  {
    description,
    schema,
    read,
    ...names
  }: Names & {
    readonly description: string;
    readonly schema: TSchema;
    /** Lists of the body may be async iterables. */
    readonly read: (parts: LargeParts, sourceId: number, year: number) => unknown;
  },
): Route =>
  route({
    ...names,
    scope: 'read',
    params: yearParams,
    query: asOfQuery,
    answers: { 200: { description, schema } },
    run: async call => {
      const { source_id: sourceId, year } = call.params;
      return wholeAnswer(
        service,
        call,
        () => [ownSourceOrArchived(service.models, call.actor, sourceId).id],
        parts => {
          ownSource(parts.service.models, call.actor, sourceId);
          return { status: 200, body: read(parts, sourceId, year) };
        },
      );
    },
  });

/** A change that may alter the plan of one date. The day of that date is checked again. */
const planChangeRoute = <Body extends BodyKind = NoBody>(
  service: Deciding & Following,
  {
    changeOf,
    ...names
  }: Names & { readonly body?: Body; readonly changeOf: (body: NoInfer<BodyOf<Body>>) => PlanChange },
): Route =>
  route({
    ...names,
    scope: 'planning',
    params: dateParams,
    answers: planChangeAnswers,
    run: async call => {
      const { id: sourceId } = changedSource(service.models, call, call.params.source_id);
      const place = { sourceId, date: call.params.date };
      return planAnswer(
        service,
        call.actor,
        place,
        await changePlan(service, call, place, changeOf(call.body)),
      );
    },
  });

/** Routes that read and change the planning. */
export const planningRoutes = (service: LargeService & Deciding & Following): readonly Route[] => [
  yearRoute(service, {
    at: 'GET /v1/planning/list/{source_id}/{year}',
    operationId: 'listPlanning',
    summary: 'List the planned model of each date of a year',
    description: 'The planning, with the reason for each date',
    schema: planningYearSchema,
    read: plannedYear,
  }),
  planChangeRoute(service, {
    at: 'PUT /v1/planning/{source_id}/{date}',
    operationId: 'planDay',
    summary: 'Override the planned model of a date',
    body: json(overrideSchema),
    problems: ['modelNotFound', 'tooManyOverrides'],
    changeOf: ({ modelId }) => ({ type: 'PlanDay', modelId }),
  }),
  planChangeRoute(service, {
    at: 'DELETE /v1/planning/{source_id}/{date}',
    operationId: 'clearDayPlan',
    summary: 'Remove the override of a date',
    changeOf: () => ({ type: 'ClearDayPlan' }),
  }),
];

/** Routes of the calendar of a source: holidays and special days. */
export const calendarRoutes = (service: LargeService & Deciding & Following): readonly Route[] => [
  yearRoute(service, {
    at: 'GET /v1/calendar/list/{source_id}/{year}',
    operationId: 'listCalendar',
    summary: 'List public holidays, bridge days, days around Christmas and special days of a year',
    description: 'The days that are not ordinary, by date',
    schema: calendarYearSchema,
    read: ({ service: { models } }, sourceId, year) => models.planning.calendar(sourceId, year),
  }),
  planChangeRoute(service, {
    at: 'PUT /v1/calendar/{source_id}/{date}',
    operationId: 'nameSpecialDay',
    summary: 'Name a date a special day, which is planned like other days of that name',
    body: json(specialDaySchema),
    problems: ['tooManySpecialDays'],
    changeOf: ({ name }) => ({ type: 'NameSpecialDay', name }),
  }),
  planChangeRoute(service, {
    at: 'DELETE /v1/calendar/{source_id}/{date}',
    operationId: 'clearSpecialDay',
    summary: 'Remove the name of a special day',
    changeOf: () => ({ type: 'ClearSpecialDay' }),
  }),
];

const takeBack = (service: Deciding & Following & Pick<Service, 'people'>): Route =>
  route({
    at: 'DELETE /v1/day/{source_id}/{date}',
    operationId: 'takeDayBack',
    summary: 'Take back the recent day of a date; the reference day of the date, if any, shows again',
    scope: 'import',
    params: dateParams,
    query: takeBackQuery,
    answers: takenBackAnswers,
    problems: ['dayNotFound'],
    run: async call => {
      const { actor, params, query } = call;
      const { id: sourceId } = changedSource(service.models, call, params.source_id);
      const place = { sourceId, date: params.date };
      const { causeId, checked } = await takeDayBack(service, call, place, query.reason ?? null);
      const alerts =
        causeId === undefined ? unchangedAlerts(service, actor, place) : alertChanges(service, causeId);
      const [day = null] = service.models.days.between(
        sourceId,
        'reference',
        place.date,
        dayAfter(place.date),
      );
      return checkedAnswer(checked, `/v1/source/${sourceId}`, {
        ...place,
        day: day && shownDay(day),
        alerts,
      });
    },
  });

/** A change of whether a reference day is left out. */
const leavingOutRoute = <Body extends BodyKind = NoBody>(
  service: Pick<Service, 'models'>,
  {
    change,
    ...names
  }: Names & {
    readonly body?: Body;
    /** Runs the use case. */
    readonly change: (requester: Requester, date: SourceDate, body: NoInfer<BodyOf<Body>>) => Promise<void>;
  },
): Route =>
  route({
    ...names,
    scope: 'model',
    params: dateParams,
    answers: leaveOutAnswers,
    result: async call => {
      const place = { sourceId: call.params.source_id, date: call.params.date };
      await change(call, place, call.body);
      return { ...place, ...leftOutOn(service, place) };
    },
  });

/** Routes that read the days of a source, leave them out of the reference and take imported ones back. */
export const dayRoutes = (
  service: LargeService & Deciding & Following & Pick<Service, 'people'>,
): readonly Route[] => [
  takeBack(service),
  leavingOutRoute(service, {
    at: 'POST /v1/day/{source_id}/{date}/leave-out',
    operationId: 'leaveOutDay',
    summary: 'Leave the reference day of a date out of learning, from the next models on',
    body: json(leaveOutBody),
    problems: ['referenceDayNotFound', 'tooFewReferenceDays'],
    change: (requester, place, { reason }) => leaveOutDay(service, requester, place, reason),
  }),
  leavingOutRoute(service, {
    at: 'POST /v1/day/{source_id}/{date}/take-back',
    operationId: 'takeBackLeavingOut',
    summary: 'Take back that the reference day of a date is left out',
    problems: ['referenceDayNotFound'],
    change: (requester, place) => takeBackLeavingOut(service, requester, place),
  }),
  yearRoute(service, {
    at: 'GET /v1/day/list/{source_id}/{year}',
    operationId: 'listDays',
    summary: 'List the days of a year; a recent day replaces the reference day of its date',
    description: 'The days, by date',
    schema: dayYearSchema,
    read: dayYear,
  }),
  route({
    at: 'GET /v1/day/{source_id}/{date}',
    operationId: 'getDay',
    summary: 'Get one date with all data of its chart',
    scope: 'read',
    params: dateParams,
    query: asOfQuery,
    answers: ok('The date', dayDetailsSchema),
    result: async call => {
      const { source_id: sourceId, date } = call.params;
      const serviceThen = await sourceAsOf(service, call, sourceId);
      return dayAnswer(serviceThen, ownSource(serviceThen.models, call.actor, sourceId), date);
    },
  }),
];
