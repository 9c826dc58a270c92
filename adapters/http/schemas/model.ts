import Type from '../typebox.js';
import { namePattern } from '../../../domain/text.js';
import { modelCountMax, nameLengthMax } from '../../../domain/planning/models.js';
import { usedCalendarSchema, profileSchema } from './day.js';
import {
  dateSchema,
  nullable,
  otherLanguagesSchema,
  strict,
  sourceIdSchema,
  yearSchema,
  exampleProfile,
  described,
  integer,
  number,
  object,
  named,
  flag,
  text,
} from './common.js';
import { numberTextFields } from './description.js';

export const restoredFromSchema = integer(
  'The earlier version that the models are from; absent for others.',
  1,
);

const detectableFields = {
  more: nullable(Type.Number({ examples: [0.11] })),
  less: nullable(Type.Number({ examples: [0.1] })),
};

const detectableChangeSchema = described(
  'DetectableChange',
  'Shares of the total; null when even a doubling, or a fall to 0, would not be detected.',
  detectableFields,
);

const detectableInPartSchema = described(
  'DetectableChangeAtTime',
  'A change of each of these slices, as a share of the mean of the day; null when even twice the mean would not ' +
    'be detected, and for a fall that most days do not have at that time.',
  {
    from: integer('First slice, from 0.', 0, { minimum: 0 }),
    to: integer('Exclusive.', 6, { minimum: 1 }),
    ...detectableFields,
  },
);

const minimumDetectableChangeSchema = Type.Object(
  {
    wholeDay: detectableChangeSchema,
    eightHours: detectableChangeSchema,
    timesOfDay: Type.Optional(
      Type.Array(detectableInPartSchema, {
        description:
          'For the quarters of the day. Absent with fewer than four slices, and for models of engines up to 9.',
      }),
    ),
  },
  { ...strict, description: 'The smallest change that four of five ordinary days would show.' },
);

export const boundsSchema = described('BoundsQuality', 'Measured quality of the limits.', {
  method: Type.String({ examples: ['joint scores of held-out days, at a common conformal rank'] }),
  targetCoverage: nullable(number('Requested share of ordinary days inside the limits, 0–1.', 0.98), {
    description: 'null for the default limits',
  }),
  guaranteedCoverage: nullable(
    Type.Number({ description: 'Share of ordinary days that the method guarantees, 0–1.' }),
    { description: 'null without a guarantee', examples: [null] },
  ),
  calibrationDays: integer('Number of held-out reference days that were measured.', 341),
  measuredCoverage: number('Share of these days inside the limits, 0–1.', 0.9795),
  falseAlertsPerYear: nullable(
    number('Expected alerts on ordinary days per year, from the measured coverage.', 7.5),
  ),
  falseAlertsRange: Type.Optional(
    described(
      'FalseAlertsRange',
      'The range of that number in a year, which holds for nine of ten sources. Absent with a guard or a ' +
        'target coverage, with fewer than 100 calibration days, and for models of engines up to 8.',
      { low: Type.Integer({ examples: [1] }), high: Type.Integer({ examples: [16] }) },
    ),
  ),
  guard: Type.Optional(
    described(
      'Guard',
      'Only when the days of the reference vary too much: all limits are widened, and only large changes are ' +
        'detected.',
      {
        coverage: Type.Number({ description: 'Share of held-out days inside the default limits.' }),
        factor: Type.Number({ description: 'Factor by which all limits were widened.' }),
      },
    ),
  ),
  guarantee: Type.Optional(
    described(
      'Guarantee',
      'In any sequence of T compared days at most `share` × T + `alerts` alerts are counted (one a week), while the adaptive ' +
        'factor is below 2.',
      { share: Type.Number({ examples: [0.01] }), alerts: Type.Integer({ examples: [3] }) },
    ),
  ),
  minimumDetectableChange: nullable(minimumDetectableChangeSchema),
});

/** Results of learning besides the models; all but the calendar are null for custom models. */
export const learnedFields = {
  bounds: nullable(boundsSchema),
  hitRate: nullable(
    number('Share of held-out reference days whose nearest model was planned.', 0.93, {
      minimum: 0,
      maximum: 1,
    }),
  ),
  calendar: nullable(usedCalendarSchema),
};

