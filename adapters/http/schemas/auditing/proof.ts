import Type from '../../typebox.js';
import { instantSchema, strict } from '../common.js';

const hashSchema = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256.',
  examples: ['5f'.repeat(32)],
});
const pathSchema = Type.Array(hashSchema, { description: 'Hashes in the order of RFC 9162.' });

/** Number of events of a log. */
export const treeSizeSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [530] });

const successionSchema = Type.Object(
  {
    keyId: Type.String({ description: 'Id of the earlier key, which signs.' }),
    nextKey: Type.String({ description: 'The later public key: SPKI, DER, base64.' }),
    at: instantSchema,
    signature: Type.String(),
  },
  { ...strict, title: 'KeySuccession' },
);

export const checkpointSchema = Type.Object(
  {
    origin: Type.String({
      description: 'Id of the first event of the log.',
      examples: ['0b7c0001-1f2e-5a3b-9c4d-0123456789ab'],
    }),
    size: Type.Integer({
      minimum: 1,
      description: 'Number of events of the log, of all tenants.',
      examples: [530],
    }),
    root: hashSchema,
    at: instantSchema,
    keyId: Type.String({
      description: 'SHA-256 of the public key (SPKI, DER).',
      examples: ['ab'.repeat(32)],
    }),
    signature: Type.String({
      description: 'Ed25519, base64, over the canonical JSON (RFC 8785) of the fields before it.',
      examples: [`${'A'.repeat(86)}==`],
    }),
    successions: Type.Optional(
      Type.Array(successionSchema, { description: 'Changes of the key, oldest first.', examples: [[]] }),
    ),
  },
  { ...strict, title: 'Checkpoint' },
);

export const inclusionProofSchema = Type.Object(
  {
    leaf: Type.String({
      description: 'The line of the event in an export.',
      examples: ['{"at":"2026-03-02…"}'],
    }),
    leafIndex: Type.Integer({ minimum: 0, examples: [411] }),
    treeSize: treeSizeSchema,
    inclusionPath: pathSchema,
  },
  { ...strict, title: 'InclusionProof' },
);

export const consistencyProofSchema = Type.Object(
  {
    from: Type.Integer({ ...treeSizeSchema, examples: [400] }),
    to: treeSizeSchema,
    consistencyPath: pathSchema,
  },
  { ...strict, title: 'ConsistencyProof' },
);
