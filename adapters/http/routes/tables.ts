import { Readable } from 'node:stream';
import Type, { type Static } from '../typebox.js';
import { ownSource, ownSourceOrArchived } from '../../../application/requests/access.js';
import { queryFault } from '../../../application/requests/imports/faults.js';
import type { Clock, Service } from '../../../application/requests/service.js';
import {
  dataTables,
  tableNames,
  groupsOf,
  type DateRange,
} from '../../../application/requests/dataTables.js';
import { alertStates } from '../../../domain/alerts/alertsState.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { dateAfter, dayNumber } from '../../../domain/dates.js';
import { answerFormats, tableMedia, type TableFormat, rowWriter, tableBytes } from '../../tables.js';
import { streamedAnswer, wholeAnswer, type LargeParts, type LargeService } from '../answers/largeAnswer.js';
import { tomorrowOfSource } from '../answers/sourceRecord.js';
import { sourceAsOf } from '../asOfQuery.js';
import { route, type Answer, type Call, type Route } from '../route.js';
import { asOfSchema, dateSchema, nullable, sourceIdSchema, object, named } from '../schemas/common.js';

const tableParams = object({
  source_id: sourceIdSchema,
  table: Type.Enum([...tableNames], { examples: ['residuals'] }),
});

const tableQuery = object({
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
});

const tableSchema = named('Table', {
  columns: Type.Array(
    object({
      name: Type.String({ examples: ['date'] }),
      kind: Type.Enum(['text', 'integer', 'number', 'boolean', 'date', 'instant'], {
        examples: ['date'],
      }),
    }),
  ),
  rows: Type.Array(
    Type.Array(nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])), {
      description: 'A value for each column.',
      examples: [['2026-03-02']],
    }),
  ),
});

/** Days of an answer: usually, and at most. */
const daysUsual = 366;
const daysMax = 1100;
/** Rows of a table that is made as a whole. */
const wholeRows = 1000;

type TableCall = Call<Static<typeof tableParams>, Static<typeof tableQuery>, undefined>;

/** The dates of a query. @throws InvalidInput for a range that is too long */
const rangeOf = ({ query }: TableCall, lastDate: string): DateRange => {
  const newest = dateAfter(lastDate, 1);
  const to = query.to ?? (query.from !== undefined && query.from > newest ? query.from : newest);
  const from = query.from ?? dateAfter(to, -daysUsual);
  const days = dayNumber(to) - dayNumber(from);
  if (days <= daysMax) return { from, to };
  throw queryFault({
    code: 'rangeTooLong',
    pointer: '/query/to',
    detail: `got ${days} days from ${from} to ${to}, expected 0 to ${daysMax}`,
  });
};

/** The format of the query, else the one that the client prefers. */
const formatOf = ({ query, accepts }: TableCall): TableFormat => {
  if (query.format !== undefined) return query.format;
  const preferred = accepts(...Object.values(tableMedia));
  return answerFormats.find(name => tableMedia[name] === preferred) ?? 'json';
};

/** Headers of a table. JSON is shown, other formats are saved. */
const headersOf = ({ params }: TableCall, format: TableFormat): Record<string, string> => {
  const type = tableMedia[format];
  const file = `source-${params.source_id}-${params.table}.${format}`;
  return {
    'Content-Type': format === 'csv' || format === 'json' ? `${type}; charset=utf-8` : type,
    ...(format !== 'json' && { 'Content-Disposition': `attachment; filename="${file}"` }),
  };
};

/** The last date of the alerts of a source between two dates: a silence that goes on is later than the data. */
const lastAlertDate = (
  { alerts }: Service['models'],
  { id: sourceId, tenant }: SourceSetup,
  from: string,
  last: string,
): string | undefined => {
  const dates = { from, to: dateAfter(last, 1) };
  const order = { sort: 'date', descending: true, after: undefined, limit: 1 } as const;
  const all = { tenant, sourceId, states: alertStates, kinds: undefined };
  return alerts.page({ ...all, ...dates, ...order })[0]?.date;
};

/** The rows of a call in groups, and how many there are at most. */
const rowsOf = (service: Clock & Pick<Service, 'models'>, call: TableCall) => {
  const { models } = service;
  const { source_id: sourceId, table: name } = call.params;
  const source = ownSource(models, call.actor, sourceId);
  const table = dataTables[name];
  const tomorrow = tomorrowOfSource(service, sourceId);
  const lastDate = models.days.lastDate(sourceId, tomorrow) ?? source.reference.to;
  const alertDate = name === 'alerts' ? lastAlertDate(models, source, lastDate, tomorrow) : undefined;
  const range = rangeOf(call, alertDate ?? lastDate);
  return {
    table,
    rowsMax: table.rowsMax(models, source, range),
    rows: () => table.rows(models, source, range),
  };
};

/** A table as an answer. A small one is made as a whole; a large one is written while the client reads it. */
const tableAnswer = async (service: LargeService, call: TableCall): Promise<Answer> => {
  const format = formatOf(call);
  const head = { status: 200, headers: headersOf(call, format) };
  const { rowsMax } = rowsOf(await sourceAsOf(service, call, call.params.source_id), call);
  const sourceIds = () => [ownSourceOrArchived(service.models, call.actor, call.params.source_id).id];
  const bytesOf = ({ service: then, yieldToEventLoop }: LargeParts) => {
    const { table, rows } = rowsOf(then, call);
    return tableBytes(table, format, groupsOf(rows(), yieldToEventLoop));
  };
  if (rowsMax > wholeRows)
    return streamedAnswer(service, call, sourceIds, parts => ({ ...head, body: bytesOf(parts) }));
  return wholeAnswer(service, call, sourceIds, async parts => {
    const chunks: (string | Uint8Array)[] = [];
    for await (const chunk of bytesOf(parts)) chunks.push(chunk);
    return { ...head, body: Readable.from(chunks) };
  });
};

const { columns } = dataTables.checks;
const exampleRow = [12, '2026-03-02', 'normal', false, 3, 2, 1, null, null, null];
const example = (format: 'csv' | 'ndjson'): string => {
  const { head, line } = rowWriter({ columns }, format);
  return [...head, line(exampleRow), ''].join('\n');
};

/** Routes of the tables for analyses. */
export const tableRoutes = (service: LargeService): readonly Route[] => [
  route({
    at: 'GET /v1/table/{source_id}/{table}',
    operationId: 'getTable',
    summary: 'Get days, checks, alerts, models or residuals of a source as a table',
    scope: 'read',
    params: tableParams,
    query: tableQuery,
    answers: {
      200: {
        description: 'The rows by date',
        schema: tableSchema,
        others: {
          [tableMedia.csv]: example('csv'),
          [tableMedia.ndjson]: example('ndjson'),
          [tableMedia.arrow]: 'a stream of Arrow IPC',
        },
      },
    },
    run: call => tableAnswer(service, call),
  }),
];
