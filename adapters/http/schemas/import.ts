import Type from '../typebox.js';
import { warningCodes } from '../../../application/requests/imports/importWarnings.js';
import { outcomes } from '../../../domain/alerts/findings.js';
import { alertChangesSchema } from './alert.js';
import { dateSchema, nullable, sourceIdSchema, strict } from './common.js';
import { valueMax } from '../../../application/requests/imports/assembleDays.js';
import { belowFloorSchema, outcomeText, progressFields, suppliedDaySchema } from './day.js';
import { pointsMax } from '../../../application/requests/points/pointList.js';
import { analysisSchema, sourceSchema } from './source.js';

/** Whether days after tomorrow are accepted. */
export const allowFutureSchema = Type.Optional(
  Type.Boolean({
    description:
      'Accepts days after tomorrow of the source’s clock. They do not count for silence, learning again and the overview.',
    examples: [false],
  }),
);

/** Body of recent days in JSON. */
export const dayImportSchema = Type.Object(
  { sourceId: sourceIdSchema, days: Type.Array(suppliedDaySchema) },
  { ...strict, title: 'DayImport' },
);

const pointSchema = Type.Object(
  {
    at: Type.String({
      maxLength: 64,
      description:
        'ISO 8601 instant with Z or an offset, with up to microseconds; without either by the clock of the source ' +
        'with clock=local.',
      examples: ['2026-03-02T08:10:00Z'],
    }),
    value: Type.Number({ minimum: -valueMax, maximum: valueMax, examples: [12.5] }),
  },
  { ...strict, title: 'Point' },
);

/** Body of points in JSON. */
export const pointsSchema = Type.Object(
  { sourceId: sourceIdSchema, points: Type.Array(pointSchema, { minItems: 1, maxItems: pointsMax }) },
  { ...strict, title: 'PointImport' },
);

/** A warning of an import or an inspection. */
export const warningSchema = Type.Object(
  {
    code: Type.String({
      description: `One of ${warningCodes.join(', ')}; later versions may have others.`,
      examples: ['lessThanAYear'],
    }),
    detail: Type.String({ description: 'What was seen, and where.' }),
    cure: Type.String({
      description: 'What to do about it: one sentence.',
      examples: ['Learn the source again when it has data of a whole year.'],
    }),
  },
  { ...strict, title: 'Warning' },
);
const importSchema = Type.Object(
  {
    id: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
    lines: Type.Integer({ description: 'Lines of CSV; 0 for JSON.', examples: [0] }),
    points: Type.Optional(Type.Integer({ description: 'Number of points; absent for days.' })),
    days: Type.Integer({ examples: [1] }),
    missingSamples: Type.Integer({ examples: [0] }),
    filledSamples: Type.Integer({ description: 'Filled by interpolation.', examples: [0] }),
    duplicates: Type.Integer({
      description: 'Samples that were repeated with the same value.',
      examples: [0],
    }),
    warnings: Type.Array(warningSchema, { examples: [[]] }),
    notes: Type.Optional(
      Type.Array(Type.String(), {
        description: 'How sampling and lengths were converted, one sentence each.',
        examples: [[]],
      }),
    ),
    zoneData: Type.Optional(
      Type.String({ description: 'Release of the time zone data that cut the days; absent for UTC.' }),
    ),
    localStamps: Type.Optional(
      Type.Object(
        {
          repeatedHour: Type.Integer({ description: 'Rows in hours that occur twice; their order decided.' }),
          skippedHour: Type.Integer({
            description: 'Rows in hours that the clock skips; they were left out.',
          }),
        },
        { ...strict, title: 'LocalStamps' },
      ),
    ),
  },
  { ...strict, title: 'Import' },
);

export const sourceCreatedSchema = Type.Object(
  { source: sourceSchema, import: importSchema, analysis: analysisSchema },
  { ...strict, title: 'SourceCreated' },
);

const importedDaySchema = Type.Object(
  {
    date: dateSchema,
    status: Type.Enum(['pending', 'unchecked', ...outcomes], {
      description: `${outcomeText} unchecked: no slice of a date in progress was compared yet.`,
      examples: ['abnormal'],
    }),
    belowFloor: belowFloorSchema,
    ...progressFields,
    completeness: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of observed slices.',
      examples: [1],
    }),
    plannedModel: nullable(
      Type.Object(
        {
          id: Type.Integer({ examples: [3] }),
          name: nullable(Type.String({ examples: ['Monday–Friday'] }), {
            description: 'null for a deleted model',
          }),
        },
        strict,
      ),
    ),
    missingCovariates: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Sources that explain this one and had no value when the day was checked: it is checked again when they come. ' +
          'Absent when all had one.',
        examples: [['Temperature Oslo']],
      }),
    ),
  },
  { ...strict, title: 'ImportedDay' },
);
export const importResultSchema = Type.Object(
  {
    import: importSchema,
    days: Type.Array(importedDaySchema, { description: 'Days of the import that no later import replaced.' }),
    alerts: alertChangesSchema,
  },
  { ...strict, title: 'ImportResult' },
);