const cycleEvidenceSchema = object({
  errorReduction: number(
    'Share by which the error of plans falls on held-out days, with a penalty for the number of days.',
    0.62,
  ),
  better: integer('Number of held-out blocks, or dates, on which it falls.', 12),
  of: integer('Number of all of them.', 12),
});

/** Cycles that are no week. */
export const cyclesSchema = Type.Array(
  object({
    kind: Type.Enum(['days', 'monthDay']),
    length: Type.Optional(integer('Days of a cycle of days.', 8)),
    first: Type.Optional({ ...dateSchema, description: 'A first day of it.' }),
    weekdays: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), {
        description: 'For cycles of weeks: the weekdays (0 Monday) whose weeks differ.',
        examples: [[2]],
      }),
    ),
    counts: Type.Optional(
      Type.Enum(['days', 'workingDays', 'weekdays'], { description: 'What a date of the month counts.' }),
    ),
    place: Type.Optional(integer('Its place: from 1 at the start of the month, from −1 at its end.', -1)),
    weekday: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 6, description: 'The weekday that it counts.' }),
    ),
    evidence: cycleEvidenceSchema,
    sentence: Type.String({ description: 'The cycle and its evidence in words.' }),
    sentences: Type.Object({ fr: Type.String() }, { ...strict, description: 'The same in other languages.' }),
  }),
  {
    description:
      'Cycles of the source that are no week, by which dates are planned: at most one of days, and dates of the month.',
    examples: [[]],
  },
);

export const leftOutSchema = Type.Array(
  object({ date: dateSchema, reason: Type.String({ examples: ['incomplete'] }) }),
  { description: 'Reference days that were not learned from: incomplete days and outliers.', examples: [[]] },
);

const countTriedSchema = named('CountTried', {
  modelCount: Type.Integer({ examples: [3] }),
  loss: number('Mean absolute error of the planned profile, as a share of the mean activity.', 0.087),
  predictability: nullable(
    number('Share of days whose nearest model was planned.', 0.93, { minimum: 0, maximum: 1 }),
  ),
  stability: nullable(
    number('Mean adjusted Rand index between the clusters of all days and of each half of them.', 0.96, {
      maximum: 1,
    }),
  ),
});
export const choiceSchema = Type.Array(countTriedSchema, {
  description: 'Measurements on held-out months, for each number of models that was tried.',
});

const limitsSchema = described(
  'Limits',
  'Limits of an automatic model besides its bounds, on normalised residuals: 0 on the profile, 1 on the upper ' +
    'bound, −1 on the lower bound, on the scale ln(x / unit + offset), which is linear below 0.',
  {
    unit: number('In the unit of the source.', 52.4),
    offset: number('Without a unit.', 0.5),
    windowHours: Type.Number({ examples: [3] }),
    window: number('Limit on the mean over any window, up and down.', 0.71),
    day: number('Limit on the mean over the day, up and down.', 0.43),
    windowChange: Type.Optional(number('Limit on the change of the window mean from the days before.', 0.66)),
    dayChange: Type.Optional(number('Limit on the change of the day mean from the days before.', 0.4)),
    shape: Type.Optional(
      number('Limit on the distance of the course of a day from the nearest days; usual is about 1.', 2.1),
    ),
  },
);

export const modelFields = {
  name: Type.String({
    minLength: 1,
    maxLength: nameLengthMax,
    pattern: namePattern,
    examples: ['Monday–Friday'],
  }),
  color: Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', examples: ['#0072B2'] }),
  activity: profileSchema('The typical values, one a slice.', exampleProfile()),
  topTolerance: profileSchema('Upper bounds, one a slice.', exampleProfile(0.3)),
  bottomTolerance: profileSchema('Lower bounds, one a slice.', exampleProfile(-0.3)),
};
export const anomalySchema = flag(
  'Whether it describes abnormal days. Such a model is never planned automatically.',
  false,
);

