import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { alertStates, verdicts } from '../../domain/alerts.js';
import { brokenLimits, alertKinds, outcomes } from '../../domain/findings.js';
import { episodeIdsMax, episodeStates } from '../../projections/alerts/episodePages.js';
import { aggregations, interpolationMethods, sliceCounts } from '../../domain/day.js';
import { modelCountMax, nameLengthMax } from '../../domain/models.js';
import { faultsMax, type InputFault } from '../../application/imports/faults.js';
import { valueMax } from '../../application/imports/assembleDays.js';
import { columnNameMax, decimals, separatorNames, type SeparatorName } from '../csv/csvForm.js';
import { stampClocks } from '../csv/readings.js';
import { dateFormats } from '../csv/stampFormats.js';
import { timeZoneLengthMax } from '../timeZones/timeZones.js';

// By its own account typebox stops at the eighth; several of its errors can be one fault of ours.
Settings.Set({ maxErrors: 10 * faultsMax });

/** Each schema is at once the check of what comes in, its static type, and its part of /openapi.json. */
/** Unknown fields are refused, in what comes in and in what is promised of answers. */
export const strict = { additionalProperties: false };

/** Parameters of a route that takes none. */
export const noFields = Type.Object({}, strict);

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const date = Type.String({
  format: 'date',
  pattern: '^(?!0000|9999)\\d{4}-\\d{2}-\\d{2}$',
  description: 'a day of the time zone of its source',
});
export const instant = Type.String({ format: 'date-time' });
/** Of what a GET answers as it was known at a moment. */
export const asOf = Type.Optional(
  Type.String({
    maxLength: 40,
    description:
      'answers as it was known then: a position of the log, as /v1/audit/event gives it, a date (the end ' +
      'of that UTC day), or an instant (RFC 3339), both past, which hold what had been decided by then; the state of an analysis is never running there',
  }),
);
export const knownAt = Type.Object({ asOf }, strict);
export const sourceId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const year = Type.Integer({ minimum: 1, maximum: 9998 });
/** Paths of one date, and of one year, of a source. */
export const dateParams = Type.Object({ source_id: sourceId, date }, strict);
export const yearParams = Type.Object({ source_id: sourceId, year }, strict);
export const sourceName = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
});
export const activitySize = Type.Enum([...sliceCounts, 1440], {
  description: 'slices a day; 1440 is kept as 144',
});
export const aggregation = Type.Enum([...aggregations]);
export const interpolationMethod = Type.Enum([...interpolationMethods]);
export const calendar = Type.String({
  maxLength: 6,
  description: 'country (ISO 3166-1) or region of one (ISO 3166-2) whose public holidays count: FR, DE-NW',
});
export const timeZone = Type.String({
  maxLength: timeZoneLengthMax,
  description: 'IANA time zone whose midnights cut the days, UTC by default: Europe/Paris',
});
export const stampClock = Type.Enum([...stampClocks], {
  description:
    'clock of stamps without an offset: utc (default), or local, the clock of the time zone of the source',
});
/** How a CSV is written. */
export const csvForm = {
  separator: Type.Optional(
    Type.Enum([...(Object.keys(separatorNames) as SeparatorName[])], {
      description: 'between columns, as a character or by its name; semicolon by default',
    }),
  ),
  decimal: Type.Optional(Type.Enum([...decimals], { description: 'decimal mark, a comma by default' })),
  dateFormat: Type.Optional(Type.Enum([...dateFormats], { description: 'ISO by default' })),
  dateColumn: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: columnNameMax,
      description: 'column of the dates: its number, from 1, or its name in the header',
    }),
  ),
  valueColumn: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: columnNameMax,
      description: 'column of the values: its number, from 1, or its name in the header',
    }),
  ),
};
export const coverage = Type.Number({
  minimum: 0.9,
  maximum: 0.995,
  description:
    'target coverage: share of ordinary days inside the limits; 0.99 means about 4 false alerts a year',
});
const runs = Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }), {
  description: 'slices [from, to), counted from 0',
});
const curve = Type.Array(Type.Number({ minimum: -valueMax, maximum: valueMax }), {
  minItems: 4,
  maxItems: 1440,
});

