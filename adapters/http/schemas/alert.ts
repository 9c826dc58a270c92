import Type from '../typebox.js';
import { alertStates, verdicts } from '../../../domain/alerts/alertsState.js';
import { brokenLimits, alertKinds } from '../../../domain/alerts/findings.js';
import {
  authorFields,
  dateSchema,
  instantSchema,
  nullable,
  sourceIdSchema,
  otherLanguagesSchema,
  strict,
  nextCursorSchema,
  stepFields,
} from './common.js';
import { explainedFactsSchema } from './covariate.js';
import {
  brokenLimitSchema,
  brokenRunSchema,
  deviationSchema,
  gapStretchSchema,
  limitLevelsSchema,
  shapeSchema,
} from './deviation.js';

export const alertIdSchema = Type.String({
  description: '{sourceId}-{yyyymmdd}-{n}',
  examples: ['12-20260302-1'],
});

export const incidentIdSchema = Type.String({
  description: 'inc-{id of the first alert}; it never changes.',
  examples: ['inc-12-20260302-1'],
});

/** Path parameters of an alert. */
export const alertParams = Type.Object({ id: alertIdSchema }, strict);

export const verdictSchema = Type.Enum([...verdicts]);

const silenceSchema = Type.Object(
  {
    since: Type.String({ ...instantSchema, description: 'The last import, or a later creation or restore.' }),
    deadline: Type.String({ ...instantSchema, description: 'When the next import was overdue.' }),
    intervalMinutes: Type.Number({ description: 'Expected interval between imports.', examples: [1440] }),
    origin: Type.Enum(['given', 'learned']),
    lastDate: nullable(dateSchema),
  },
  { ...strict, title: 'Silence' },
);

const soFarSchema = Type.Object(
  {
    until: Type.String({
      description: 'Local time of the end of the last data that were compared, HH:MM.',
      examples: ['14:30'],
    }),
    ongoing: Type.Boolean({ description: 'Whether the day was outside the limits at that time.' }),
  },
  { ...strict, title: 'SoFar', description: 'Only on a date in progress: what was known of it.' },
);

export const alertSchema = Type.Object(
  {
    id: alertIdSchema,
    sourceId: sourceIdSchema,
    date: dateSchema,
    kind: Type.Enum([...alertKinds], {
      description:
        'activity: a limit of the planned model is broken; gap: less than half of the observed slices of reference ' +
        'days, a stretch without data longer than on any of them, or a date missing inside an import; frozen: a flatline longer than in the reference; drift: the source ' +
        'moved as a whole, raised once in 28 days; noData: no import came in time.',
    }),
    state: Type.Enum([...alertStates]),
    direction: nullable(Type.Enum(['over', 'under', 'both']), { examples: ['under'] }),
    criticity: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Higher for a less probable day.',
      examples: [0.82],
    }),
    severity: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'Higher for a day that lost more: its distance from what was expected, summed over the day, over that sum ' +
          'and the distance to the bounds. Absent in alerts of engines up to 8.',
        examples: [0.44],
      }),
    ),
    loss: Type.Optional(
      Type.String({
        description:
          'The severity in words, in the language of the answer: what the day lost, over what its limits allow in a day.',
        examples: ['79 % of its allowance'],
      }),
    ),
    losses: Type.Optional(
      otherLanguagesSchema(
        { fr: '79 % de sa marge' },
        { title: 'AlertLosses', description: 'The loss in other languages, by language tag.' },
      ),
    ),
    sentence: Type.String({
      description: 'The reason in one sentence, in the language of the answer.',
      examples: ['31 % under the usual Monday from 14:00 to 20:00'],
    }),
    sentences: otherLanguagesSchema(
      { fr: '31 % au-dessous du lundi habituel de 14:00 à 20:00' },
      { title: 'AlertSentences', description: 'The reason in other languages, by language tag.' },
    ),
    slices: Type.Array(brokenRunSchema, {
      description: 'Slices outside the bounds, or the stretch whose mean is outside its limit.',
    }),
    limits: Type.Optional(
      Type.Array(Type.Enum([...brokenLimits]), {
        description:
          'The broken limits: on a slice, on the mean of a window or of the day, on the change of either from the days ' +
          'before, on the distance of its course (shape) from the nearest days. Absent for custom models.',
        examples: [['slice', 'window']],
      }),
    ),
    deviation: nullable(deviationSchema, { description: 'null for a gap' }),
    brokenLimits: Type.Array(brokenLimitSchema, {
      description:
        'Each broken limit with its value and the value of the day; empty in alerts of older versions.',
    }),
    completeness: nullable(
      Type.Object(
        {
          day: Type.Number({ description: 'Observed share of the day.' }),
          usual: Type.Number({ description: 'Median of the reference days.' }),
        },
        { ...strict, title: 'GapFacts' },
      ),
      { description: 'Only for a gap.', examples: [null] },
    ),
    gap: nullable(gapStretchSchema, {
      description: 'A stretch without data that is longer than on any reference day of the same model.',
      examples: [null],
    }),
    flatline: nullable(
      Type.Object(
        {
          value: Type.Number(),
          longest: Type.Integer({ description: 'Longest flatline of the reference, in slices.' }),
          of: Type.Optional(
            Type.Literal('daysBefore', {
              description:
                '`longest` is that of the four weeks before: the source had no reference. Absent otherwise, and in ' +
                'older logs.',
            }),
          ),
        },
        { ...strict, title: 'FlatlineFacts' },
      ),
      { description: 'Only for a flatline.', examples: [null] },
    ),
    silence: nullable(silenceSchema, { description: 'Only for noData.', examples: [null] }),
    plannedModelId: nullable(Type.Integer({ examples: [3] })),
    closestModelId: nullable(Type.Integer({ examples: [4] })),
    betterModelId: nullable(Type.Integer({ description: 'Another model whose limits the day keeps.' }), {
      examples: [null],
    }),
    looksLikeAnomaly: Type.Boolean({
      description: 'Whether the closest model describes abnormal days.',
      examples: [false],
    }),
    incidentId: nullable(incidentIdSchema, {
      description: 'Its incident; null for a past moment, and until it is grouped.',
    }),
    shape: Type.Optional(shapeSchema),
    explainedBy: Type.Optional(explainedFactsSchema),
    soFar: Type.Optional(soFarSchema),
    modelsVersion: Type.Integer({ examples: [1] }),
    importId: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
    verdict: nullable(verdictSchema, { examples: [null] }),
    comment: nullable(Type.String(), { examples: [null] }),
    raisedAt: instantSchema,
    updatedAt: instantSchema,
  },
  { ...strict, title: 'Alert' },
);

