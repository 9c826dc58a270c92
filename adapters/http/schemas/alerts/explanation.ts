import Type from '../../typebox.js';
import { alertSchema } from './alert.js';
import { authorFields, dateSchema, instantSchema, nullable, strict } from '../common.js';
import { boundsSchema, choiceSchema, learnedFields, leftOutSchema, modelSchema } from '../models/model.js';
import { dayPlanFields } from '../days/planning.js';

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
      examples: ['daybook-calendar/7'],
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

export const explanationSchema = Type.Object(
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
    plannedModel: nullable(modelSchema),
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