export const problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
  errors: Type.Optional(
    Type.Array(
      Type.Object(
        {
          code: Type.String(),
          detail: Type.String(),
          pointer: Type.Optional(Type.String()),
          line: Type.Optional(Type.Integer({ minimum: 1 })),
          column: Type.Optional(Type.Integer({ minimum: 1 })),
          value: Type.Optional(Type.String()),
          count: Type.Optional(
            Type.Integer({ description: 'errors of this cause, of which this is the first' }),
          ),
        },
        strict,
      ),
      { maxItems: faultsMax },
    ),
  ),
});

const change = Type.Object(
  { more: nullable(Type.Number()), less: nullable(Type.Number()) },
  {
    ...strict,
    description: 'as a share of the total; null when even a doubling, or a fall to 0, would not do',
  },
);
/** What bounds can be trusted to do. */
export const bounds = Type.Object(
  {
    method: Type.String(),
    targetCoverage: nullable(
      Type.Number({
        description: 'requested share of ordinary days inside the limits, 0–1; null for the default limits',
      }),
    ),
    guaranteedCoverage: nullable(
      Type.Number({
        description: 'share of ordinary days that the method guarantees, 0–1; null without a guarantee',
      }),
    ),
    calibrationDays: Type.Integer({ description: 'held-out reference days that were measured' }),
    measuredCoverage: Type.Number({ description: 'share of held-out reference days inside the limits, 0–1' }),
    falseAlertsPerYear: nullable(
      Type.Number({ description: 'expected alerts on ordinary days per year, from the measured coverage' }),
    ),
    guard: Type.Optional(
      Type.Object(
        { coverage: Type.Number(), factor: Type.Number() },
        {
          ...strict,
          description:
            'present when the days of the reference are not alike: share of held-out days inside the default limits, ' +
            'and the factor by which all limits were widened; only large changes of this source are detected',
        },
      ),
    ),
    guarantee: Type.Optional(
      Type.Object(
        { share: Type.Number(), alerts: Type.Integer() },
        {
          ...strict,
          description:
            'of T compared days at most share · T + alerts count as alerts (one a week), for any sequence of days, ' +
            'as long as the adaptive factor is below 2',
        },
      ),
    ),
    minimumDetectableChange: nullable(
      Type.Object(
        { wholeDay: change, eightHours: change },
        { ...strict, description: 'the smallest change that four of five ordinary days would show' },
      ),
    ),
  },
  strict,
);
/** The calendar that models were learned with, without its dates. */
export const usedCalendar = Type.Object(
  {
    code: Type.String(),
    origin: Type.Enum(['given', 'inferred']),
    evidence: nullable(Type.String({ description: 'why it was inferred' })),
    library: Type.String({ description: 'what knows the holidays' }),
  },
  strict,
);
const hitRate = Type.Number({
  minimum: 0,
  maximum: 1,
  description:
    'share of reference days whose nearest model was planned for them while their months were left out',
});
/** What was learned beside the models; all but the calendar is null for models that people supplied. */
export const learned = {
  bounds: nullable(bounds),
  hitRate: nullable(hitRate),
  calendar: nullable(usedCalendar),
};

export const leftOut = Type.Array(Type.Object({ date, reason: Type.String() }, strict), {
  description: 'reference days that could not be learned from, or are too unusual to widen a bound',
});
export const choice = Type.Array(
  Type.Object(
    {
      modelCount: Type.Integer(),
      loss: Type.Number({ description: 'a share of the mean activity' }),
      predictability: nullable(Type.Number({ minimum: 0, maximum: 1 })),
      stability: nullable(Type.Number({ maximum: 1 })),
    },
    strict,
  ),
  {
    description:
      'on left-out months, by number of models: relative error of the planned curve, share of days whose ' +
      'nearest model was planned, likeness of the models (adjusted Rand index)',
  },
);

