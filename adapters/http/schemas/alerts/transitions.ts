import Type from '../../typebox.js';
import { linesPattern } from '../../../../domain/harmlessText.js';
import { episodeIdsMax } from '../../../../projections/alerts/episodePages.js';
import { nullable, strict } from '../common.js';
import { alertIdSchema, alertSchema, verdictSchema } from './alert.js';

const commentLengthMax = 2000;

const resolutionFields = {
  verdict: verdictSchema,
  comment: Type.Optional(
    nullable(
      Type.String({
        maxLength: commentLengthMax,
        pattern: linesPattern,
        examples: ['The doors were closed at noon.'],
      }),
    ),
  ),
};

/** Ids of the alerts that a request changes. */
const alertIdsSchema = Type.Array(Type.String({ maxLength: 40 }), {
  minItems: 1,
  maxItems: episodeIdsMax,
  uniqueItems: true,
  examples: [['12-20260302-1', '12-20260303-1']],
});

export const resolutionSchema = Type.Object(resolutionFields, { ...strict, title: 'Resolution' });
export const alertIdsBody = Type.Object({ ids: alertIdsSchema }, { ...strict, title: 'AlertIds' });
export const resolutionsSchema = Type.Object(
  { ids: alertIdsSchema, ...resolutionFields },
  { ...strict, title: 'Resolutions' },
);

const transitionSchema = Type.Object(
  {
    id: alertIdSchema,
    outcome: Type.Enum(['changed', 'unchanged', 'refused'], {
      description: 'unchanged: it was in that state already.',
    }),
    code: nullable(Type.Enum(['alertNotFound', 'alertTransition']), { examples: [null] }),
    detail: nullable(Type.String(), { examples: [null] }),
    alert: nullable(alertSchema),
  },
  { ...strict, title: 'AlertTransition' },
);

export const transitionsSchema = Type.Object(
  {
    results: Type.Array(transitionSchema, { description: 'In the order of the request.' }),
    counts: Type.Object(
      {
        changed: Type.Integer({ examples: [1] }),
        unchanged: Type.Integer({ examples: [0] }),
        refused: Type.Integer({ examples: [0] }),
      },
      strict,
    ),
  },
  { ...strict, title: 'AlertTransitions' },
);
