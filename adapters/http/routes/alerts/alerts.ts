import { shownModel } from '../../../../domain/planning/planTexts.js';
import { authorOf } from '../../../../application/ports/people.js';
import { ownAlert } from '../../../../application/requests/access.js';
import type { Service } from '../../../../application/requests/service.js';
import { alertAsOf, type AsOfService } from '../../asOfQuery.js';
import { ok, route, type Route, type Call } from '../../route.js';
import {
  alertHistorySchema,
  alertParams,
  drawnAlertSchema,
  alertSchema,
  alertPageSchema,
} from '../../schemas/alert.js';
import {
  asOfQuery,
  authorFields,
  dateSchema,
  instantSchema,
  nullable,
  strict,
  asOfSchema,
  stepFields,
  named,
  text,
  object,
  described,
  number,
} from '../../schemas/common.js';
import { inPlace, type LargeService } from '../../answers/largeAnswer.js';
import { drawnAlert } from '../../answers/dayAnswer.js';
import { explainAlert } from '../../../../application/requests/history/explainAlert.js';
import Type, { type Static } from '../../typebox.js';
import {
  boundsSchema,
  choiceSchema,
  learnedFields,
  leftOutSchema,
  modelSchema,
  dayPlanFields,
} from '../../schemas/model.js';
import { labelOf } from '../../schemas/description.js';
import * as alertQuery from './alertQuery.js';

const linkSchema = named('EventLink', {
  eventId: stepFields.eventId,
  stream: Type.String({ examples: ['alerts-12'] }),
  revision: Type.Integer({ minimum: 0, examples: [7] }),
  position: text('Position in the log.', '412'),
  type: Type.String({ examples: ['AlertRaised'] }),
  at: instantSchema,
  ...authorFields,
  cause: stepFields.cause,
  hash: nullable(text('Hash of the event, as in an export.', '5f'.repeat(32))),
});

const parametersSchema = named('AnalysisParameters', {
  engine: text('Name and version of the analysis.', 'daybook-calendar/8'),
  seed: Type.Integer({ examples: [1] }),
  modelCount: Type.Integer({ examples: [3] }),
  bounds: boundsSchema,
  choice: choiceSchema,
  hitRate: learnedFields.hitRate,
  calendar: learnedFields.calendar,
});

const usedModelsSchema = object({
  version: Type.Integer({ examples: [1] }),
  origin: Type.Enum(['automatic', 'custom']),
  event: linkSchema,
  request: nullable(linkSchema),
  parameters: nullable(parametersSchema),
});

const usedImportSchema = described(
  'UsedImport',
  'The import of the day. It took effect with its last part.',
  {
    id: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
    part: nullable(linkSchema, { description: 'The part with the day; null for a date without data.' }),
    last: linkSchema,
  },
);

const explanationSchema = named('Explanation', {
  alert: alertSchema,
  raised: linkSchema,
  check: object({
    event: linkSchema,
    cause: linkSchema,
    knownTo: text(
      'Position of the log that the check had read; reads with this asOf show the state that it used.',
      '411',
    ),
  }),
  import: nullable(usedImportSchema, {
    description: 'For a silence the last import before it; null without one.',
  }),
  planning: Type.Object(
    { ...dayPlanFields, event: nullable(linkSchema), specialDay: nullable(linkSchema) },
    { ...strict, description: 'The plan when the day was checked, and the event that decided it.' },
  ),
  plannedModel: nullable(modelSchema, { description: 'With the changes that people had accepted.' }),
  accepted: Type.Array(linkSchema, {
    description: 'Acceptances of the changes that moved it.',
    examples: [[]],
  }),
  models: nullable(usedModelsSchema, { description: 'null when the source had no models' }),
  reference: object({
    events: Type.Array(linkSchema),
    plannedModelDates: Type.Array(dateSchema, {
      description: 'Reference days that the date is planned by.',
    }),
    leftOut: leftOutSchema,
  }),
  since: Type.Array(linkSchema, { description: 'Later events of the alert.' }),
  people: Type.Array(Type.String(), {
    description: 'Names of the people behind these events; each event has its author and byKind.',
    examples: [['anna']],
  }),
});

/** The streams of a log up to a position: events that the read models do not have are no part of the answer. */
const logUpTo = ({ read }: Service['log'], end: bigint): Pick<Service['log'], 'read'> => ({
  read: async function* (...asked) {
    for await (const event of read(...asked)) {
      if (event.position > end) return;
      yield event;
    }
  },
});

