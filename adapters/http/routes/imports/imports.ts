import Type, { type Static } from '../../typebox.js';
import { changedSource, isOwnSource, requireCapacity } from '../../../../application/requests/access.js';
import { shown } from '../../../../application/requests/imports/faults.js';
import type { DayRule, ImportedDays } from '../../../../application/requests/imports/assembleDays.js';
import type {
  Clock,
  Deciding,
  Describing,
  Following,
  Service,
} from '../../../../application/requests/service.js';
import { knownDays, importDays } from '../../../../application/requests/useCases/importDays.js';
import { tomorrowOf, type LocalClock } from '../../../../application/ports/localClock.js';
import {
  bytesPerPoint,
  pointsMax,
  type PointList,
} from '../../../../application/requests/points/pointList.js';
import { expectedMax } from '../../../../application/requests/points/sliceValues.js';
import { importPoints, type PointParts } from '../../../../application/requests/useCases/importPoints.js';
import type { SourceSetup } from '../../../../projections/sources/sourceRecords.js';
import { readCsvDays, readCsvPoints } from '../../../csv/csvBody.js';
import { collectJsonDays } from '../../../json/jsonDays.js';
import { collectJsonPoints } from '../../../json/jsonPoints.js';
import { clockOf } from '../../../timeZones.js';
import { latenessMs } from '../../../../domain/points.js';
import type { BodyMemory, ReadBody } from '../../body.js';
import { Problem } from '../../problem.js';
import { ok, route, type Answer, type Call, type Route } from '../../route.js';
import { bodyChecker } from '../../schemaChecker.js';
import { sourceParams, withStreamedDays, object } from '../../schemas/common.js';
import {
  allowFutureSchema,
  dayImportSchema,
  importResultSchema,
  pointsSchema,
} from '../../schemas/import.js';
import { csvChoices, csvRuleOf } from '../../schemas/source.js';
import { inPlace } from '../../answers/largeAnswer.js';
import { importVerdict, pointsVerdict, checkedAnswer } from '../../answers/alertChanges.js';
import { creationRoutes } from './creation.js';

const importedAnswers = {
  200: { description: 'The days were stored and checked', schema: importResultSchema },
  202: {
    description: 'The days were stored; the check takes longer, see the import at Location',
    schema: importResultSchema,
  },
};

/** All routes that import days. They share the places for bodies `readInPlace`. */
export const importRoutes = (
  service: Describing &
    Following &
    Clock &
    Pick<Service, 'environment' | 'followUps' | 'largeAnswers' | 'points' | 'requireRoom'>,
  readInPlace: ReadBody,
): readonly Route[] => {
  const read: ReadBody = async (call, ...reading) => {
    requireCapacity(service, call.actor);
    return readInPlace(call, ...reading);
  };
  return [
    ...creationRoutes(service, read),
    importFromCsv(service, read),
    importFromJson(service, read),
    pointsFromCsv(service, read),
    pointsFromJson(service, read),
    getImport(service),
  ];
};

/** The fields that imports of CSV share. */
const csv = {
  scope: 'import',
  params: sourceParams,
  query: object({ ...csvChoices, allowFuture: allowFutureSchema }),
  body: { kind: 'csv' },
} as const;

const importFromCsv = (
  service: Deciding & Pick<Service, 'now' | 'environment' | 'waiters'>,
  read: ReadBody,
): Route =>
  route({
    ...csv,
    at: 'POST /v1/import-csv/{source_id}/days',
    operationId: 'importDaysFromCsv',
    summary: 'Import recent days in CSV: each replaces the whole day of its date and is checked',
    answers: importedAnswers,
    problems: ['notCumulative'],
    run: async call => {
      const source = changedSource(service.models, call, call.params.source_id);
      const rule = {
        ...recentRule(service, source, call.query),
        ...csvRuleOf(call.query),
        expectedMax: expectedMax(service.models, source),
      };
      return read(
        call,
        bytes => readCsvDays(bytes, rule),
        imported => stored(service, call, source.id, imported),
      );
    },
  });

const importEnvelope = withStreamedDays(dayImportSchema);
const checkImport = bodyChecker(importEnvelope);

const importFromJson = (
  service: Deciding & Pick<Service, 'now' | 'environment' | 'waiters'>,
  read: ReadBody,
): Route =>
  route({
    at: 'POST /v1/import/days',
    operationId: 'importDays',
    summary: 'Import recent days in JSON: each replaces the whole day of its date and is checked',
    scope: 'import',
    query: object({ allowFuture: allowFutureSchema }),
    body: { kind: 'days', schema: dayImportSchema },
    answers: importedAnswers,
    problems: ['sourceNotFound'],
    run: call => {
      const readDays = async (bytes: AsyncIterable<Buffer>) => {
        const collected = await collectJsonDays(bytes);
        const { sourceId } = checkImport(collected.envelope) as Static<typeof importEnvelope>;
        const source = changedSource(service.models, call, sourceId);
        return { source, imported: await collected.finish(recentRule(service, source, call.query)) };
      };
      return read(call, readDays, ({ source, imported }) => stored(service, call, source.id, imported));
    },
  });