export const modelSchema = described(
  'Model',
  'A typical day. Custom models have no limits besides their bounds.',
  {
    id: integer('Never reused.', 3, { minimum: 1 }),
    ...modelFields,
    names: otherLanguagesSchema(
      { fr: 'lundi–vendredi' },
      {
        title: 'ModelNames',
        description: 'The name in other languages; the same text for a name that a person gave.',
      },
    ),
    anomaly: anomalySchema,
    days: integer(
      'Number of reference days planned to follow this model; for models that people supplied, of the nearest days.',
      241,
      { minimum: 0 },
    ),
    limits: Type.Optional(limitsSchema),
  },
);

const ignored = Type.Optional(
  Type.Unknown({ description: 'Ignored: an answer of /v1/model/list may be sent unchanged.' }),
);
const ofPresentModel = Type.Optional(
  Type.Unknown({
    description:
      'A model whose id and limits are those of a present model, as in an answer of /v1/model/list, keeps these limits. ' +
      'Others have bounds only.',
  }),
);
const customModelSchema = named('CustomModel', {
  ...modelFields,
  anomaly: Type.Optional(anomalySchema),
  id: ofPresentModel,
  days: ignored,
  limits: ofPresentModel,
  names: ignored,
});
const ignoredTexts = Object.fromEntries(Object.keys(numberTextFields).map(name => [name, ignored])) as Record<
  keyof typeof numberTextFields,
  typeof ignored
>;
export const customModelsSchema = object({
  models: Type.Array(customModelSchema, { minItems: 1, maxItems: modelCountMax }),
  ...ignoredTexts,
  bounds: ignored,
  presentLimits: ignored,
  hitRate: ignored,
  calendar: ignored,
});

const presentLimitsSchema = described(
  'PresentLimits',
  'The limits as alerts on recent days have widened them, and the changes that they detect. Absent for limits that ' +
    'do not adapt, and where `bounds` has no minimum detectable change.',
  {
    factor: number('Adaptive factor of the limits on residuals after the last checked day.', 1.12, {
      minimum: 1,
      maximum: 2,
    }),
    minimumDetectableChange: minimumDetectableChangeSchema,
  },
);

export const modelListSchema = named('ModelList', {
  models: Type.Array(modelSchema),
  ...numberTextFields,
  ...learnedFields,
  presentLimits: Type.Optional(presentLimitsSchema),
});

export const modelCountSchema = Type.Integer({ minimum: 1, maximum: modelCountMax, examples: [3] });

export const coverageSchema = number(
  'Target coverage: share of ordinary days inside the limits; 0.99 gives about 4 false alerts a year. The default ' +
    'limits without it.',
  0.98,
  { minimum: 0.9, maximum: 0.995 },
);

const shareSchema = Type.Number({ minimum: 0, maximum: 1, examples: [0.94] });

/** Fields of a planned date. */
export const dayPlanFields = {
  date: dateSchema,
  modelId: nullable(Type.Integer({ examples: [3] }), { description: 'null when no model can be planned' }),
  origin: Type.Enum(['automatic', 'manual']),
  reason: Type.String({ examples: ['all 14 reference Saturdays around 13 Jan follow "Saturday"'] }),
  reasons: Type.Object(
    {
      fr: text(
        'In French, with no-break spaces where a line must not end.',
        '14 sur 14 samedis de référence autour du 13 janvier suivent «\u00a0Saturday\u00a0»',
      ),
    },
    { ...strict, description: 'The reason in other languages, by language tag.' },
  ),
  share: nullable(shareSchema, { description: 'Share of the similarity weight that supports the model.' }),
  alternatives: Type.Array(
    object({
      modelId: Type.Integer({ examples: [4] }),
      share: Type.Number({ ...shareSchema, examples: [0.06] }),
    }),
    { maxItems: 3, description: 'The next models, largest share first.' },
  ),
  unseen: number(
    'Distance of the season to that of the nearest reference day: 0 for the same season, 1 from 90 days, where limits ' +
      'are a quarter wider.',
    0,
    { minimum: 0, maximum: 1 },
  ),
};
export const dayPlanSchema = named('DayPlan', dayPlanFields);

export const planningYearSchema = named('PlanningYear', {
  sourceId: sourceIdSchema,
  year: yearSchema,
  hitRate: learnedFields.hitRate,
  days: Type.Array(dayPlanSchema),
});

export const overrideSchema = named('Override', {
  modelId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [4] }),
});
