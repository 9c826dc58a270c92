import Type from '../typebox.js';
import { findingKinds } from '../../../domain/alerts/findings.js';
import { alertChangesSchema, alertSchema, incidentIdSchema } from './alert.js';
import { changeSchema } from './incident.js';
import {
  asOfQuery,
  authorFields,
  dateSchema,
  instantSchema,
  nullable,
  strict,
  named,
  flag,
  text,
  described,
  integer,
  object,
} from './common.js';
import { modelsCauses } from '../../../projections/models.js';
import {
  anomalySchema,
  learnedFields,
  modelFields,
  modelSchema,
  dayPlanFields,
  planningYearSchema,
  restoredFromSchema,
} from './model.js';

const namedModelSchema = named('NamedModel', {
  id: Type.Integer({ examples: [3] }),
  name: Type.String({ examples: ['Saturday'] }),
});

/** Overrides of the planning that new models took over or dropped. */
const movedOverridesSchema = Type.Array(
  named('MovedOverride', {
    date: Type.String({ ...dateSchema, examples: ['2026-05-01'] }),
    from: namedModelSchema,
    to: nullable(namedModelSchema),
  }),
  {
    description:
      'Overrides of the planning, by date: each was carried to the new model with the nearest profile, or dropped (null).',
  },
);

/** Whether a request for new models carries the overrides of the planning to them. */
export const keepPlanningSchema = Type.Optional(
  flag(
    'Carries the overrides of the planning to the new models with the nearest profiles; false drops them. Special ' +
      'days stay in any case.',
    true,
    { default: true },
  ),
);

const foundAlertSchema = named('FoundAlert', {
  alertId: text('The id that a reset would give now.', '12-20260302-1'),
  date: dateSchema,
  kind: Type.Enum([...findingKinds], { examples: ['activity'] }),
  direction: nullable(Type.Enum(['over', 'under', 'both'])),
  criticity: Type.Number({ minimum: 0, maximum: 1, examples: [0.83] }),
  plannedModelId: nullable(Type.Integer({ examples: [3] })),
});

const countSchema = Type.Integer({ examples: [1] });
const previewedAlertsSchema = named('PreviewedAlerts', {
  gained: Type.Array(foundAlertSchema),
  kept: Type.Array(foundAlertSchema, {
    description: 'Unprocessed alerts that the new models raise again.',
  }),
  lost: Type.Array(alertSchema, { description: 'Unprocessed alerts that would be invalidated.' }),
  counts: Type.Object(
    { gained: countSchema, kept: countSchema, lost: countSchema },
    { ...strict, description: 'Totals; each list holds at most 1,000 alerts.' },
  ),
});

/** Computed effect of a reset of the models. */
export const modelsPreviewSchema = named('ModelsPreview', {
  models: Type.Array(modelSchema),
  ...learnedFields,
  overrides: movedOverridesSchema,
  alerts: previewedAlertsSchema,
  endedChanges: Type.Array(named('EndedChange', { incidentId: incidentIdSchema, change: changeSchema }), {
    description: 'Accepted changes of single models, which would end with these models; others stay.',
    examples: [[]],
  }),
});

/** JSON merge patch of a model. */
export const modelPatchSchema = described('ModelPatch', 'Absent fields stay.', {
  name: Type.Optional(modelFields.name),
  color: Type.Optional(modelFields.color),
  anomaly: Type.Optional(anomalySchema),
});

/** Whether the work of a change of models had ended at its answer. */
const checkedSchema = flag(
  'false in a 202: models or checks of days follow, and the other fields are those in force at the answer.',
  true,
);

export const changedModelSchema = named('ChangedModel', {
  ...modelSchema.properties,
  checked: checkedSchema,
  alerts: alertChangesSchema,
});

/** Version of all models of a source. */
export const modelsVersionSchema = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  examples: [2],
});

/** Default and largest number of versions of a page. */
export const versionsLimits = { default: 100, max: 500 };

export const versionsQuery = object({
  ...asOfQuery.properties,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: versionsLimits.max, default: versionsLimits.default }),
  ),
  cursor: Type.Optional(
    integer('nextCursor of an answer.', 12, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  ),
});

export const versionsSchema = named('ModelsVersions', {
  versions: Type.Array(
    named('ModelsVersion', {
      modelsVersion: modelsVersionSchema,
      at: instantSchema,
      cause: Type.Enum([...modelsCauses], {
        description:
          'creation, reset and extension of a collected reference: learned; replacement: supplied; anomaly: the ' +
          'flag of a model changed; restore: a person went back to earlier models.',
        examples: ['reset'],
      }),
      origin: Type.Enum(['automatic', 'custom']),
      engine: nullable(text('Analysis that made or assigned them.', 'daybook-calendar/8')),
      modelCount: Type.Integer({ examples: [4] }),
      ...authorFields,
      restoredFrom: Type.Optional(restoredFromSchema),
    }),
    { description: 'The latest first.' },
  ),
  nextCursor: Type.Optional(Type.String({ examples: ['12'] })),
});

const modelsChangeSchema = named('ModelsChange', {
  models: Type.Array(modelSchema),
  ...learnedFields,
  planning: planningYearSchema,
  overrides: movedOverridesSchema,
  checked: checkedSchema,
  alerts: alertChangesSchema,
  restoredFrom: Type.Optional(restoredFromSchema),
});

/** Answers of a route that replaces all models of a source. */
export const modelsChangeAnswers = {
  200: { description: 'The new models; all recent days were checked', schema: modelsChangeSchema },
  202: {
    description: 'Accepted; the work takes longer, see the source at Location',
    schema: modelsChangeSchema,
  },
};

const planChangeSchema = named('PlanChange', { ...dayPlanFields, alerts: alertChangesSchema });
/** Answers of a route that may change the plan of one date. */
export const planChangeAnswers = {
  200: { description: 'The plan of the date; its day was checked again', schema: planChangeSchema },
  202: { description: 'The plan of the date; the check takes longer', schema: planChangeSchema },
};