/** An analysis; which fields are there depends on its state and on who made the models. */
export const analysis = Type.Object(
  {
    status: Type.Enum(['pending', 'running', 'completed', 'failed']),
    requestedAt: Type.Optional(instant),
    completedAt: Type.Optional(instant),
    failedAt: Type.Optional(instant),
    requestId: Type.Optional(Type.String({ description: 'of the analysis that failed' })),
    code: Type.Optional(Type.String()),
    detail: Type.Optional(Type.String()),
    modelCount: Type.Optional(Type.Integer({ description: 'asked for, then learned' })),
    modelsVersion: Type.Optional(Type.Integer()),
    engine: Type.Optional(Type.String({ description: 'name and version of what learned the models' })),
    seed: Type.Optional(Type.Integer()),
    usedDays: Type.Optional(Type.Integer({ description: 'reference days that a model stands for' })),
    leftOut: Type.Optional(leftOut),
    bounds: Type.Optional(bounds),
    choice: Type.Optional(choice),
    calendar: Type.Optional(nullable(usedCalendar)),
    hitRate: Type.Optional(nullable(hitRate)),
  },
  {
    ...strict,
    description:
      'left out, but kept with the models: the scores of reference days that criticity goes by, which model each ' +
      'reference day belongs to (GET /v1/day/list), the dates of the calendar (GET /v1/calendar/list)',
  },
);

export const source = Type.Object(
  {
    id: sourceId,
    name: Type.String(),
    referenceYear: Type.Integer(),
    activitySize: Type.Integer(),
    interpolationMethod,
    aggregation,
    timeZone: Type.String({ description: 'IANA time zone whose midnights cut the days' }),
    calendar: nullable(
      Type.String({
        description: 'whose public holidays count: given, or inferred once the analysis is done',
      }),
    ),
    calendarOrigin: nullable(Type.Enum(['given', 'inferred'])),
    calendarEvidence: nullable(Type.String({ description: 'why it was inferred' })),
    reference: Type.Object(
      {
        from: date,
        to: date,
        days: Type.Integer(),
        completeDays: Type.Integer(),
        completeness: Type.Number({ description: 'median of the reference days, 0–1' }),
      },
      strict,
    ),
    analysis,
    modelsOrigin: nullable(Type.Enum(['automatic', 'custom'])),
    modelsVersion: Type.Integer({ minimum: 0 }),
    counts: Type.Object(
      {
        referenceDays: Type.Integer(),
        recentDays: Type.Integer(),
        models: Type.Integer(),
        unprocessedAlerts: Type.Integer(),
      },
      strict,
    ),
    createdAt: instant,
    version: Type.Integer(),
  },
  strict,
);

const modelFields = {
  name: Type.String({ minLength: 1, maxLength: nameLengthMax }),
  color: Type.String({ pattern: '^#[0-9A-Fa-f]{6}$' }),
  activity: curve,
  topTolerance: curve,
  bottomTolerance: curve,
};
export const model = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    ...modelFields,
    anomaly: Type.Boolean(),
    days: Type.Integer({ minimum: 0, description: 'reference days that it stands for' }),
    limits: Type.Optional(
      Type.Object(
        {
          unit: Type.Number({ description: 'in the unit of the source' }),
          offset: Type.Number({ description: 'in such units' }),
          windowHours: Type.Number({ description: 'hours' }),
          window: Type.Number({ description: 'most for the mean share over any window, either way' }),
          day: Type.Number({ description: 'most for the mean share over the whole day, either way' }),
          windowChange: Type.Optional(
            Type.Number({ description: 'most for the change of the window’s mean from the days before' }),
          ),
          dayChange: Type.Optional(
            Type.Number({ description: 'most for the change of the day’s mean from the days before' }),
          ),
        },
        {
          ...strict,
          description:
            'of an automatic model, beside its bounds. The share of its tolerance that a slice uses is 0 on the ' +
            'curve, 1 on the upper bound and −1 on the lower one, counted on the scale ln(x / unit + offset), which ' +
            'is straight below 0. Absent for models that people supplied: their bounds alone decide',
        },
      ),
    ),
  },
  strict,
);
export const customModels = Type.Object(
  {
    models: Type.Array(Type.Object({ ...modelFields, anomaly: Type.Optional(Type.Boolean()) }, strict), {
      minItems: 1,
      maxItems: modelCountMax,
    }),
  },
  strict,
);
export const modelCount = Type.Integer({ minimum: 1, maximum: modelCountMax });

