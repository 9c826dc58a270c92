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
} from './common.js';
import { numberTextFields } from './description.js';

const detectableFields = {
  more: nullable(Type.Number({ examples: [0.11] })),
  less: nullable(Type.Number({ examples: [0.1] })),
};

const detectableChangeSchema = Type.Object(detectableFields, {
  ...strict,
  title: 'DetectableChange',
  description: 'Shares of the total; null when even a doubling, or a fall to 0, would not be detected.',
});

const detectableInPartSchema = Type.Object(
  {
    from: Type.Integer({ minimum: 0, description: 'First slice, from 0.', examples: [0] }),
    to: Type.Integer({ minimum: 1, description: 'Exclusive.', examples: [6] }),
    ...detectableFields,
  },
  {
    ...strict,
    title: 'DetectableChangeAtTime',
    description:
      'A change of each of these slices, as a share of the mean of the day; null when even twice the mean would not ' +
      'be detected, and for a fall that most days do not have at that time.',
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

export const boundsSchema = Type.Object(
  {
    method: Type.String({ examples: ['joint scores of held-out days, at a common conformal rank'] }),
    targetCoverage: nullable(
      Type.Number({
        description: 'Requested share of ordinary days inside the limits, 0–1.',
        examples: [0.98],
      }),
      { description: 'null for the default limits' },
    ),
    guaranteedCoverage: nullable(
      Type.Number({ description: 'Share of ordinary days that the method guarantees, 0–1.' }),
      { description: 'null without a guarantee', examples: [null] },
    ),
    calibrationDays: Type.Integer({
      description: 'Number of held-out reference days that were measured.',
      examples: [341],
    }),
    measuredCoverage: Type.Number({
      description: 'Share of these days inside the limits, 0–1.',
      examples: [0.9795],
    }),
    falseAlertsPerYear: nullable(
      Type.Number({
        description: 'Expected alerts on ordinary days per year, from the measured coverage.',
        examples: [7.5],
      }),
    ),
    falseAlertsRange: Type.Optional(
      Type.Object(
        { low: Type.Integer({ examples: [1] }), high: Type.Integer({ examples: [16] }) },
        {
          ...strict,
          title: 'FalseAlertsRange',
          description:
            'The range of that number in a year, which holds for nine of ten sources. Absent with a guard or a ' +
            'target coverage, with fewer than 100 calibration days, and for models of engines up to 8.',
        },
      ),
    ),
    guard: Type.Optional(
      Type.Object(
        {
          coverage: Type.Number({ description: 'Share of held-out days inside the default limits.' }),
          factor: Type.Number({ description: 'Factor by which all limits were widened.' }),
        },
        {
          ...strict,
          title: 'Guard',
          description:
            'Only when the days of the reference vary too much: all limits are widened, and only large changes are ' +
            'detected.',
        },
      ),
    ),
    guarantee: Type.Optional(
      Type.Object(
        { share: Type.Number({ examples: [0.01] }), alerts: Type.Integer({ examples: [3] }) },
        {
          ...strict,
          title: 'Guarantee',
          description:
            'In any sequence of T compared days at most `share` × T + `alerts` alerts are counted (one a week), while the adaptive ' +
            'factor is below 2.',
        },
      ),
    ),
    minimumDetectableChange: nullable(minimumDetectableChangeSchema),
  },
  { ...strict, title: 'BoundsQuality', description: 'Measured quality of the limits.' },
);

/** Results of learning besides the models; all but the calendar are null for custom models. */
export const learnedFields = {
  bounds: nullable(boundsSchema),
  hitRate: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of held-out reference days whose nearest model was planned.',
      examples: [0.93],
    }),
  ),
  calendar: nullable(usedCalendarSchema),
};

const cycleEvidenceSchema = Type.Object(
  {
    errorReduction: Type.Number({
      description:
        'Share by which the error of plans falls on held-out days, with a penalty for the number of days.',
      examples: [0.62],
    }),
    better: Type.Integer({
      description: 'Number of held-out blocks, or dates, on which it falls.',
      examples: [12],
    }),
    of: Type.Integer({ description: 'Number of all of them.', examples: [12] }),
  },
  strict,
);

/** Cycles that are no week. */
export const cyclesSchema = Type.Array(
  Type.Object(
    {
      kind: Type.Enum(['days', 'monthDay']),
      length: Type.Optional(Type.Integer({ description: 'Days of a cycle of days.', examples: [8] })),
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
      place: Type.Optional(
        Type.Integer({
          description: 'Its place: from 1 at the start of the month, from −1 at its end.',
          examples: [-1],
        }),
      ),
      weekday: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 6, description: 'The weekday that it counts.' }),
      ),
      evidence: cycleEvidenceSchema,
      sentence: Type.String({ description: 'The cycle and its evidence in words.' }),
      sentences: Type.Object(
        { fr: Type.String() },
        { ...strict, description: 'The same in other languages.' },
      ),
    },
    strict,
  ),
  {
    description:
      'Cycles of the source that are no week, by which dates are planned: at most one of days, and dates of the month.',
    examples: [[]],
  },
);

export const leftOutSchema = Type.Array(
  Type.Object({ date: dateSchema, reason: Type.String({ examples: ['incomplete'] }) }, strict),
  { description: 'Reference days that were not learned from: incomplete days and outliers.', examples: [[]] },
);

