import Type from '../typebox.js';
import { aggregations } from '../../../domain/day.js';
import { brokenLimits, residualLimits, shapeTypes } from '../../../domain/alerts/findings.js';
import { exampleProfile, nullable, text, integer, named, number, described } from './common.js';
import { numberTextFields } from './description.js';

const clockTime = (example: string) =>
  text('Local clock time; a day ends at 24:00.', example, { pattern: '^([01]\\d|2[0-4]):[0-5]\\d$' });

/** A run of slices with its local clock times. */
const stretchFields = {
  from: integer('First slice, from 0.', 14, { minimum: 0 }),
  to: integer('Exclusive.', 20, { minimum: 1 }),
  fromTime: clockTime('14:00'),
  toTime: clockTime('20:00'),
};

export const brokenRunSchema = named('BrokenRun', {
  ...stretchFields,
  direction: Type.Enum(['over', 'under'], { examples: ['under'] }),
  excess: number('Largest distance to the bound, in the unit of the source.', 31.5, { minimum: 0 }),
});

export const gapStretchSchema = named('GapStretch', {
  ...stretchFields,
  longest: integer('Longest such stretch of these reference days, in slices.', 1),
});

export const deviationSchema = described('Deviation', 'The most significant stretch.', {
  ...stretchFields,
  slices: integer('Number of slices with data in the stretch.', 6, { minimum: 1 }),
  aggregation: Type.Enum([...aggregations], {
    description: 'Whether actual and expected are means per slice or totals of the stretch.',
  }),
  actual: Type.Number({ examples: [63.1] }),
  expected: Type.Number({ examples: [91.3] }),
  absolute: number('actual − expected, in the unit of the source.', -28.2),
  percent: nullable(number('Share of expected; null unless expected is above 0.', -30.9)),
  comparedWith: Type.Enum(['model', 'daysBefore', 'dayLevel'], {
    description: 'The planned profile, or that profile at the level of the days before or of the day itself.',
  }),
  others: integer('Number of other stretches outside the bounds.', 0, { minimum: 0 }),
  ...numberTextFields,
});

const limitSchema = Type.Enum([...brokenLimits], { examples: ['window'] });

export const shapeSchema = described(
  'ShapeDifference',
  'How the course of the day differs from all others; only when the limit shape is broken.',
  {
    type: Type.Enum([...shapeTypes], {
      description:
        'clock: the expected course, earlier or later; noise: up and down from slice to slice; frozen: one value for ' +
        'hours; shape: another course.',
      examples: ['clock'],
    }),
    minutes: Type.Optional(integer('For clock: minutes later, negative for earlier.', 120)),
    flatline: Type.Optional(
      described('ShapeFlatline', 'For frozen: its slices and value.', {
        from: Type.Integer({ minimum: 0 }),
        to: Type.Integer({ minimum: 1, description: 'Exclusive.' }),
        value: Type.Number(),
      }),
    ),
  },
);

export const brokenLimitSchema = named('BrokenLimit', {
  limit: limitSchema,
  ...stretchFields,
  score: nullable(Type.Number({ examples: [-0.94] }), {
    description: 'Score of the day; null for custom models.',
  }),
  allowed: nullable(Type.Number({ examples: [0.71] }), {
    description: 'Largest allowed magnitude of the score.',
  }),
  actual: number('Mean of the day over the stretch, in the unit of the source.', 63.1),
  bound: number('Mean of the limit over the stretch; of the planned profile for shape.', 70),
});

const line = (description: string, share: number) =>
  Type.Array(Type.Number(), { description, examples: [exampleProfile(share)] });

export const limitLevelsSchema = Type.Array(
  named('LimitLevels', {
    limit: Type.Enum([...residualLimits], { examples: ['window'] }),
    lower: line('Lower line.', -0.3),
    upper: line('Upper line.', 0.3),
  }),
  {
    description:
      'Limits as two lines each, one value a slice, in the unit of the source: a day that follows one of them just ' +
      'keeps the limit.',
  },
);
