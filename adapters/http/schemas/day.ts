import Type from '../typebox.js';
import { linesPattern, namePattern, textLengthMax } from '../../../domain/text.js';
import { valueMax } from '../../../application/requests/imports/assembleDays.js';
import { acceptedLengths } from '../../../domain/day.js';
import { outcomes } from '../../../domain/alerts/findings.js';
import {
  authorFields,
  dateSchema,
  instantSchema,
  nullable,
  sourceIdSchema,
  strict,
  yearSchema,
  exampleProfile,
} from './common.js';
import { alertChangesSchema } from './alert.js';
import { nameLengthMax } from '../../../domain/planning/models.js';

export const calendarCodeSchema = Type.String({
  maxLength: 6,
  description: 'Country (ISO 3166-1) or region (ISO 3166-2) of the public holidays: FR, DE-NW.',
  examples: ['FR'],
});

/** The calendar that models were learned with, without its dates. */
export const usedCalendarSchema = Type.Object(
  {
    code: Type.String({ examples: ['FR'] }),
    origin: Type.Enum(['given', 'inferred']),
    evidence: nullable(Type.String({ description: 'Why it was inferred.' }), { examples: [null] }),
    library: Type.String({
      description: 'Source of the holidays, with its version.',
      examples: ['date-holidays 3.37.0'],
    }),
  },
  { ...strict, title: 'Calendar' },
);

const specialNameSchema = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: namePattern,
  examples: ['Trade fair'],
});

export const specialDaySchema = Type.Object({ name: specialNameSchema }, { ...strict, title: 'SpecialDay' });

const calendarDaySchema = Type.Object(
  {
    date: dateSchema,
    type: Type.Enum(['holiday', 'bridge', 'christmas', 'special'], { examples: ['special'] }),
    name: nullable(Type.String({ examples: ['Trade fair'] })),
  },
  { ...strict, title: 'CalendarDay' },
);
export const calendarYearSchema = Type.Object(
  { days: Type.Array(calendarDaySchema), calendar: nullable(usedCalendarSchema) },
  { ...strict, title: 'CalendarYear' },
);

/** One number a slice, in the unit of the source. */
export const profileSchema = (description: string, example: readonly number[]) =>
  Type.Array(Type.Number({ minimum: -valueMax, maximum: valueMax }), {
    minItems: 4,
    maxItems: 1440,
    description,
    examples: [example],
  });

/** The day of a request. */
export const suppliedDaySchema = Type.Object(
  {
    date: dateSchema,
    activity: Type.Array(nullable(Type.Number({ minimum: -valueMax, maximum: valueMax })), {
      minItems: 4,
      maxItems: 1440,
      description: `The values of a local day, one a slice: ${acceptedLengths.join(', ')}; null for a missing sample.`,
      examples: [exampleProfile()],
    }),
  },
  { ...strict, title: 'SuppliedDay' },
);

const runsSchema = (description: string) =>
  Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }), {
    description: `${description}: runs [from, to) of slices, counted from 0.`,
    examples: [[]],
  });

export const outcomeText =
  'gap: too few observed slices; drift: the source moved as a whole, which explains the broken limits; ' +
  'notCompared: no model is planned.';

const outcomeSchema = Type.Enum([...outcomes], { description: outcomeText });

export const belowFloorSchema = Type.Optional(
  Type.Boolean({
    description: 'Present when the change of the day was smaller than `minChange` of its source.',
    examples: [true],
  }),
);

const checkSchema = Type.Object(
  {
    outcome: outcomeSchema,
    plannedModelId: nullable(Type.Integer({ examples: [3] })),
    modelsVersion: Type.Integer({ examples: [1] }),
    checkedAt: instantSchema,
    belowFloor: belowFloorSchema,
  },
  { ...strict, title: 'Check' },
);

/** Fields of a day that say how far it has come. */
export const progressFields = {
  inProgress: Type.Boolean({
    description:
      'Whether local midnight and the lateness of the source have not passed: later slices are not missing yet.',
    examples: [false],
  }),
  observedUntil: nullable(Type.String({ examples: ['14:30'] }), {
    description: 'Local time of the end of the last slice with data of a date in progress; null for others.',
    examples: [null],
  }),
};

const leftOutSchema = Type.Object(
  {
    reason: Type.String({ examples: ['The meter was exchanged.'] }),
    ...authorFields,
    at: instantSchema,
  },
  {
    ...strict,
    title: 'LeftOut',
    description: 'Why a person left the reference day of the date out of learning; absent otherwise.',
  },
);

/** Why the reference day of a date is left out of learning. */
export const referenceLeftOutField = { referenceLeftOut: Type.Optional(leftOutSchema) };

const dayFields = {
  date: dateSchema,
  kind: Type.Enum(['reference', 'recent'], { examples: ['recent'] }),
  activity: profileSchema('The values of the day, one a slice.', exampleProfile()),
  gaps: runsSchema('Slices without a sample'),
  filled: runsSchema('Slices filled by interpolation'),
  skipped: Type.Optional(runsSchema('Slices that the local clock skipped')),
  completeness: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of observed slices; on a date in progress, of those that have elapsed.',
    examples: [1],
  }),
  importId: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
  importedAt: instantSchema,
  ...progressFields,
  check: nullable(checkSchema),
};

const daySchema = Type.Object(
  {
    ...dayFields,
    modelId: nullable(Type.Integer({ examples: [3] }), {
      description: 'Nearest model of a reference day, planned model of a recent day.',
    }),
    ...referenceLeftOutField,
  },
  { ...strict, title: 'Day' },
);

/** The day of `dayDetailsSchema`, which has the models themselves. */
export const storedDaySchema = Type.Object(dayFields, { ...strict, title: 'StoredDay' });

export const earlierDaySchema = Type.Object(
  {
    date: Type.String({ ...dateSchema, examples: ['2026-02-23'] }),
    activity: dayFields.activity,
    gaps: dayFields.gaps,
    outcome: nullable(outcomeSchema),
  },
  { ...strict, title: 'EarlierDay' },
);

export const dayYearSchema = Type.Object(
  { sourceId: sourceIdSchema, year: yearSchema, days: Type.Array(daySchema) },
  { ...strict, title: 'DayYear' },
);

const reasonSchema = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: textLengthMax,
    pattern: linesPattern,
    description: 'Why; stored encrypted, as comments are.',
    examples: [example],
  });

export const takeBackQuery = Type.Object(
  { reason: Type.Optional(reasonSchema('Day and month were swapped.')) },
  strict,
);

export const leaveOutBody = Type.Object(
  { reason: reasonSchema('The meter was exchanged.') },
  { ...strict, title: 'LeavingOut' },
);

/** Answer of the routes that leave a reference day out. */
export const leaveOutAnswers = {
  200: {
    description: 'Whether the reference day is left out, from the next models on',
    schema: Type.Object(
      { sourceId: sourceIdSchema, date: dateSchema, ...referenceLeftOutField },
      { ...strict, title: 'ReferenceDay' },
    ),
  },
};

const takenBackSchema = Type.Object(
  {
    sourceId: sourceIdSchema,
    date: dateSchema,
    day: nullable(storedDaySchema, { description: 'The reference day that shows again; null for none.' }),
    alerts: alertChangesSchema,
  },
  { ...strict, title: 'DayTakenBack' },
);

/** Answers of the route that takes a recent day back. */
export const takenBackAnswers = {
  200: {
    description: 'The date has no recent day; its unprocessed alerts are invalidated',
    schema: takenBackSchema,
  },
  202: { description: 'The date has no recent day; its alerts follow', schema: takenBackSchema },
};
