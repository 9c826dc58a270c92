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
  yearSchema,
  exampleProfile,
  text,
  named,
  flag,
  described,
  number,
  object,
} from './common.js';
import { alertChangesSchema } from './alert.js';
import { nameLengthMax } from '../../../domain/planning/models.js';

export const calendarCodeSchema = text(
  'Country (ISO 3166-1) or region (ISO 3166-2) of the public holidays: FR, DE-NW.',
  'FR',
  { maxLength: 6 },
);

/** The calendar that models were learned with, without its dates. */
export const usedCalendarSchema = named('Calendar', {
  code: Type.String({ examples: ['FR'] }),
  origin: Type.Enum(['given', 'inferred']),
  evidence: nullable(Type.String({ description: 'Why it was inferred.' }), { examples: [null] }),
  library: text('Source of the holidays, with its version.', 'date-holidays 3.37.0'),
});

const specialNameSchema = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: namePattern,
  examples: ['Trade fair'],
});

export const specialDaySchema = named('SpecialDay', { name: specialNameSchema });

const calendarDaySchema = named('CalendarDay', {
  date: dateSchema,
  type: Type.Enum(['holiday', 'bridge', 'christmas', 'special'], { examples: ['special'] }),
  name: nullable(Type.String({ examples: ['Trade fair'] })),
});
export const calendarYearSchema = named('CalendarYear', {
  days: Type.Array(calendarDaySchema),
  calendar: nullable(usedCalendarSchema),
});

/** One number a slice, in the unit of the source. */
export const profileSchema = (description: string, example: readonly number[]) =>
  Type.Array(Type.Number({ minimum: -valueMax, maximum: valueMax }), {
    minItems: 4,
    maxItems: 1440,
    description,
    examples: [example],
  });

/** The day of a request. */
export const suppliedDaySchema = named('SuppliedDay', {
  date: dateSchema,
  activity: Type.Array(nullable(Type.Number({ minimum: -valueMax, maximum: valueMax })), {
    minItems: 4,
    maxItems: 1440,
    description: `The values of a local day, one a slice: ${acceptedLengths.join(', ')}; null for a missing sample.`,
    examples: [exampleProfile()],
  }),
});

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
  flag('Present when the change of the day was smaller than `minChange` of its source.', true),
);

const checkSchema = named('Check', {
  outcome: outcomeSchema,
  plannedModelId: nullable(Type.Integer({ examples: [3] })),
  modelsVersion: Type.Integer({ examples: [1] }),
  checkedAt: instantSchema,
  belowFloor: belowFloorSchema,
});

/** Fields of a day that say how far it has come. */
export const progressFields = {
  inProgress: flag(
    'Whether local midnight and the lateness of the source have not passed: later slices are not missing yet.',
    false,
  ),
  observedUntil: nullable(Type.String({ examples: ['14:30'] }), {
    description: 'Local time of the end of the last slice with data of a date in progress; null for others.',
    examples: [null],
  }),
};

const leftOutSchema = described(
  'LeftOut',
  'Why a person left the reference day of the date out of learning; absent otherwise.',
  {
    reason: Type.String({ examples: ['The meter was exchanged.'] }),
    ...authorFields,
    at: instantSchema,
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
  completeness: number('Share of observed slices; on a date in progress, of those that have elapsed.', 1, {
    minimum: 0,
    maximum: 1,
  }),
  importId: Type.String({ examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
  importedAt: instantSchema,
  ...progressFields,
  check: nullable(checkSchema),
};

const daySchema = named('Day', {
  ...dayFields,
  modelId: nullable(Type.Integer({ examples: [3] }), {
    description: 'Nearest model of a reference day, planned model of a recent day.',
  }),
  ...referenceLeftOutField,
});

/** The day of `dayDetailsSchema`, which has the models themselves. */
export const storedDaySchema = named('StoredDay', dayFields);

export const earlierDaySchema = named('EarlierDay', {
  date: Type.String({ ...dateSchema, examples: ['2026-02-23'] }),
  activity: dayFields.activity,
  gaps: dayFields.gaps,
  outcome: nullable(outcomeSchema),
});

export const dayYearSchema = named('DayYear', {
  sourceId: sourceIdSchema,
  year: yearSchema,
  days: Type.Array(daySchema),
});

const reasonSchema = (example: string) =>
  text('Why; stored encrypted, as comments are.', example, {
    minLength: 1,
    maxLength: textLengthMax,
    pattern: linesPattern,
  });

export const takeBackQuery = object({ reason: Type.Optional(reasonSchema('Day and month were swapped.')) });

export const leaveOutBody = named('LeavingOut', { reason: reasonSchema('The meter was exchanged.') });

/** Answer of the routes that leave a reference day out. */
export const leaveOutAnswers = {
  200: {
    description: 'Whether the reference day is left out, from the next models on',
    schema: named('ReferenceDay', { sourceId: sourceIdSchema, date: dateSchema, ...referenceLeftOutField }),
  },
};

const takenBackSchema = named('DayTakenBack', {
  sourceId: sourceIdSchema,
  date: dateSchema,
  day: nullable(storedDaySchema, { description: 'The reference day that shows again; null for none.' }),
  alerts: alertChangesSchema,
});

/** Answers of the route that takes a recent day back. */
export const takenBackAnswers = {
  200: {
    description: 'The date has no recent day; its unprocessed alerts are invalidated',
    schema: takenBackSchema,
  },
  202: { description: 'The date has no recent day; its alerts follow', schema: takenBackSchema },
};
