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
  text,
  object,
  named,
  number,
  described,
  flag,
  integer,
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

export const alertIdSchema = text('{sourceId}-{yyyymmdd}-{n}', '12-20260302-1');

export const incidentIdSchema = text('inc-{id of the first alert}; it never changes.', 'inc-12-20260302-1');

/** Path parameters of an alert. */
export const alertParams = object({ id: alertIdSchema });

export const verdictSchema = Type.Enum([...verdicts]);

const silenceSchema = named('Silence', {
  since: Type.String({ ...instantSchema, description: 'The last import, or a later creation or restore.' }),
  deadline: Type.String({ ...instantSchema, description: 'When the next import was overdue.' }),
  intervalMinutes: number('Expected interval between imports.', 1440),
  origin: Type.Enum(['given', 'learned']),
  lastDate: nullable(dateSchema),
});

const soFarSchema = described('SoFar', 'Only on a date in progress: what was known of it.', {
  until: text('Local time of the end of the last data that were compared, HH:MM.', '14:30'),
  ongoing: Type.Boolean({ description: 'Whether the day was outside the limits at that time.' }),
});

export const alertSchema = named('Alert', {
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
  criticity: number('Higher for a less probable day.', 0.82, { minimum: 0, maximum: 1 }),
  severity: Type.Optional(
    number(
      'Higher for a day that lost more: its distance from what was expected, summed over the day, over that sum ' +
        'and the distance to the bounds. Absent in alerts of engines up to 8.',
      0.44,
      { minimum: 0, maximum: 1 },
    ),
  ),
  loss: Type.Optional(
    text(
      'The severity in words, in the language of the answer: what the day lost, over what its limits allow in a day.',
      '79 % of its allowance',
    ),
  ),
  losses: Type.Optional(
    otherLanguagesSchema(
      { fr: '79 % de sa marge' },
      { title: 'AlertLosses', description: 'The loss in other languages, by language tag.' },
    ),
  ),
  sentence: text(
    'The reason in one sentence, in the language of the answer.',
    '31 % under the usual Monday from 14:00 to 20:00',
  ),
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
    named('GapFacts', {
      day: Type.Number({ description: 'Observed share of the day.' }),
      usual: Type.Number({ description: 'Median of the reference days.' }),
    }),
    { description: 'Only for a gap.', examples: [null] },
  ),
  gap: nullable(gapStretchSchema, {
    description: 'A stretch without data that is longer than on any reference day of the same model.',
    examples: [null],
  }),
  flatline: nullable(
    named('FlatlineFacts', {
      value: Type.Number(),
      longest: Type.Integer({ description: 'Longest flatline of the reference, in slices.' }),
      of: Type.Optional(
        Type.Literal('daysBefore', {
          description:
            '`longest` is that of the four weeks before: the source had no reference. Absent otherwise, and in ' +
            'older logs.',
        }),
      ),
    }),
    { description: 'Only for a flatline.', examples: [null] },
  ),
  silence: nullable(silenceSchema, { description: 'Only for noData.', examples: [null] }),
  plannedModelId: nullable(Type.Integer({ examples: [3] })),
  closestModelId: nullable(Type.Integer({ examples: [4] })),
  betterModelId: nullable(Type.Integer({ description: 'Another model whose limits the day keeps.' }), {
    examples: [null],
  }),
  looksLikeAnomaly: flag('Whether the closest model describes abnormal days.', false),
  incidentId: nullable(incidentIdSchema, {
    description: 'Its incident, the present one also for a past moment; null until it is grouped.',
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
});

/** An alert for a chart. */
export const drawnAlertSchema = named('DrawnAlert', {
  ...alertSchema.properties,
  bounds: nullable(limitLevelsSchema, { description: 'The broken limits on that day; null when unknown.' }),
});

const falseDiscoverySchema = described('FalseDiscovery', 'Only on the first page of a list with fdr.', {
  rate: number('The rate that was asked for.', 0.1),
  days: integer('Compared days of the sources and dates.', 3650),
  discoveries: integer('Days among them with such an alert, of any state and kind.', 13),
  criticityFrom: nullable(Type.Number({ examples: [0.89] }), {
    description: 'Least criticity of these alerts; null without one.',
  }),
});

export const alertPageSchema = named('AlertPage', {
  alerts: Type.Array(alertSchema),
  falseDiscovery: Type.Optional(falseDiscoverySchema),
  nextCursor: nextCursorSchema('12-20260302-1'),
});

const alertStepSchema = named('AlertStep', {
  type: text('Type of the event.', 'AlertRaised'),
  at: instantSchema,
  ...authorFields,
  reason: Type.Optional(Type.String({ description: 'Why it was invalidated.' })),
  verdict: Type.Optional(verdictSchema),
  comment: Type.Optional(nullable(Type.String())),
  ...stepFields,
});
export const alertHistorySchema = named('AlertHistory', { events: Type.Array(alertStepSchema) });

const countSchema = Type.Integer({ examples: [1] });
export const alertChangesSchema = described('AlertChanges', 'Effect of a check on alerts.', {
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
});
