import Type from '../../typebox.js';
import { exampleProfile } from '../../openApi/exampleProfile.js';
import { drawnAlertSchema } from '../alerts/alert.js';
import { limitLevelsSchema } from '../alerts/deviation.js';
import { dateSchema, nullable, sourceIdSchema, strict } from '../common.js';
import { explainedFactsSchema } from '../covariate.js';
import { earlierDaySchema, storedDaySchema } from './day.js';
import { modelSchema } from '../models/model.js';
import { dayPlanSchema } from './planning.js';

export const dayDetailsSchema = Type.Object(
  {
    sourceId: sourceIdSchema,
    date: dateSchema,
    sliceMinutes: Type.Integer({ examples: [60] }),
    day: nullable(storedDaySchema),
    planning: dayPlanSchema,
    plannedModel: nullable(modelSchema, {
      description: 'As expected on the date: moved by the sources that explain this one.',
    }),
    explainedBy: Type.Optional(explainedFactsSchema),
    limits: limitLevelsSchema,
    expectedByDaysBefore: nullable(Type.Array(Type.Number(), { examples: [exampleProfile(0.05)] }), {
      description:
        'The planned profile at the level of the fortnight before; null with fewer than three days.',
    }),
    closestModel: nullable(modelSchema),
    betterModel: nullable(modelSchema, { examples: [null] }),
    alerts: Type.Array(drawnAlertSchema, { description: 'Alerts that are not invalidated.' }),
    daysBefore: Type.Array(earlierDaySchema, { maxItems: 7, description: 'Recent days of the week before.' }),
    weekdaysBefore: Type.Array(earlierDaySchema, {
      maxItems: 4,
      description: 'The same weekday of the four weeks before.',
    }),
  },
  { ...strict, title: 'DayDetails', description: 'All data of the chart of one date.' },
);