export const planned = Type.Object(
  {
    date,
    modelId: nullable(Type.Integer()),
    origin: Type.Enum(['automatic', 'manual']),
    reason: Type.String(),
    share: nullable(
      Type.Number({ minimum: 0, maximum: 1, description: "of the automatic planning's weight" }),
    ),
    alternatives: Type.Array(
      Type.Object({ modelId: Type.Integer(), share: Type.Number({ minimum: 0, maximum: 1 }) }, strict),
      { maxItems: 3, description: 'the models next to it, largest share first' },
    ),
    unseen: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'how far its season is from those of the reference: 0 where it was seen, 1 from 90 days away on, where ' +
        'limits are a quarter wider',
    }),
  },
  strict,
);
export const planningYear = Type.Object(
  { sourceId, year, hitRate: learned.hitRate, days: Type.Array(planned) },
  strict,
);
export const specialName = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
});
export const calendarYear = Type.Object(
  {
    days: Type.Array(
      Type.Object(
        {
          date,
          type: Type.Enum(['holiday', 'bridge', 'christmas', 'special']),
          name: nullable(Type.String()),
        },
        strict,
      ),
    ),
    calendar: nullable(usedCalendar),
  },
  strict,
);

const clockTime = Type.String({
  pattern: '^([01]\\d|2[0-4]):[0-5]\\d$',
  description: 'local clock time; a day ends at 24:00',
});
const stretch = {
  from: Type.Integer({ minimum: 0 }),
  to: Type.Integer({ minimum: 1, description: 'exclusive' }),
  fromTime: clockTime,
  toTime: clockTime,
};
const deviation = Type.Object(
  {
    ...stretch,
    slices: Type.Integer({ minimum: 1, description: 'slices with data in the stretch' }),
    aggregation: Type.Enum([...aggregations], {
      description: 'whether actual and expected are means per slice or totals of the stretch',
    }),
    actual: Type.Number(),
    expected: Type.Number(),
    absolute: Type.Number({ description: 'actual − expected, in the unit of the source' }),
    percent: nullable(Type.Number({ description: 'of expected; null when that is not above 0' })),
    comparedWith: Type.Enum(['model', 'daysBefore'], {
      description: 'the planned profile, or that profile at the level of the days before',
    }),
    others: Type.Integer({ minimum: 0, description: 'other stretches outside the bounds' }),
  },
  { ...strict, description: 'over the stretch that says most; null for a gap' },
);
const brokenLimit = Type.Object(
  {
    limit: Type.Enum([...brokenLimits]),
    ...stretch,
    score: nullable(Type.Number({ description: 'of the day; null with models that people supplied' })),
    allowed: nullable(Type.Number({ description: 'largest allowed magnitude of the score' })),
    actual: Type.Number({ description: 'mean of the day over the stretch, in the unit of the source' }),
    bound: Type.Number({ description: 'mean of the limit over the stretch' }),
  },
  strict,
);
const limitLevels = Type.Array(
  Type.Object(
    {
      limit: Type.Enum([...brokenLimits]),
      lower: Type.Array(Type.Number()),
      upper: Type.Array(Type.Number()),
    },
    strict,
  ),
  {
    description:
      'a limit as two lines, one value a slice, in the unit of the source: a day that follows one of them just keeps it',
  },
);

