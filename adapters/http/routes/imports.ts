import Type from 'typebox';
import { isCalendarCode } from '../../../analysis/calendar/holidays.js';
import { finestCount, type SliceCount } from '../../../domain/day.js';
import type { DayKind } from '../../../domain/days.js';
import type { SourceFacts } from '../../../domain/source.js';
import type { SourceSetup } from '../../../projections/sources.js';
import { InvalidInput, shown } from '../../../application/imports/faults.js';
import { readCsvDays } from '../../csv/csvDays.js';
import { isOneColumn, separatorNames, type CsvForm, type SeparatorName } from '../../csv/csvForm.js';
import { valueMax, type ImportedDays } from '../../../application/imports/assembleDays.js';
import type { LocalClock } from '../../../application/imports/localClock.js';
import { collectJsonDays } from '../../json/jsonDays.js';
import { clockOf, timeZoneFault } from '../../timeZones/timeZones.js';
import type { Service } from '../../../application/service.js';
import { valueChecker } from '../bodies/body.js';
import { bodyPlaces } from '../bodies/bodyPlaces.js';
import { Problem } from '../middleware/problems.js';
import { ownSource } from '../../../application/access.js';
import { requireCapacity } from '../../../application/capacity.js';
import { createSource, type SourceChoices } from '../../../application/useCases/createSource.js';
import { importDays } from '../../../application/useCases/importDays.js';
import { importVerdict, sourceRecord } from '../views.js';
import { route, type Answer, type Call, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const sourceParams = Type.Object({ source_id: schemas.sourceId }, schemas.strict);
const choices = {
  activitySize: Type.Optional(schemas.activitySize),
  interpolationMethod: Type.Optional(schemas.interpolationMethod),
  aggregation: Type.Optional(schemas.aggregation),
  calendar: Type.Optional(schemas.calendar),
  timeZone: Type.Optional(schemas.timeZone),
  coverage: Type.Optional(schemas.coverage),
};
/** How CSV is written: a choice of the request, not of the source. */
const csvForm = { clock: Type.Optional(schemas.stampClock), ...schemas.csvForm };
const jsonDays = Type.Array(
  Type.Object(
    {
      date: schemas.date,
      activity: Type.Array(schemas.nullable(Type.Number({ minimum: -valueMax, maximum: valueMax })), {
        description: 'a local day: 4, 8, 12, 24, 48, 72, 144 or 1440 values, null for a missing sample',
        minItems: 4,
        maxItems: 1440,
      }),
    },
    schemas.strict,
  ),
);

const createdAnswers = {
  201: {
    description: 'The source; its analysis has begun',
    schema: Type.Object({
      source: schemas.source,
      import: schemas.importSummary,
      analysis: schemas.analysis,
    }),
  },
};
const importedAnswers = {
  200: { description: 'Stored and checked', schema: schemas.importVerdict },
  202: { description: 'Stored; the check takes longer, Location tells', schema: schemas.importVerdict },
};

export const importRoutes = (service: Service): readonly Route[] => {
  const readBody = bodyPlaces();
  /** Reads the body of a call in its turn, where there is room for what it will lead to. */
  const reads: typeof readBody = async (call, read) => {
    requireCapacity(service, call.actor);
    return readBody(call, read);
  };

  /** Creates a source from valid reference days. */
  const create = async (
    call: Call<unknown, unknown, unknown>,
    choices: SourceChoices,
    imported: ImportedDays,
  ): Promise<Answer> => {
    const { sourceId, importId } = await createSource(service, call, choices, imported);
    const source = sourceRecord(service, call.actor, sourceId);
    return {
      status: 201,
      headers: { Location: `/v1/source/${sourceId}` },
      body: { source, import: { id: importId, ...imported.summary }, analysis: source.analysis },
    };
  };

  /** Stores valid recent days. */
  const store = async (
    call: Call<unknown, unknown, unknown>,
    sourceId: number,
    imported: ImportedDays,
  ): Promise<Answer> => {
    const { record, checked } = await importDays(service, call, sourceId, imported);
    return {
      status: checked ? 200 : 202,
      headers: checked ? {} : { Location: `/v1/import/${record.id}` },
      body: importVerdict(service, record),
    };
  };

  return [
    route({
      method: 'post',
      path: '/v1/import-csv/create-source',
      operationId: 'createSourceFromCsv',
      summary: 'Creates a source from its reference year in CSV and starts its analysis',
      scope: 'import',
      params: schemas.noFields,
      query: Type.Object({ name: schemas.sourceName, ...choices, ...csvForm }, schemas.strict),
      body: { kind: 'csv' },
      answers: createdAnswers,
      run: async call => {
        const { name, activitySize, interpolationMethod = 'zero', aggregation = 'mean' } = call.query;
        const { calendar = null, coverage, clock: stamps = 'utc' } = call.query;
        requireCalendar(calendar, 'parametersInvalid', '/query/calendar');
        const clock = requireTimeZone(call.query.timeZone, 'parametersInvalid', '/query/timeZone');
        const form = formOf(call.query);
        const imported = await reads(call, bytes =>
          readCsvDays(bytes, {
            kind: 'reference',
            activitySize: kept(activitySize),
            aggregation,
            interpolationMethod,
            clock,
            stamps,
            form,
          }),
        );
        const { referenceYear } = imported;
        const { timeZone } = clock;
        const facts = { name, referenceYear, interpolationMethod, aggregation, calendar, timeZone };
        return create(call, { ...facts, coverage }, imported);
      },
    }),
    route({
      method: 'post',
      path: '/v1/import-csv/{source_id}/days',
      operationId: 'importDaysFromCsv',
      summary: 'Replaces each day that the CSV has, whole, and checks it',
      scope: 'import',
      params: sourceParams,
      query: Type.Object(csvForm, schemas.strict),
      body: { kind: 'csv' },
      answers: importedAnswers,
      run: async call => {
        const known = ownSource(service.models, call.actor, call.params.source_id);
        const { clock: stamps = 'utc' } = call.query;
        const rule = { ...ruleOf(known), stamps, form: formOf(call.query) };
        const imported = await reads(call, bytes => readCsvDays(bytes, rule));
        return store(call, known.id, imported);
      },
    }),
    route({
      method: 'post',
      path: '/v1/import/create-source',
      operationId: 'createSource',
      summary: 'Creates a source from its reference year in JSON and starts its analysis',
      scope: 'import',
      params: schemas.noFields,
      query: schemas.noFields,
      body: {
        kind: 'days',
        schema: Type.Object(
          { name: schemas.sourceName, referenceYear: schemas.year, days: jsonDays, ...choices },
          schemas.strict,
        ),
      },
      answers: createdAnswers,
      run: async call => {
        const { envelope, imported } = await reads(call, async bytes => {
          const collected = await collectJsonDays(bytes);
          const envelope = checkCreation(collected.envelope) as CreationEnvelope;
          requireCalendar(envelope.calendar ?? null, 'bodyInvalid', '/calendar');
          const clock = requireTimeZone(envelope.timeZone, 'bodyInvalid', '/timeZone');
          const {
            activitySize,
            interpolationMethod = 'zero',
            aggregation = 'mean',
            referenceYear,
          } = envelope;
          const rule = { kind: 'reference', aggregation, interpolationMethod, referenceYear, clock } as const;
          const imported = await collected.finish({ ...rule, activitySize: kept(activitySize) });
          const { timeZone } = clock;
          return { envelope: { ...envelope, interpolationMethod, aggregation, timeZone }, imported };
        });
        const { name, referenceYear, interpolationMethod, aggregation, timeZone } = envelope;
        const { calendar = null, coverage } = envelope;
        const facts = { name, referenceYear, interpolationMethod, aggregation, calendar, timeZone };
        return create(call, { ...facts, coverage }, imported);
      },
    }),
    route({
      method: 'post',
      path: '/v1/import/days',
      operationId: 'importDays',
      summary: 'Replaces each day given, whole, and checks it',
      scope: 'import',
      params: schemas.noFields,
      query: schemas.noFields,
      body: {
        kind: 'days',
        schema: Type.Object({ sourceId: schemas.sourceId, days: jsonDays }, schemas.strict),
      },
      answers: importedAnswers,
      run: async call => {
        const { known, imported } = await reads(call, async bytes => {
          const collected = await collectJsonDays(bytes);
          const { sourceId } = checkDays(collected.envelope) as { readonly sourceId: number };
          const known = ownSource(service.models, call.actor, sourceId);
          return { known, imported: await collected.finish(ruleOf(known)) };
        });
        return store(call, known.id, imported);
      },
    }),
    route({
      method: 'get',
      path: '/v1/import/{import_id}',
      operationId: 'getImport',
      summary: 'An import of recent days, and the verdict on those of its days that still stand',
      scope: 'read',
      params: Type.Object({ import_id: Type.String({ maxLength: 64 }) }, schemas.strict),
      query: schemas.noFields,
      body: { kind: 'none' },
      answers: { 200: { description: 'The import', schema: schemas.importVerdict } },
      run: async ({ actor, params: { import_id: id } }) => {
        const known = service.models.days.import(id);
        if (known && service.models.sources.setup(known.sourceId)?.tenant === actor.tenant)
          return { status: 200, body: importVerdict(service, known) };
        throw new Problem(404, 'importNotFound', 'no such import');
      },
    }),
  ];
};

type CreationEnvelope = {
  readonly name: string;
  readonly referenceYear: number;
  readonly activitySize?: number;
  readonly interpolationMethod?: SourceFacts['interpolationMethod'];
  readonly aggregation?: SourceFacts['aggregation'];
  readonly calendar?: string;
  readonly timeZone?: string;
  readonly coverage?: number;
};

// The reader leaves `days` empty and checks what was in it itself.
const checkCreation = valueChecker(
  Type.Object(
    {
      name: schemas.sourceName,
      referenceYear: schemas.year,
      days: Type.Array(Type.Unknown()),
      ...choices,
    },
    schemas.strict,
  ),
);
const checkDays = valueChecker(
  Type.Object({ sourceId: schemas.sourceId, days: Type.Array(Type.Unknown()) }, schemas.strict),
);

/**
 * Refuses a calendar whose holidays nobody knows.
 * @throws InvalidInput
 */
const requireCalendar = (code: string | null, problem: string, pointer: string): void => {
  if (code === null || isCalendarCode(code)) return;
  const detail = `got "${code}", expected a country or one of its regions whose holidays are known, as FR or DE-NW`;
  throw new InvalidInput(problem, 'the calendar is not known', [
    { code: 'calendarUnknown', pointer, detail, value: shown(code) },
  ]);
};

/**
 * The clock of a time zone.
 * @throws InvalidInput
 */
const requireTimeZone = (name = 'UTC', problem: string, pointer: string): LocalClock => {
  const clock = clockOf(name);
  if (clock) return clock;
  throw new InvalidInput(problem, 'the time zone is not known', [
    { code: 'timeZoneUnknown', pointer, detail: timeZoneFault(name), value: shown(name) },
  ]);
};

/** Choices of a query that say how its CSV is written. */
type FormChoices = Partial<Omit<CsvForm, 'separator'> & { readonly separator: SeparatorName }>;

/** The form that a query says. @throws InvalidInput */
const formOf = (query: FormChoices): CsvForm => {
  const { separator = 'semicolon', decimal = ',', dateFormat = 'ISO', dateColumn, valueColumn } = query;
  const form = {
    separator: separatorNames[separator],
    decimal,
    dateFormat,
    ...(dateColumn === undefined ? {} : { dateColumn }),
    ...(valueColumn === undefined ? {} : { valueColumn }),
  };
  if (!isOneColumn(form)) return form;
  throw new InvalidInput('parametersInvalid', 'dates and values cannot be in one column', [
    {
      code: 'oneColumn',
      pointer: valueColumn === undefined ? '/query/dateColumn' : '/query/valueColumn',
      detail: 'got one column for dates and values, expected two different ones',
    },
  ]);
};

const kept = (activitySize: number | undefined): SliceCount | undefined =>
  activitySize === 1440 ? finestCount : (activitySize as SliceCount | undefined);

/** How recent days of a source are read. @throws Error when this runtime does not know its time zone */
const ruleOf = ({ id, activitySize, aggregation, interpolationMethod, timeZone }: SourceSetup) => {
  const clock = clockOf(timeZone);
  if (!clock) throw new Error(`this runtime does not know the time zone ${timeZone} of source ${id}`);
  const kind = 'recent' as const satisfies DayKind;
  return { kind, activitySize, aggregation, interpolationMethod, clock };
};
