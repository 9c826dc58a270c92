import Type from '../../typebox.js';
import { sliceCounts } from '../../../../domain/day.js';
import { decimals, separatorNames, type SeparatorName } from '../../../csv/csvForm.js';
import { dateFormats } from '../../../csv/stampFormats.js';
import { dateSchema, nullable, strict } from '../common.js';
import { csvForm } from '../source.js';

const columnSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1, examples: [1] }),
    name: nullable(Type.String({ examples: ['date'] })),
    kind: Type.Enum(['date', 'value', 'other']),
    example: Type.String({ examples: ['2026-03-02T00:00:00'] }),
  },
  { ...strict, title: 'CsvColumn' },
);

const samplingSchema = Type.Object(
  {
    seconds: Type.Number({ description: 'Median of the seconds between two rows.', examples: [3600] }),
    activitySize: Type.Enum([...sliceCounts], {
      description: 'Slices a day of a new source.',
      examples: [24],
    }),
    note: Type.String({ examples: ['hourly data, kept as 24 hours: 1 value a slice'] }),
  },
  { ...strict, title: 'CsvSampling' },
);

const problemSchema = Type.Object(
  { code: Type.String({ examples: ['noDates'] }), detail: Type.String() },
  { ...strict, title: 'CsvProblem' },
);

export const inspectionSchema = Type.Object(
  {
    separator: Type.Enum([...(Object.keys(separatorNames) as SeparatorName[])], { examples: ['semicolon'] }),
    decimal: nullable(Type.Enum([...decimals], { examples: [','] })),
    dateFormat: nullable(Type.Enum([...dateFormats])),
    header: nullable(Type.Array(Type.String(), { examples: [['date', 'value']] })),
    columns: Type.Array(columnSchema),
    rows: Type.Integer({ minimum: 0, description: 'Number of inspected rows of data.', examples: [8760] }),
    isWhole: Type.Boolean({
      description: 'Whether the whole body was inspected, or its first million bytes.',
      examples: [true],
    }),
    sampling: nullable(samplingSchema),
    days: Type.Array(
      Type.Object({ date: dateSchema, rows: Type.Integer({ minimum: 1, examples: [24] }) }, strict),
      { description: 'The first dates, as in the file.' },
    ),
    range: nullable(
      Type.Object({ min: Type.Number({ examples: [0] }), max: Type.Number({ examples: [131.5] }) }, strict),
      { description: 'Smallest and largest value.' },
    ),
    parameters: Type.Object(csvForm, {
      ...strict,
      description: 'Parameters that an import of this file needs; none for the default format.',
      examples: [{}],
    }),
    query: Type.String({ description: 'These parameters as the query of a URL.', examples: [''] }),
    problems: Type.Array(problemSchema, { description: 'Reasons why an import would fail.', examples: [[]] }),
  },
  { ...strict, title: 'CsvInspection' },
);
