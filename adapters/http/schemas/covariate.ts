import Type from '../typebox.js';
import { covariatesMax } from '../../../domain/source/covariates.js';
import { nullable, sourceIdSchema, strict, text, named, number, described, object } from './common.js';

const nameSchema = Type.String({ examples: ['Temperature Oslo'] });

/** Ids of the sources that explain a source. */
export const explainedBySchema = Type.Array(sourceIdSchema, {
  maxItems: covariatesMax,
  description: `Other sources that explain this one, such as the outside temperature; at most ${covariatesMax}.`,
  examples: [[3]],
});

/** The same as a parameter of a query. */
export const explainedByQuerySchema = text(
  `Ids of other sources that explain this one, separated by commas; at most ${covariatesMax}.`,
  '3',
  { pattern: `^[1-9]\\d{0,14}(,[1-9]\\d{0,14}){0,${covariatesMax - 1}}$` },
);

/** Result of the analysis for each covariate. */
export const explainedByResultSchema = Type.Array(
  named('Covariate', {
    sourceId: sourceIdSchema,
    name: nameSchema,
    used: Type.Boolean(),
    errorReduction: nullable(
      number('Share by which it lowers the error of the level of held-out days.', 0.31),
    ),
    reason: Type.String({ examples: ['the error on held-out days falls by 31.0 %'] }),
    effect: Type.Optional(
      Type.Object(
        {
          knee: Type.Number({ examples: [15] }),
          below: number(
            'Effect of one unit below the knee on the logarithmic scale: 0.01 is nearly 1 %.',
            0.02,
          ),
          above: Type.Number({ examples: [0.001] }),
          from: number('Lowest learned value; lower ones count as it.', -12),
          to: Type.Number({ examples: [27.5] }),
        },
        { ...strict, description: 'Absent when it is not used.' },
      ),
    ),
  }),
  {
    description:
      'Results of the analysis for the sources that explain this one; absent without such sources.',
  },
);

/** How covariates changed what was expected of a day. */
export const explainedFactsSchema = described(
  'Explained',
  'How other sources changed what was expected; absent for models without such sources.',
  {
    effect: number('On the logarithmic scale.', 0.113),
    planned: number('Mean of the planned model.', 81.2),
    expected: number('The same after the effect.', 90.9),
    covariates: Type.Array(
      object({ sourceId: sourceIdSchema, name: nameSchema, value: Type.Number({ examples: [-6] }) }),
    ),
    missing: Type.Optional(
      Type.Array(nameSchema, { description: 'Covariates without a value on the date.' }),
    ),
  },
);