/** An alert for a chart. */
export const drawnAlertSchema = Type.Object(
  {
    ...alertSchema.properties,
    bounds: nullable(limitLevelsSchema, { description: 'The broken limits on that day; null when unknown.' }),
  },
  { ...strict, title: 'DrawnAlert' },
);

const falseDiscoverySchema = Type.Object(
  {
    rate: Type.Number({ description: 'The rate that was asked for.', examples: [0.1] }),
    days: Type.Integer({ description: 'Compared days of the sources and dates.', examples: [3650] }),
    discoveries: Type.Integer({
      description: 'Days among them with such an alert, of any state and kind.',
      examples: [13],
    }),
    criticityFrom: nullable(Type.Number({ examples: [0.89] }), {
      description: 'Least criticity of these alerts; null without one.',
    }),
  },
  { ...strict, title: 'FalseDiscovery', description: 'Only on the first page of a list with fdr.' },
);

export const alertPageSchema = Type.Object(
  {
    alerts: Type.Array(alertSchema),
    falseDiscovery: Type.Optional(falseDiscoverySchema),
    nextCursor: nextCursorSchema('12-20260302-1'),
  },
  { ...strict, title: 'AlertPage' },
);

const alertStepSchema = Type.Object(
  {
    type: Type.String({ description: 'Type of the event.', examples: ['AlertRaised'] }),
    at: instantSchema,
    ...authorFields,
    reason: Type.Optional(Type.String({ description: 'Why it was invalidated.' })),
    verdict: Type.Optional(verdictSchema),
    comment: Type.Optional(nullable(Type.String())),
    ...stepFields,
  },
  { ...strict, title: 'AlertStep' },
);
export const alertHistorySchema = Type.Object(
  { events: Type.Array(alertStepSchema) },
  { ...strict, title: 'AlertHistory' },
);

const countSchema = Type.Integer({ examples: [1] });
export const alertChangesSchema = Type.Object(
  {
    raised: Type.Array(alertSchema),
    confirmed: Type.Array(alertSchema, {
      description: 'Unprocessed alerts that other models, or another plan, raise again: they stay.',
      examples: [[]],
    }),
    invalidated: Type.Array(alertSchema, { examples: [[]] }),
    ended: Type.Array(alertSchema, { description: 'Silences that the import ended.', examples: [[]] }),
    unchanged: Type.Array(alertSchema, {
      description: 'Unchanged alerts of the checked days.',
      examples: [[]],
    }),
    counts: Type.Object(
      {
        raised: countSchema,
        confirmed: Type.Integer({ examples: [0] }),
        invalidated: Type.Integer({ examples: [0] }),
        ended: Type.Integer({ examples: [0] }),
        unchanged: Type.Integer({ examples: [0] }),
      },
      { ...strict, description: 'Totals; each list holds at most 1,000 alerts.' },
    ),
  },
  { ...strict, title: 'AlertChanges', description: 'Effect of a check on alerts.' },
);
