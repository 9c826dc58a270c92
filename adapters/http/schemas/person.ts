import Type from '../typebox.js';
import { subjectLengthMax } from '../middleware/tokens.js';
import { strict } from './common.js';

export const erasureSchema = Type.Object(
  { subject: Type.String({ minLength: 1, maxLength: subjectLengthMax, examples: ['anna'] }) },
  { ...strict, title: 'Erasure' },
);

export const erasedPersonSchema = Type.Object(
  {
    personId: Type.String({
      description: 'The random id that remains in events.',
      examples: ['5e1f0c9ab37d4e6880a1b2c3d4e5f607'],
    }),
  },
  { ...strict, title: 'ErasedPerson' },
);
