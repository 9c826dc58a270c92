import Type from '../typebox.js';
import { aggregations } from '../../../domain/day.js';
import { brokenLimits, residualLimits, shapeTypes } from '../../../domain/alerts/findings.js';
import { exampleProfile, nullable, strict } from './common.js';
import { numberTextFields } from './description.js';

const clockTime = (example: string) =>
  Type.String({
    pattern: '^([01]\\d|2[0-4]):[0-5]\\d$',
    description: 'Local clock time; a day ends at 24:00.',
    examples: [example],
  });

/** A run of slices with its local clock times. */
const stretchFields = {
  from: Type.Integer({ minimum: 0, description: 'First slice, from 0.', examples: [14] }),
  to: Type.Integer({ minimum: 1, description: 'Exclusive.', examples: [20] }),
  fromTime: clockTime('14:00'),
  toTime: clockTime('20:00'),
};

export const brokenRunSchema = Type.Object(
  {
    ...stretchFields,
    direction: Type.Enum(['over', 'under'], { examples: ['under'] }),
    excess: Type.Number({
      minimum: 0,
      description: 'Largest distance to the bound, in the unit of the source.',
      examples: [31.5],
    }),
  },
  { ...strict, title: 'BrokenRun' },
);

export const gapStretchSchema = Type.Object(
  {
    ...stretchFields,
    longest: Type.Integer({
      description: 'Longest such stretch of these reference days, in slices.',
      examples: [1],
    }),
  },
  { ...strict, title: 'GapStretch' },
);

export const deviationSchema = Type.Object(
  {
    ...stretchFields,
    slices: Type.Integer({
      minimum: 1,
      description: 'Number of slices with data in the stretch.',
      examples: [6],
    }),
    aggregation: Type.Enum([...aggregations], {
      description: 'Whether actual and expected are means per slice or totals of the stretch.',
    }),
    actual: Type.Number({ examples: [63.1] }),
    expected: Type.Number({ examples: [91.3] }),
    absolute: Type.Number({
      description: 'actual − expected, in the unit of the source.',
      examples: [-28.2],
    }),
    percent: nullable(
      Type.Number({ description: 'Share of expected; null unless expected is above 0.', examples: [-30.9] }),
    ),
    comparedWith: Type.Enum(['model', 'daysBefore', 'dayLevel'], {
      description:
        'The planned profile, or that profile at the level of the days before or of the day itself.',
    }),
    others: Type.Integer({
      minimum: 0,
      description: 'Number of other stretches outside the bounds.',
      examples: [0],
    }),
    ...numberTextFields,
  },
  { ...strict, title: 'Deviation', description: 'The most significant stretch.' },
);

const limitSchema = Type.Enum([...brokenLimits], { examples: ['window'] });

export const shapeSchema = Type.Object(
  {
    type: Type.Enum([...shapeTypes], {
      description:
        'clock: the expected course, earlier or later; noise: up and down from slice to slice; frozen: one value for ' +
        'hours; shape: another course.',
      examples: ['clock'],
    }),
    minutes: Type.Optional(
      Type.Integer({ description: 'For clock: minutes later, negative for earlier.', examples: [120] }),
    ),
    flatline: Type.Optional(
      Type.Object(
        {
          from: Type.Integer({ minimum: 0 }),
          to: Type.Integer({ minimum: 1, description: 'Exclusive.' }),
          value: Type.Number(),
        },
        { ...strict, title: 'ShapeFlatline', description: 'For frozen: its slices and value.' },
      ),
    ),
  },
  {
    ...strict,
    title: 'ShapeDifference',
    description: 'How the course of the day differs from all others; only when the limit shape is broken.',
  },
);

export const brokenLimitSchema = Type.Object(
  {
    limit: limitSchema,
    ...stretchFields,
    score: nullable(Type.Number({ examples: [-0.94] }), {
      description: 'Score of the day; null for custom models.',
    }),
    allowed: nullable(Type.Number({ examples: [0.71] }), {
      description: 'Largest allowed magnitude of the score.',
    }),
    actual: Type.Number({
      description: 'Mean of the day over the stretch, in the unit of the source.',
      examples: [63.1],
    }),
    bound: Type.Number({
      description: 'Mean of the limit over the stretch; of the planned profile for shape.',
      examples: [70],
    }),
  },
  { ...strict, title: 'BrokenLimit' },
);

const line = (description: string, share: number) =>
  Type.Array(Type.Number(), { description, examples: [exampleProfile(share)] });

export const limitLevelsSchema = Type.Array(
  Type.Object(
    {
      limit: Type.Enum([...residualLimits], { examples: ['window'] }),
      lower: line('Lower line.', -0.3),
      upper: line('Upper line.', 0.3),
    },
    { ...strict, title: 'LimitLevels' },
  ),
  {
    description:
      'Limits as two lines each, one value a slice, in the unit of the source: a day that follows one of them just ' +
      'keeps the limit.',
  },
);
