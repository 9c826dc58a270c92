import { analysisStatuses } from '../../../projections/sources/sourceRecords.js';
import Type, { type Static } from '../typebox.js';
import { aggregations, interpolationMethods, sliceCounts } from '../../../domain/day.js';
import { relearnReasons } from '../../../domain/source/reference.js';
import {
  columnNameMax,
  decimals,
  separatorNames,
  type SeparatorName,
  dateFormats,
  isOneColumn,
} from '../../csv/csvForm.js';
import { stampClocks, type CsvRule } from '../../csv/readings.js';
import { timeZoneLengthMax } from '../../timeZones.js';
import { calendarCodeSchema, usedCalendarSchema, suppliedDaySchema } from './day.js';
import {
  dateSchema,
  instantSchema,
  nullable,
  parkedMarkSchema,
  sourceIdSchema,
  strict,
  yearSchema,
  nextCursorSchema,
  text,
  named,
  described,
  number,
  flag,
  integer,
  object,
} from './common.js';
import { explainedByResultSchema } from './covariate.js';
import { describedFields, givenDescription } from './description.js';
import {
  boundsSchema,
  choiceSchema,
  coverageSchema,
  cyclesSchema,
  learnedFields,
  leftOutSchema,
  restoredFromSchema,
} from './model.js';
import { InvalidInput } from '../../../application/requests/imports/faults.js';

const aggregationSchema = Type.Enum([...aggregations], {
  description:
    'How samples become slices: their mean, their sum for amounts, or counter for registers, whose CSV rows are ' +
    'cumulative readings: a slice is the rise of the register. JSON days of a counter hold amounts.',
});
const interpolationMethodSchema = Type.Enum([...interpolationMethods], {
  description: 'zero: a slice without a sample is a gap; linear: it is interpolated.',
});

const timeZoneSchema = text('IANA time zone: days are cut at its midnight. UTC by default.', 'Europe/Paris', {
  maxLength: timeZoneLengthMax,
});

const columnSchema = (content: string, example: string) =>
  Type.Optional(
    text(`Column of the ${content}: its number, from 1, or its name in the header.`, example, {
      minLength: 1,
      maxLength: columnNameMax,
    }),
  );

/** Form of a CSV body. */
export const csvForm = {
  separator: Type.Optional(
    Type.Enum([...(Object.keys(separatorNames) as SeparatorName[])], {
      description: 'Separator of the columns, as a character or by its name; semicolon by default.',
      examples: ['semicolon'],
    }),
  ),
  decimal: Type.Optional(Type.Enum([...decimals], { description: 'Decimal mark; a comma by default.' })),
  dateFormat: Type.Optional(Type.Enum([...dateFormats], { description: 'ISO by default.' })),
  dateColumn: columnSchema('dates', '1'),
  valueColumn: columnSchema('values', '2'),
};

/** Choices of a request with a CSV body, which the source does not keep. */
export const csvChoices = {
  ...csvForm,
  clock: Type.Optional(
    Type.Enum([...stampClocks], {
      description:
        'Clock of stamps without an offset: utc (default), or local, that of the time zone of the source.',
    }),
  ),
};

/** Choices at the creation of a source, which keeps them. */
export const sourceChoices = {
  activitySize: Type.Optional(
    Type.Enum([...sliceCounts, 1440], {
      description: 'Slices a day. The finest that the data fill by default; 1440 is kept as 144.',
      examples: [24],
    }),
  ),
  interpolationMethod: Type.Optional(interpolationMethodSchema),
  aggregation: Type.Optional(aggregationSchema),
  calendar: Type.Optional(calendarCodeSchema),
  timeZone: Type.Optional(timeZoneSchema),
  coverage: Type.Optional(coverageSchema),
};

/** Body of a creation in JSON. */
export const sourceCreationSchema = named('SourceCreation', {
  ...givenDescription,
  referenceYear: yearSchema,
  days: Type.Array(suppliedDaySchema),
  ...sourceChoices,
});

/** Body of the creation of a source without a reference. */
export const collectingSourceSchema = named('CollectingSource', {
  ...givenDescription,
  ...sourceChoices,
  activitySize: Type.Enum([...sliceCounts, 1440], { examples: [144] }),
});

export const analysisSchema = Type.Object(
  {
    status: Type.Enum([...analysisStatuses], { examples: ['completed'] }),
    usableDays: Type.Optional(
      Type.Integer({
        description:
          'Days up to tomorrow with three quarters of their slices, observed or interpolated, of a source that ' +
          'collects its reference.',
      }),
    ),
    learnsAt: Type.Optional(
      nullable(Type.String({ ...dateSchema, examples: ['2026-05-01'] }), {
        description: 'Date of the first models if each day has data; null before the first usable day.',
      }),
    ),
    requestedAt: Type.Optional(instantSchema),
    completedAt: Type.Optional(instantSchema),
    failedAt: Type.Optional(instantSchema),
    referenceExtendedAt: Type.Optional({
      ...instantSchema,
      description:
        'When days were added to the reference while models that people set stayed; absent when the models are ' +
        'later. A reset learns from the longer reference.',
    }),
    requestId: Type.Optional(Type.String({ description: 'Request of the analysis that failed.' })),
    code: Type.Optional(Type.String({ description: 'Code of the failure.' })),
    detail: Type.Optional(Type.String({ description: 'Reason of the failure.' })),
    modelCount: Type.Optional(Type.Integer({ description: 'Requested, then learned.' })),
    modelsVersion: Type.Optional(Type.Integer()),
    restoredFrom: Type.Optional(restoredFromSchema),
    engine: Type.Optional(Type.String({ description: 'Name and version of the analysis.' })),
    seed: Type.Optional(Type.Integer()),
    usedDays: Type.Optional(Type.Integer({ description: 'Number of reference days learned from.' })),
    leftOut: Type.Optional(leftOutSchema),
    bounds: Type.Optional(boundsSchema),
    choice: Type.Optional(choiceSchema),
    explainedBy: Type.Optional(explainedByResultSchema),
    calendar: Type.Optional(nullable(usedCalendarSchema)),
    cycles: Type.Optional(cyclesSchema),
    hitRate: Type.Optional(learnedFields.hitRate),
  },
  {
    ...strict,
    title: 'Analysis',
    description:
      'State of the latest analysis; the fields depend on the status, and on whether the models are automatic. The ' +
      'model of each reference day is in GET /v1/day/list, the dates of the calendar are in GET /v1/calendar/list.',
    examples: [{ status: 'completed', completedAt: '2026-03-01T09:20:30.125Z', modelsVersion: 1 }],
  },
);

