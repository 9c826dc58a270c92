import Type from '../typebox.js';
import { tableNames } from '../../../application/tables/dataTables.js';
import { answerFormats } from '../../tables/formats.js';
import { asOfSchema, dateSchema, nullable, sourceIdSchema, strict } from './common.js';

export const tableParams = Type.Object(
  { source_id: sourceIdSchema, table: Type.Enum([...tableNames], { examples: ['residuals'] }) },
  strict,
);

export const tableQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        ...dateSchema,
        description: 'Unless given, 366 days before `to`.',
        examples: ['2026-01-01'],
      }),
    ),
    to: Type.Optional(
      Type.String({
        ...dateSchema,
        description: 'Exclusive. Unless given, the day after the newest data.',
        examples: ['2026-04-01'],
      }),
    ),
    format: Type.Optional(
      Type.Enum([...answerFormats], {
        description: 'Unless given, by the header Accept; arrow is a stream of Arrow IPC.',
        examples: ['json'],
      }),
    ),
    asOf: asOfSchema,
  },
  strict,
);

export const tableSchema = Type.Object(
  {
    columns: Type.Array(
      Type.Object(
        {
          name: Type.String({ examples: ['date'] }),
          kind: Type.Enum(['text', 'integer', 'number', 'boolean', 'date', 'instant'], {
            examples: ['date'],
          }),
        },
        strict,
      ),
    ),
    rows: Type.Array(
      Type.Array(nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])), {
        description: 'A value for each column.',
        examples: [['2026-03-02']],
      }),
    ),
  },
  { ...strict, title: 'Table' },
);
