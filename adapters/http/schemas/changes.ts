import Type from '../typebox.js';
import { alertChangesSchema } from './alerts/alert.js';
import { strict } from './common.js';
import { learnedFields, modelSchema } from './models/model.js';
import { movedOverridesSchema } from './models/modelsPreview.js';
import { dayPlanFields, planningYearSchema } from './days/planning.js';

const modelsChangeSchema = Type.Object(
  {
    models: Type.Array(modelSchema),
    ...learnedFields,
    planning: planningYearSchema,
    overrides: movedOverridesSchema,
    alerts: alertChangesSchema,
  },
  { ...strict, title: 'ModelsChange' },
);

/** Answers of a route that replaces all models of a source. */
export const modelsChangeAnswers = {
  200: { description: 'The new models; all recent days were checked', schema: modelsChangeSchema },
  202: {
    description: 'Accepted; the work takes longer, see the source at Location',
    schema: modelsChangeSchema,
  },
};

const planChangeSchema = Type.Object(
  { ...dayPlanFields, alerts: alertChangesSchema },
  { ...strict, title: 'PlanChange' },
);
/** Answers of a route that may change the plan of one date. */
export const planChangeAnswers = {
  200: { description: 'The plan of the date; its day was checked again', schema: planChangeSchema },
  202: { description: 'The plan of the date; the check takes longer', schema: planChangeSchema },
};
