import Type from '../typebox.js';
import { covariatesMax } from '../../../domain/source/covariates.js';
import { nullable, sourceIdSchema, strict } from './common.js';

const nameSchema = Type.String({ examples: ['Temperature Oslo'] });

/** Ids of the sources that explain a source. */
export const explainedBySchema = Type.Array(sourceIdSchema, {
  maxItems: covariatesMax,
  description: `Other sources that explain this one, such as the outside temperature; at most ${covariatesMax}.`,
  examples: [[3]],
});

/** The same as a parameter of a query. */
export const explainedByQuerySchema = Type.String({
  pattern: `^[1-9]\\d{0,14}(,[1-9]\\d{0,14}){0,${covariatesMax - 1}}$`,
  description: `Ids of other sources that explain this one, separated by commas; at most ${covariatesMax}.`,
  examples: ['3'],
});

/** Result of the analysis for each covariate. */
export const explainedByResultSchema = Type.Array(
  Type.Object(
    {
      sourceId: sourceIdSchema,
      name: nameSchema,
      used: Type.Boolean(),
      errorReduction: nullable(
        Type.Number({
          description: 'Share by which it lowers the error of the level of held-out days.',
          examples: [0.31],
        }),
      ),
      reason: Type.String({ examples: ['the error on held-out days falls by 31.0 %'] }),
      effect: Type.Optional(
        Type.Object(
          {
            knee: Type.Number({ examples: [15] }),
            below: Type.Number({
              description: 'Effect of one unit below the knee on the logarithmic scale: 0.01 is nearly 1 %.',
              examples: [0.02],
            }),
            above: Type.Number({ examples: [0.001] }),
            from: Type.Number({
              description: 'Lowest learned value; lower ones count as it.',
              examples: [-12],
            }),
            to: Type.Number({ examples: [27.5] }),
          },
          { ...strict, description: 'Absent when it is not used.' },
        ),
      ),
    },
    { ...strict, title: 'Covariate' },
  ),
  {
    description:
      'Results of the analysis for the sources that explain this one; absent without such sources.',
  },
);

/** How covariates changed what was expected of a day. */
export const explainedFactsSchema = Type.Object(
  {
    effect: Type.Number({ description: 'On the logarithmic scale.', examples: [0.113] }),
    planned: Type.Number({ description: 'Mean of the planned model.', examples: [81.2] }),
    expected: Type.Number({ description: 'The same after the effect.', examples: [90.9] }),
    covariates: Type.Array(
      Type.Object(
        { sourceId: sourceIdSchema, name: nameSchema, value: Type.Number({ examples: [-6] }) },
        strict,
      ),
    ),
    missing: Type.Optional(
      Type.Array(nameSchema, { description: 'Covariates without a value on the date.' }),
    ),
  },
  {
    ...strict,
    title: 'Explained',
    description: 'How other sources changed what was expected; absent for models without such sources.',
  },
);