export const alertId = Type.String({ description: '{sourceId}-{yyyymmdd}-{n}' });
export const alert = Type.Object(
  {
    id: alertId,
    sourceId,
    date,
    kind: Type.Enum([...alertKinds], {
      description:
        'activity: outside the limits of the planned model; gap: less than half of what the reference has, or a date ' +
        'missing inside an import; noData: no import came in time; frozen: ' +
        'one value for longer than the reference ever had; drift: the source has moved as a whole, told once and not ' +
        'each day',
    }),
    state: Type.Enum([...alertStates]),
    direction: nullable(Type.Enum(['over', 'under', 'both'])),
    criticity: Type.Number({ minimum: 0, maximum: 1, description: 'higher for a day less probable' }),
    sentence: Type.String({ description: 'the reason in one English sentence' }),
    slices: Type.Array(
      Type.Object(
        {
          ...stretch,
          direction: Type.Enum(['over', 'under']),
          excess: Type.Number({
            minimum: 0,
            description: 'most beyond the bound, in the unit of the source',
          }),
        },
        strict,
      ),
      { description: 'slices outside the bounds, or the stretch whose mean is outside its limit' },
    ),
    limits: Type.Optional(
      Type.Array(Type.Enum([...brokenLimits]), {
        description:
          'limits that were broken: a bound in a slice, the mean over a window, the mean over the day, and the two ' +
          'against the days before; absent where bounds alone decide',
      }),
    ),
    deviation: nullable(deviation),
    brokenLimits: Type.Array(brokenLimit, {
      description: 'each broken limit with its value and that of the day; empty in alerts of older versions',
    }),
    completeness: nullable(
      Type.Object(
        { day: Type.Number(), usual: Type.Number() },
        { ...strict, description: 'of a gap: observed share of the day, and median of the reference days' },
      ),
    ),
    flatline: nullable(
      Type.Object(
        { value: Type.Number(), longest: Type.Integer() },
        { ...strict, description: 'its value, and the length in slices of the longest of the reference' },
      ),
    ),
    silence: nullable(
      Type.Object(
        {
          since: instant,
          deadline: instant,
          intervalMinutes: Type.Number({ description: 'expected interval between imports' }),
          origin: Type.Enum(['given', 'learned']),
          lastDate: nullable(date),
        },
        { ...strict, description: 'of kind noData: the last import, and when the next one was overdue' },
      ),
    ),
    plannedModelId: nullable(Type.Integer()),
    closestModelId: nullable(Type.Integer()),
    betterModelId: nullable(Type.Integer()),
    looksLikeAnomaly: Type.Boolean(),
    episode: nullable(
      Type.String({
        description:
          'run of consecutive dates with alerts: {sourceId}-{yyyymmdd of the first date}; null when invalidated',
      }),
    ),
    modelsVersion: Type.Integer(),
    importId: Type.String(),
    verdict: nullable(Type.Enum([...verdicts])),
    comment: nullable(Type.String()),
    raisedAt: instant,
    updatedAt: instant,
  },
  strict,
);
export const drawnAlert = Type.Object(
  { ...alert.properties, bounds: nullable(limitLevels) },
  { ...strict, description: 'bounds: the broken limits on that day; null when they are not known any more' },
);
export const episode = Type.Object(
  {
    id: Type.String({ description: '{sourceId}-{yyyymmdd of the first date}; an earlier date changes it' }),
    sourceId,
    firstDate: date,
    lastDate: Type.String({ format: 'date', description: 'inclusive' }),
    days: Type.Integer({ minimum: 1 }),
    state: Type.Enum([...episodeStates], {
      description: 'open while one of its alerts is, then acknowledged',
    }),
    counts: Type.Object(
      {
        open: Type.Integer(),
        acknowledged: Type.Integer(),
        resolved: Type.Integer(),
        ended: Type.Integer(),
      },
      strict,
    ),
    kinds: Type.Array(Type.Enum([...alertKinds])),
    criticity: Type.Number({ minimum: 0, maximum: 1, description: 'the largest of its alerts' }),
    raisedAt: Type.String({ format: 'date-time', description: 'of its newest alert' }),
    unprocessedIds: Type.Array(Type.String(), {
      maxItems: episodeIdsMax,
      description: 'alerts to acknowledge or resolve, by date',
    }),
    alert,
  },
  { ...strict, description: 'alert: the most critical one' },
);
export const alertIds = Type.Array(Type.String({ maxLength: 40 }), {
  minItems: 1,
  maxItems: episodeIdsMax,
  uniqueItems: true,
});
export const changedAlerts = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          outcome: Type.Enum(['changed', 'unchanged', 'refused'], {
            description: 'unchanged: it was in that state already',
          }),
          code: nullable(Type.Enum(['alertNotFound', 'alertTransition'])),
          detail: nullable(Type.String()),
          alert: nullable(alert),
        },
        strict,
      ),
      { description: 'in the order of the request' },
    ),
    counts: Type.Object(
      { changed: Type.Integer(), unchanged: Type.Integer(), refused: Type.Integer() },
      strict,
    ),
  },
  strict,
);
export const alertStep = Type.Object(
  {
    type: Type.String(),
    at: instant,
    by: Type.String({ description: 'the subject of the token, or reactor' }),
    reason: Type.Optional(Type.String({ description: 'what invalidated it' })),
    verdict: Type.Optional(Type.Enum([...verdicts])),
    comment: Type.Optional(nullable(Type.String())),
    cause: Type.String(),
    eventId: Type.String(),
  },
  strict,
);
export const health = Type.Object(
  {
    status: Type.Literal('ok'),
    readModels: Type.Object({ position: Type.String() }, strict),
    reactor: Type.Object(
      {
        backlog: Type.Integer(),
        parked: Type.Integer({ description: 'failed again and again; see daybook replay-parked' }),
      },
      strict,
    ),
    analysis: Type.Object({ waiting: Type.Integer() }, strict),
  },
  strict,
);
export const alertChanges = Type.Object(
  {
    raised: Type.Array(alert),
    invalidated: Type.Array(alert),
    ended: Type.Array(alert, { description: 'silences that the import ended' }),
    unchanged: Type.Array(alert, { description: 'of the days checked, left as they were' }),
    counts: Type.Object(
      {
        raised: Type.Integer(),
        invalidated: Type.Integer(),
        ended: Type.Integer(),
        unchanged: Type.Integer(),
      },
      { ...strict, description: 'of all; the lists hold the first thousand of each' },
    ),
  },
  strict,
);

