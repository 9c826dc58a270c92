import { authorOf } from '../../../../application/ports/people.js';
import { ownAlert } from '../../../../application/requests/access.js';
import type { Service } from '../../../../application/requests/service.js';
import { alertAsOf } from '../../asOfQuery.js';
import { ok, route, type Route } from '../../route.js';
import { alertHistorySchema, alertParams, drawnAlertSchema, alertSchema } from '../../schemas/alert.js';
import {
  asOfQuery,
  authorFields,
  dateSchema,
  instantSchema,
  nullable,
  strict,
} from '../../schemas/common.js';
import { inPlace } from '../../answers/largeAnswer.js';
import { drawnAlert } from '../../answers/dayAnswer.js';
import { explainAlert } from '../../../../application/requests/history/explainAlert.js';
import Type from '../../typebox.js';
import {
  boundsSchema,
  choiceSchema,
  learnedFields,
  leftOutSchema,
  modelSchema,
  dayPlanFields,
} from '../../schemas/model.js';

const linkSchema = Type.Object(
  {
    eventId: Type.String({ examples: ['0b7c0013-1f2e-5a3b-9c4d-0123456789ab'] }),
    stream: Type.String({ examples: ['alerts-12'] }),
    revision: Type.Integer({ minimum: 0, examples: [7] }),
    position: Type.String({ description: 'Position in the log.', examples: ['412'] }),
    type: Type.String({ examples: ['AlertRaised'] }),
    at: instantSchema,
    ...authorFields,
    cause: Type.String({
      description: 'Event or request that caused it.',
      examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'],
    }),
    hash: nullable(
      Type.String({ description: 'Hash of the event, as in an export.', examples: ['5f'.repeat(32)] }),
    ),
  },
  { ...strict, title: 'EventLink' },
);

const parametersSchema = Type.Object(
  {
    engine: Type.String({
      description: 'Name and version of the analysis.',
      examples: ['daybook-calendar/8'],
    }),
    seed: Type.Integer({ examples: [1] }),
    modelCount: Type.Integer({ examples: [3] }),
    bounds: boundsSchema,
    choice: choiceSchema,
    hitRate: learnedFields.hitRate,
    calendar: learnedFields.calendar,
  },
  { ...strict, title: 'AnalysisParameters' },
);

const usedModelsSchema = Type.Object(
  {
    version: Type.Integer({ examples: [1] }),
    origin: Type.Enum(['automatic', 'custom']),
    event: linkSchema,
    request: nullable(linkSchema),
    parameters: nullable(parametersSchema),
  },
  strict,
);

const usedImportSchema = Type.Object(
  {
    id: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
    part: nullable(linkSchema, { description: 'The part with the day; null for a date without data.' }),
    last: linkSchema,
  },
  {
    ...strict,
    title: 'UsedImport',
    description: 'The import of the day. It took effect with its last part.',
  },
);

const explanationSchema = Type.Object(
  {
    alert: alertSchema,
    raised: linkSchema,
    check: Type.Object(
      {
        event: linkSchema,
        cause: linkSchema,
        knownTo: Type.String({
          description:
            'Position of the log that the check had read; reads with this asOf show the state that it used.',
          examples: ['411'],
        }),
      },
      strict,
    ),
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
    reference: Type.Object(
      {
        events: Type.Array(linkSchema),
        plannedModelDates: Type.Array(dateSchema, {
          description: 'Reference days that the date is planned by.',
        }),
        leftOut: leftOutSchema,
      },
      strict,
    ),
    since: Type.Array(linkSchema, { description: 'Later events of the alert.' }),
    people: Type.Array(Type.String(), {
      description: 'Names of the people behind these events; each event has its author and byKind.',
      examples: [['anna']],
    }),
  },
  { ...strict, title: 'Explanation' },
);

/** The streams of a log up to a position: events that the read models do not have are no part of the answer. */
const logUpTo = ({ read }: Service['log'], end: bigint): Pick<Service['log'], 'read'> => ({
  read: async function* (...asked) {
    for await (const event of read(...asked)) {
      if (event.position > end) return;
      yield event;
    }
  },
});

export const explanationRoutes = (service: Service): readonly Route[] => [
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
        return { status: 200, body: await explainAlert(log, service.asOf, alert, context) };
      }),
  }),
];

export const alertRoutes = (service: Service): readonly Route[] => [
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
