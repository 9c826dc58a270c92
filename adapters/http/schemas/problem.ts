import Type from '../typebox.js';
import { faultsMax } from '../../../application/imports/faults.js';
import { strict } from './common.js';

const faultSchema = Type.Object(
  {
    code: Type.String({ examples: ['maximum'] }),
    detail: Type.String({
      description: 'The given and the expected value.',
      examples: ['got 900, expected at most 500'],
    }),
    pointer: Type.Optional(
      Type.String({
        description: 'JSON Pointer (RFC 6901) into the body, or /query/… or /path/…',
        examples: ['/query/limit'],
      }),
    ),
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line of a CSV body; a header is line 1.' })),
    column: Type.Optional(Type.Integer({ minimum: 1, description: 'Field of the line.' })),
    count: Type.Optional(
      Type.Integer({ description: 'Number of faults with this cause; this is the first of them.' }),
    ),
    value: Type.Optional(Type.String({ description: 'The value, cut to 80 characters.', examples: ['501'] })),
  },
  { ...strict, title: 'Fault' },
);

/** The answer to a refused request (RFC 9457). */
export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'urn:daybook:problem:{code}' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'The problem and the next step.' }),
    code: Type.String(),
    errors: Type.Optional(
      Type.Array(faultSchema, { maxItems: faultsMax, description: `The faults, up to ${faultsMax}.` }),
    ),
  },
  { title: 'Problem' },
);