const countTriedSchema = Type.Object(
  {
    modelCount: Type.Integer({ examples: [3] }),
    loss: Type.Number({
      description: 'Mean absolute error of the planned profile, as a share of the mean activity.',
      examples: [0.087],
    }),
    predictability: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of days whose nearest model was planned.',
        examples: [0.93],
      }),
    ),
    stability: nullable(
      Type.Number({
        maximum: 1,
        description: 'Mean adjusted Rand index between the clusters of all days and of each half of them.',
        examples: [0.96],
      }),
    ),
  },
  { ...strict, title: 'CountTried' },
);
export const choiceSchema = Type.Array(countTriedSchema, {
  description: 'Measurements on held-out months, for each number of models that was tried.',
});

const limitsSchema = Type.Object(
  {
    unit: Type.Number({ description: 'In the unit of the source.', examples: [52.4] }),
    offset: Type.Number({ description: 'Without a unit.', examples: [0.5] }),
    windowHours: Type.Number({ examples: [3] }),
    window: Type.Number({ description: 'Limit on the mean over any window, up and down.', examples: [0.71] }),
    day: Type.Number({ description: 'Limit on the mean over the day, up and down.', examples: [0.43] }),
    windowChange: Type.Optional(
      Type.Number({
        description: 'Limit on the change of the window mean from the days before.',
        examples: [0.66],
      }),
    ),
    dayChange: Type.Optional(
      Type.Number({
        description: 'Limit on the change of the day mean from the days before.',
        examples: [0.4],
      }),
    ),
    shape: Type.Optional(
      Type.Number({
        description: 'Limit on the distance of the course of a day from the nearest days; usual is about 1.',
        examples: [2.1],
      }),
    ),
  },
  {
    ...strict,
    title: 'Limits',
    description:
      'Limits of an automatic model besides its bounds, on normalised residuals: 0 on the profile, 1 on the upper ' +
      'bound, −1 on the lower bound, on the scale ln(x / unit + offset), which is linear below 0.',
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
export const anomalySchema = Type.Boolean({
  description: 'Whether it describes abnormal days. Such a model is never planned automatically.',
  examples: [false],
});

export const modelSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'Never reused.', examples: [3] }),
    ...modelFields,
    names: otherLanguagesSchema(
      { fr: 'lundi–vendredi' },
      {
        title: 'ModelNames',
        description: 'The name in other languages; the same text for a name that a person gave.',
      },
    ),
    anomaly: anomalySchema,
    days: Type.Integer({
      minimum: 0,
      description:
        'Number of reference days planned to follow this model; for models that people supplied, of the nearest days.',
      examples: [241],
    }),
    limits: Type.Optional(limitsSchema),
  },
  {
    ...strict,
    title: 'Model',
    description: 'A typical day. Custom models have no limits besides their bounds.',
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
const customModelSchema = Type.Object(
  {
    ...modelFields,
    anomaly: Type.Optional(anomalySchema),
    id: ofPresentModel,
    days: ignored,
    limits: ofPresentModel,
    names: ignored,
  },
  { ...strict, title: 'CustomModel' },
);
const ignoredTexts = Object.fromEntries(Object.keys(numberTextFields).map(name => [name, ignored])) as Record<
  keyof typeof numberTextFields,
  typeof ignored
>;
export const customModelsSchema = Type.Object(
  {
    models: Type.Array(customModelSchema, { minItems: 1, maxItems: modelCountMax }),
    ...ignoredTexts,
    bounds: ignored,
    presentLimits: ignored,
    hitRate: ignored,
    calendar: ignored,
  },
  strict,
);

const presentLimitsSchema = Type.Object(
  {
    factor: Type.Number({
      minimum: 1,
      maximum: 2,
      description: 'Adaptive factor of the limits on residuals after the last checked day.',
      examples: [1.12],
    }),
    minimumDetectableChange: minimumDetectableChangeSchema,
  },
  {
    ...strict,
    title: 'PresentLimits',
    description:
      'The limits as alerts on recent days have widened them, and the changes that they detect. Absent for limits that ' +
      'do not adapt, and where `bounds` has no minimum detectable change.',
  },
);

export const modelListSchema = Type.Object(
  {
    models: Type.Array(modelSchema),
    ...numberTextFields,
    ...learnedFields,
    presentLimits: Type.Optional(presentLimitsSchema),
  },
  { ...strict, title: 'ModelList' },
);

export const modelCountSchema = Type.Integer({ minimum: 1, maximum: modelCountMax, examples: [3] });

export const coverageSchema = Type.Number({
  minimum: 0.9,
  maximum: 0.995,
  description:
    'Target coverage: share of ordinary days inside the limits; 0.99 gives about 4 false alerts a year. The default ' +
    'limits without it.',
  examples: [0.98],
});

const shareSchema = Type.Number({ minimum: 0, maximum: 1, examples: [0.94] });

/** Fields of a planned date. */
export const dayPlanFields = {
  date: dateSchema,
  modelId: nullable(Type.Integer({ examples: [3] }), { description: 'null when no model can be planned' }),
  origin: Type.Enum(['automatic', 'manual']),
  reason: Type.String({ examples: ['all 14 reference Saturdays around 13 Jan follow "Saturday"'] }),
  reasons: Type.Object(
    {
      fr: Type.String({
        description: 'In French, with no-break spaces where a line must not end.',
        examples: ['14 sur 14 samedis de référence autour du 13 janvier suivent «\u00a0Saturday\u00a0»'],
      }),
    },
    { ...strict, description: 'The reason in other languages, by language tag.' },
  ),
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
