import Type from '../typebox.js';
import { warningCodes } from '../../../application/requests/imports/importWarnings.js';
import { outcomes } from '../../../domain/alerts/findings.js';
import { alertChangesSchema } from './alert.js';
import {
  dateSchema,
  nullable,
  sourceIdSchema,
  flag,
  named,
  text,
  integer,
  number,
  object,
} from './common.js';
import { valueMax } from '../../../application/requests/imports/assembleDays.js';
import { belowFloorSchema, outcomeText, progressFields, suppliedDaySchema } from './day.js';
import { pointsMax } from '../../../application/requests/points/pointList.js';
import { analysisSchema, sourceSchema } from './source.js';

/** Whether days after tomorrow are accepted. */
export const allowFutureSchema = Type.Optional(
  flag(
    'Accepts days after tomorrow of the source’s clock. They do not count for silence, learning again and the overview.',
    false,
  ),
);

/** Body of recent days in JSON. */
export const dayImportSchema = named('DayImport', {
  sourceId: sourceIdSchema,
  days: Type.Array(suppliedDaySchema),
});

const pointSchema = named('Point', {
  at: text(
    'ISO 8601 instant with Z or an offset, with up to microseconds; without either by the clock of the source ' +
      'with clock=local.',
    '2026-03-02T08:10:00Z',
    { maxLength: 64 },
  ),
  value: Type.Number({ minimum: -valueMax, maximum: valueMax, examples: [12.5] }),
});

/** Body of points in JSON. */
export const pointsSchema = named('PointImport', {
  sourceId: sourceIdSchema,
  points: Type.Array(pointSchema, { minItems: 1, maxItems: pointsMax }),
});

/** A warning of an import or an inspection. */
export const warningSchema = named('Warning', {
  code: text(`One of ${warningCodes.join(', ')}; later versions may have others.`, 'lessThanAYear'),
  detail: Type.String({ description: 'What was seen, and where.' }),
  cure: text(
    'What to do about it: one sentence.',
    'Learn the source again when it has data of a whole year.',
  ),
});
const importSchema = named('Import', {
  id: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
  lines: integer('Lines of CSV; 0 for JSON.', 0),
  points: Type.Optional(Type.Integer({ description: 'Number of points; absent for days.' })),
  days: Type.Integer({ examples: [1] }),
  missingSamples: Type.Integer({ examples: [0] }),
  filledSamples: integer('Filled by interpolation.', 0),
  duplicates: integer('Samples that were repeated with the same value.', 0),
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
    named('LocalStamps', {
      repeatedHour: Type.Integer({ description: 'Rows in hours that occur twice; their order decided.' }),
      skippedHour: Type.Integer({
        description: 'Rows in hours that the clock skips; they were left out.',
      }),
    }),
  ),
});

export const sourceCreatedSchema = named('SourceCreated', {
  source: sourceSchema,
  import: importSchema,
  analysis: analysisSchema,
});

const importedDaySchema = named('ImportedDay', {
  date: dateSchema,
  status: Type.Enum(['pending', 'unchecked', ...outcomes], {
    description: `${outcomeText} unchecked: no slice of a date in progress was compared yet.`,
    examples: ['abnormal'],
  }),
  belowFloor: belowFloorSchema,
  ...progressFields,
  completeness: number('Share of observed slices.', 1, { minimum: 0, maximum: 1 }),
  plannedModel: nullable(
    object({
      id: Type.Integer({ examples: [3] }),
      name: nullable(Type.String({ examples: ['Monday–Friday'] }), {
        description: 'null for a deleted model',
      }),
    }),
  ),
  missingCovariates: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Sources that explain this one and had no value when the day was checked: it is checked again when they come. ' +
        'Absent when all had one.',
      examples: [['Temperature Oslo']],
    }),
  ),
});
export const importResultSchema = named('ImportResult', {
  import: importSchema,
  days: Type.Array(importedDaySchema, { description: 'Days of the import that no later import replaced.' }),
  alerts: alertChangesSchema,
});