/** Routes that explain an alert by its events. */
export const explanationRoutes = (service: AsOfService & Pick<Service, 'largeAnswers'>): readonly Route[] => [
  route({
    at: 'GET /v1/alert/{id}/explanation',
    operationId: 'explainAlert',
    summary:
      'Explain an alert: its check, import, planning, models, reference and people, each with its event',
    scope: 'read',
    params: alertParams,
    query: asOfQuery,
    answers: ok('All facts that led to the alert', explanationSchema),
    problems: ['alertNotFound'],
    run: call =>
      inPlace(service, call, async () => {
        const { actor, signal, params } = call;
        const { models } = await alertAsOf(service, call, params.id);
        const alert = ownAlert(models, actor, params.id);
        const log = logUpTo(service.log, models.checkpoint('readModels').position);
        const context = { tenant: actor.tenant, signal };
        const explanation = await explainAlert(log, service.asOf, alert, context);
        const { plannedModel } = explanation;
        return {
          status: 200,
          body: { ...explanation, plannedModel: plannedModel && shownModel(plannedModel) },
        };
      }),
  }),
];

/** Routes that read one alert and its history. */
export const alertRoutes = (service: AsOfService & Pick<Service, 'largeAnswers'>): readonly Route[] => [
  route({
    at: 'GET /v1/alert/{id}',
    operationId: 'getAlert',
    summary: 'Get an alert, with its broken limits as lines of a chart',
    scope: 'read',
    params: alertParams,
    query: asOfQuery,
    answers: ok('The alert', drawnAlertSchema),
    problems: ['alertNotFound'],
    result: async call => {
      const { id } = call.params;
      const serviceThen = await alertAsOf(service, call, id);
      return drawnAlert(serviceThen, ownAlert(serviceThen.models, call.actor, id));
    },
  }),
  route({
    at: 'GET /v1/alert/{id}/history',
    operationId: 'getAlertHistory',
    summary: 'List the events of an alert, oldest first',
    scope: 'read',
    params: alertParams,
    query: asOfQuery,
    answers: ok('The events', alertHistorySchema),
    problems: ['alertNotFound'],
    run: call =>
      inPlace(service, call, async () => {
        const serviceThen = await alertAsOf(service, call, call.params.id);
        const { id } = ownAlert(serviceThen.models, call.actor, call.params.id);
        const steps = serviceThen.models.alerts.history(id);
        return { status: 200, body: { events: steps.map(step => ({ ...step, ...authorOf(step.by) })) } };
      }),
  }),
];

const listQuery = object({
  ...alertQuery.places,
  state: alertQuery.state,
  kind: alertQuery.kind,
  sort: alertQuery.sort,
  order: alertQuery.order,
  fdr: Type.Optional(
    number(
      'Only the alerts that the procedure of Benjamini and Hochberg finds at this false-discovery rate among the ' +
        'checked days of the sources and dates; those without a p-value are left out.',
      0.1,
      { minimum: 0.001, maximum: 0.5 },
    ),
  ),
  limit: alertQuery.limit,
  cursor: Type.Optional(text('nextCursor of an answer.', '12-20260302-1', { maxLength: 200 })),
  asOf: asOfSchema,
});

type ListCall = Call<unknown, Static<typeof listQuery>, unknown>;

/** The filter of a query. */
const filterOf = ({ actor: { tenant }, query }: ListCall) => ({
  tenant,
  sourceId: query.sourceId,
  labels: (query.label ?? []).map(labelOf),
  ...alertQuery.filterOf(query),
});

/** The route that lists alerts. */
export const alertListRoutes = (service: LargeService & Pick<Service, 'walks'>): readonly Route[] => [
  route({
    at: 'GET /v1/alert/list',
    operationId: 'listAlerts',
    summary: 'List alerts in the order of date, raising, criticity or severity',
    scope: 'read',
    query: listQuery,
    answers: ok('A page of alerts', alertPageSchema),
    problems: ['sourceNotFound', 'cursorExpired', 'listTooLong'],
    run: call => {
      const { sort = 'date', fdr } = call.query;
      return sort === 'criticity' || sort === 'severity' || fdr !== undefined
        ? alertQuery.walkedAlerts(service, call, filterOf(call))
        : alertQuery.keyedAlerts(service, call, filterOf(call), sort);
    },
  }),
];