const replanned = Type.Object({ ...planned.properties, alerts: alertChanges }, strict);
/** Of a request that may change what one date is planned to follow. */
export const replannedAnswers = {
  200: { description: 'The plan of the date, its day checked again', schema: replanned },
  202: { description: 'The plan of the date; its check takes longer', schema: replanned },
};

const outcomeText =
  'drift: outside its limits, but as the days before it were; notCompared: there are no models, or none is planned';
export const outcome = Type.Enum([...outcomes], { description: outcomeText });
const dayFields = {
  date,
  kind: Type.Enum(['reference', 'recent']),
  activity: curve,
  gaps: runs,
  filled: runs,
  skipped: Type.Optional(runs),
  completeness: Type.Number({ minimum: 0, maximum: 1 }),
  importId: Type.String(),
  importedAt: instant,
  check: nullable(
    Type.Object(
      {
        outcome,
        plannedModelId: nullable(Type.Integer()),
        modelsVersion: Type.Integer(),
        checkedAt: instant,
      },
      strict,
    ),
  ),
};
export const storedDay = Type.Object({ ...dayFields, modelId: nullable(Type.Integer()) }, strict);

const otherDay = Type.Object(
  {
    date,
    activity: curve,
    gaps: runs,
    outcome: nullable(outcome),
  },
  strict,
);
export const dayDetails = Type.Object(
  {
    sourceId,
    date,
    sliceMinutes: Type.Integer(),
    day: nullable(Type.Object(dayFields, strict)),
    planning: planned,
    plannedModel: nullable(model),
    limits: limitLevels,
    expectedByDaysBefore: nullable(
      Type.Array(Type.Number(), {
        description:
          'the planned profile at the level of the fortnight before; null with fewer than three days',
      }),
    ),
    closestModel: nullable(model),
    betterModel: nullable(model),
    alerts: Type.Array(drawnAlert, { description: 'those that are not invalidated' }),
    daysBefore: Type.Array(otherDay, { maxItems: 7, description: 'recent days of the week before' }),
    weekdaysBefore: Type.Array(otherDay, { maxItems: 4, description: 'the same weekday in four weeks' }),
  },
  strict,
);