const referenceSchema = described(
  'Reference',
  'The reference days. A source that collects its reference has 0 days until it learns, and the date of its ' +
    'creation as `from` and `to`.',
  {
    from: Type.String({ ...dateSchema, examples: ['2025-01-01'] }),
    to: Type.String({ ...dateSchema, examples: ['2025-12-31'] }),
    days: Type.Integer({ examples: [365] }),
    completeDays: Type.Integer({ examples: [363] }),
    completeness: number('Median over the reference days, 0–1.', 1),
  },
);

const relearnProposalSchema = named('RelearnProposal', {
  reason: Type.Enum([...relearnReasons], {
    description:
      'limitsAtMaximum: the adaptive factor is at its maximum; drift: the source drifts for 28 days or more; ' +
      'yearOfData: a full year of recent days is there.',
    examples: ['drift'],
  }),
  since: Type.String({ ...dateSchema, examples: ['2026-02-03'] }),
  sentence: Type.String({
    examples: [
      'The source has been on another level than its reference since 2026-02-03; it can be learned again from the last year.',
    ],
  }),
  possible: flag('Whether a full year of recent days is there.', true),
});

export const sourceSchema = named('Source', {
  id: sourceIdSchema,
  ...describedFields,
  referenceYear: Type.Integer({ examples: [2025] }),
  activitySize: integer('Slices a day.', 24),
  interpolationMethod: interpolationMethodSchema,
  aggregation: aggregationSchema,
  timeZone: text('IANA time zone: days are cut at its midnight.', 'Europe/Paris'),
  calendar: nullable(Type.String({ examples: ['FR'] }), {
    description: 'Calendar of the public holidays: given, or inferred by the analysis.',
  }),
  calendarOrigin: nullable(Type.Enum(['given', 'inferred'])),
  calendarEvidence: nullable(Type.String({ description: 'Why this calendar was inferred.' }), {
    examples: [null],
  }),
  reference: referenceSchema,
  analysis: analysisSchema,
  modelsOrigin: nullable(Type.Enum(['automatic', 'custom'])),
  modelsVersion: integer('0 without models, incremented with each change.', 1, { minimum: 0 }),
  counts: object({
    referenceDays: Type.Integer({ examples: [365] }),
    recentDays: Type.Integer({ examples: [61] }),
    models: Type.Integer({ examples: [3] }),
    unprocessedAlerts: integer('Open or acknowledged alerts.', 2),
  }),
  lastData: Type.Object(
    { date: Type.String({ ...dateSchema, examples: ['2026-03-02'] }), importedAt: instantSchema },
    { ...strict, description: 'Last date with data, and the instant of the last import.' },
  ),
  createdAt: instantSchema,
  relearnProposed: nullable(relearnProposalSchema, {
    description: 'Why the source should be learned again from recent days; null for no reason.',
    examples: [null],
  }),
  relearnedFrom: nullable(Type.Integer(), {
    description: 'The source whose recent days are the reference of this one.',
    examples: [null],
  }),
  relearnedAs: nullable(Type.Integer(), {
    description: 'The source that was learned from recent days of this one.',
    examples: [null],
  }),
  archivedAt: nullable(instantSchema, { description: 'null unless it is archived.', examples: [null] }),
  parked: parkedMarkSchema,
  version: integer('Revision of the stream of the source.', 4),
});

export const sourcePageSchema = named('SourcePage', {
  sources: Type.Array(sourceSchema),
  nextCursor: nextCursorSchema('12'),
});

const choicesSchema = Type.Object(csvChoices);

/**
 * Form and clock of a CSV body, from the choices of its request: `defaultForm` and UTC by default.
 * @throws InvalidInput when dates and values would be one column
 */
export const csvRuleOf = ({
  separator = 'semicolon',
  decimal = ',',
  dateFormat = 'ISO',
  dateColumn,
  valueColumn,
  clock: stamps = 'utc',
}: Static<typeof choicesSchema>): Required<Pick<CsvRule, 'form' | 'stamps'>> => {
  const form = {
    separator: separatorNames[separator],
    decimal,
    dateFormat,
    ...(dateColumn === undefined ? {} : { dateColumn }),
    ...(valueColumn === undefined ? {} : { valueColumn }),
  };
  if (!isOneColumn(form)) return { form, stamps };
  throw new InvalidInput('parametersInvalid', 'dates and values cannot be one column', [
    {
      code: 'oneColumn',
      pointer: valueColumn === undefined ? '/query/dateColumn' : '/query/valueColumn',
      detail: 'got one column for dates and values, expected two different ones',
    },
  ]);
};
