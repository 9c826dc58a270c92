import { linePattern, linesPattern } from '../../../domain/text.js';
import { scopes, subjectLengthMax } from '../middleware/tokens.js';
import Type from '../typebox.js';
import { authorFields, instantSchema, nullable, strict } from './common.js';

const jtiSchema = Type.String({ maxLength: 100, examples: ['5c0e8a11-0d3b-5f6e-9a41-7f2c1b0a9e88'] });
export const tokenParams = Type.Object({ jti: jtiSchema }, strict);

const nameField = {
  minLength: 1,
  maxLength: subjectLengthMax,
  description: 'Who uses it, a person or a device: the subject of the token, and the author of what it does.',
  examples: ['Gateway of hall 3'],
};
const scopesSchema = Type.Array(Type.Enum([...scopes]), {
  minItems: 1,
  uniqueItems: true,
  examples: [['read', 'import']],
});
const expiresFields = {
  minLength: 1,
  maxLength: 40,
  description:
    'An instant such as 2027-01-01T00:00:00Z, or a duration in days or hours: P90D, PT12H. At most 400 days away.',
  examples: ['P90D'],
};
export const newTokenSchema = Type.Object(
  {
    name: Type.String({ ...nameField, pattern: linePattern }),
    scopes: scopesSchema,
    expires: Type.String(expiresFields),
  },
  { ...strict, title: 'NewToken', description: 'A token with at most the scopes of your own.' },
);

/** The body of the first sign-in. */
export const firstTokenSchema = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 40,
      description:
        'The code of this start, from its terminal or its file. Hyphens, spaces and case do not count.',
      examples: ['7KQM-2XPF-9RTD'],
    }),
    name: Type.String({ ...nameField, pattern: linePattern, examples: ['anna'] }),
    expires: Type.Optional(
      Type.String({
        ...expiresFields,
        description: `${expiresFields.description} By default P90D.`,
      }),
    ),
  },
  { ...strict, title: 'FirstToken' },
);

const tokenFields = {
  jti: jtiSchema,
  name: Type.String(nameField),
  scopes: scopesSchema,
  issuedAt: instantSchema,
  expiresAt: instantSchema,
  ...authorFields,
};
export const tokensSchema = Type.Object(
  {
    tokens: Type.Array(
      Type.Object(
        {
          ...tokenFields,
          lastUsedAt: nullable(instantSchema, {
            description: 'When a request to this instance last had it; null for never since `usesSince`.',
          }),
        },
        { ...strict, title: 'Token' },
      ),
    ),
    usesSince: Type.String({
      ...instantSchema,
      description: 'The start of this instance: uses before it, and of other instances, are not known.',
    }),
  },
  { ...strict, title: 'Tokens' },
);
export const tokenTextSchema = Type.Object(
  {
    ...tokenFields,
    token: Type.String({
      description: 'The token itself. No other answer has it.',
      examples: ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzY29wZSI6InJlYWQifQ.c2lnbmF0dXJl'],
    }),
  },
  { ...strict, title: 'TokenText', description: 'A new token, once.' },
);

const reasonLengthMax = 2000;
export const revocationQuery = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: reasonLengthMax,
        pattern: linesPattern,
        description: 'Why, for the audit trail.',
        examples: ['The gateway was exchanged.'],
      }),
    ),
  },
  strict,
);
export const revokedTokenSchema = Type.Object({ jti: jtiSchema }, { ...strict, title: 'RevokedToken' });