const pointsAnswers = {
  200: {
    description: 'The points are stored; the slices that have elapsed were checked',
    schema: importResultSchema,
  },
  202: {
    description: 'The points are stored; the check takes longer, see the days of the source at Location',
    schema: importResultSchema,
  },
};

/** Memory of the points of a body. A point in JSON has 32 bytes or more; in CSV it may have 8. */
const pointsMemory: BodyMemory = { ofByte: 1, most: bytesPerPoint * pointsMax };

const pointsFromCsv = (service: PointParts, read: ReadBody): Route =>
  route({
    ...csv,
    at: 'POST /v1/import-csv/{source_id}/points',
    operationId: 'importPointsFromCsv',
    summary: 'Import points in CSV, in any order: each changes its slice and nothing else',
    answers: pointsAnswers,
    problems: ['notCumulative'],
    run: async call => {
      const source = changedSource(service.models, call, call.params.source_id);
      const rule = { ...recentRule(service, source, call.query), ...csvRuleOf(call.query) };
      const place = { sourceId: source.id, clock: rule.clock };
      return read(
        call,
        bytes => readCsvPoints(bytes, rule),
        list => storedPoints(service, call, place, list),
        { ...pointsMemory, ofByte: 4 },
      );
    },
  });

const pointsEnvelope = object({ ...pointsSchema.properties, points: Type.Array(Type.Unknown()) });
const checkPoints = bodyChecker(pointsEnvelope);

const pointsFromJson = (service: PointParts, read: ReadBody): Route =>
  route({
    at: 'POST /v1/import/points',
    operationId: 'importPoints',
    summary: 'Import points in JSON, in any order: each changes its slice and nothing else',
    scope: 'import',
    query: object({ clock: csvChoices.clock, allowFuture: allowFutureSchema }),
    body: { kind: 'days', schema: pointsSchema },
    answers: pointsAnswers,
    problems: ['sourceNotFound', 'notCumulative'],
    run: call => {
      const readPoints = async (bytes: AsyncIterable<Buffer>) => {
        const collected = await collectJsonPoints(bytes);
        const { sourceId } = checkPoints(collected.envelope) as Static<typeof pointsEnvelope>;
        const source = changedSource(service.models, call, sourceId);
        const { clock, future } = recentRule(service, source, call.query);
        const list = await collected.finish({ clock, future, stamps: call.query.clock ?? 'utc' });
        return { place: { sourceId, clock }, list };
      };
      return read(
        call,
        readPoints,
        ({ place, list }) => storedPoints(service, call, place, list),
        pointsMemory,
      );
    },
  });

/** Stores valid points. */
const storedPoints = async (
  service: PointParts,
  call: Call<unknown, unknown, unknown>,
  place: { readonly sourceId: number; readonly clock: LocalClock },
  list: PointList,
): Promise<Answer> => {
  const stored = await importPoints(service, call, place, list);
  const body = await pointsVerdict(service, place, stored, list);
  return checkedAnswer(stored.checked, `/v1/source/${place.sourceId}`, body);
};

const getImport = (service: Pick<Service, 'models' | 'largeAnswers'>): Route =>
  route({
    at: 'GET /v1/import/{import_id}',
    operationId: 'getImport',
    summary: 'Get an import of recent days with the results of its check',
    scope: 'read',
    params: object({
      import_id: Type.String({ maxLength: 64, examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] }),
    }),
    answers: ok('The import', importResultSchema),
    problems: ['importNotFound'],
    run: call =>
      inPlace(service, call, async () => {
        const { days, sources } = service.models;
        const record = days.import(call.params.import_id);
        const isOwn = record && isOwnSource(service.models, call.actor, record.sourceId);
        if (isOwn && sources.setup(record.sourceId)?.archivedAt === null)
          return { status: 200, body: await importVerdict(service, record) };
        throw new Problem('importNotFound', `no import ${shown(call.params.import_id)}`);
      }),
  });

/** Stores valid recent days. */
const stored = async (
  service: Deciding & Pick<Service, 'environment' | 'waiters'>,
  call: Call<unknown, unknown, unknown>,
  sourceId: number,
  imported: ImportedDays,
): Promise<Answer> => {
  const { record, checked } = await importDays(service, call, sourceId, imported);
  return checkedAnswer(checked, `/v1/import/${record.id}`, await importVerdict(service, record));
};

/**
 * Rule for the recent days of a source that come now.
 * @throws Error when this runtime does not know the time zone of the source
 */
const recentRule = (
  { now, models }: Pick<Service, 'now' | 'models'>,
  source: SourceSetup,
  { allowFuture = false }: { readonly allowFuture?: boolean },
) => {
  const { id, activitySize, aggregation, interpolationMethod, timeZone } = source;
  const clock = clockOf(timeZone);
  if (!clock) throw new Error(`this runtime does not know the time zone ${timeZone} of source ${id}`);
  const settings = { activitySize, aggregation, interpolationMethod, clock };
  const at = now();
  const tomorrow = tomorrowOf(clock, at);
  const future = { tomorrow, allowFuture, nowMs: Date.parse(at), latenessMs: latenessMs(source) };
  return { kind: 'recent', ...settings, future, known: knownDays(models, id) } as const satisfies DayRule;
};