export const importSummary = Type.Object(
  {
    id: Type.String(),
    lines: Type.Integer(),
    days: Type.Integer(),
    missingSamples: Type.Integer(),
    filledSamples: Type.Integer(),
    duplicates: Type.Integer(),
    warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }, strict)),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'what became of sampling and lengths, a sentence each' }),
    ),
    zoneData: Type.Optional(
      Type.String({ description: 'release of the time-zone data that cut the days; absent for UTC' }),
    ),
    localStamps: Type.Optional(
      Type.Object(
        {
          repeatedHour: Type.Integer({ description: 'rows in hours that occur twice, put in order' }),
          skippedHour: Type.Integer({ description: 'rows in hours that the clock skips, left out' }),
        },
        strict,
      ),
    ),
  },
  strict,
);
export const importVerdict = Type.Object(
  {
    import: importSummary,
    days: Type.Array(
      Type.Object(
        {
          date,
          status: Type.Enum(['pending', ...outcomes], { description: outcomeText }),
          completeness: Type.Number({ minimum: 0, maximum: 1 }),
          plannedModel: nullable(Type.Object({ id: Type.Integer(), name: nullable(Type.String()) }, strict)),
        },
        strict,
      ),
    ),
    alerts: alertChanges,
  },
  strict,
);

/** Former names of fields, by pointer. The message for an unknown field names the present one. */
const renamed: Readonly<Record<string, string>> = { '/sensitivity': 'coverage' };

/** A check of values against a schema: every fault at once, or none. */
export const checker = (schema: TSchema): ((value: unknown) => InputFault[]) => {
  const validator = Compile(schema);
  const fields = Object.keys((schema as { readonly properties?: object }).properties ?? {});
  const unknownDetail = (pointer: string): string => {
    const present = renamed[pointer];
    return present !== undefined && fields.includes(present)
      ? `an unknown field: ${pointer.slice(1)} is now named ${present}, with the same meaning`
      : 'an unknown field';
  };
  return value => {
    if (validator.Check(value)) return brokenTexts(value);
    const faults: InputFault[] = [];
    for (const error of validator.Errors(value)) {
      // A union tells of each of its branches, an unknown field twice: the first word on a place is enough.
      const pointer = error.instancePath;
      const unknown = error.keyword === 'boolean';
      if (error.keyword === 'additionalProperties') continue;
      if (faults.some(fault => fault.pointer === pointer && error.keyword !== 'required')) continue;
      if (faults.length === faultsMax) break;
      faults.push({
        code: unknown ? 'unknownField' : error.keyword,
        pointer,
        detail: unknown ? unknownDetail(pointer) : explained(error),
      });
    }
    return faults;
  };
};

/** Half of a surrogate pair is in no UTF-8, so no event with one could be hashed or exported. */
const brokenTexts = (value: unknown, pointer = ''): InputFault[] => {
  if (typeof value === 'string')
    return /\p{Surrogate}/u.test(value)
      ? [{ code: 'textEncoding', pointer, detail: 'expected Unicode, got half of a surrogate pair' }]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, of]) =>
    typeof of === 'number' ? [] : brokenTexts(of, `${pointer}/${name}`),
  );
};

const explained = ({ message, params }: { readonly message: string; readonly params: object }): string => {
  const { allowedValues, requiredProperties } = params as {
    readonly allowedValues?: readonly unknown[];
    readonly requiredProperties?: readonly string[];
  };
  if (allowedValues) return `must be one of ${allowedValues.map(value => JSON.stringify(value)).join(', ')}`;
  if (requiredProperties) return `must have ${requiredProperties.join(', ')}`;
  return message;
};
