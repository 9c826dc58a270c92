import Type from '../../typebox.js';
import { dateSchema, nullable, sourceIdSchema, strict, yearSchema } from '../common.js';
import { learnedFields } from '../models/model.js';

const shareSchema = Type.Number({ minimum: 0, maximum: 1, examples: [0.94] });

/** Fields of a planned date. */
export const dayPlanFields = {
  date: dateSchema,
  modelId: nullable(Type.Integer({ examples: [3] }), { description: 'null when no model can be planned' }),
  origin: Type.Enum(['automatic', 'manual']),
  reason: Type.String({ examples: ['14 of the 14 reference Saturdays around 13 Jan follow "Saturday"'] }),
  share: nullable(shareSchema, { description: 'Share of the similarity weight that supports the model.' }),
  alternatives: Type.Array(
    Type.Object(
      { modelId: Type.Integer({ examples: [4] }), share: Type.Number({ ...shareSchema, examples: [0.06] }) },
      strict,
    ),
    { maxItems: 3, description: 'The next models, largest share first.' },
  ),
  unseen: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      'Distance of the season to that of the nearest reference day: 0 for the same season, 1 from 90 days, where limits ' +
      'are a quarter wider.',
    examples: [0],
  }),
};
export const dayPlanSchema = Type.Object(dayPlanFields, { ...strict, title: 'DayPlan' });

export const planningYearSchema = Type.Object(
  {
    sourceId: sourceIdSchema,
    year: yearSchema,
    hitRate: learnedFields.hitRate,
    days: Type.Array(dayPlanSchema),
  },
  { ...strict, title: 'PlanningYear' },
);

export const overrideSchema = Type.Object(
  { modelId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [4] }) },
  { ...strict, title: 'Override' },
);
