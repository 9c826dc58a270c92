import { Readable } from 'node:stream';
import type { Static } from '../typebox.js';
import { ownSource } from '../../../application/access/access.js';
import { InvalidInput } from '../../../application/imports/faults.js';
import type { Service } from '../../../application/service.js';
import { dataTables } from '../../../application/tables/dataTables.js';
import { groupsOf, type DataTable, type DateRange, type Value } from '../../../application/tables/table.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { tableFormats, tableMedia } from '../../tables/formats.js';
import { tableBytes } from '../../tables/tableBytes.js';
import { rowWriter } from '../../tables/textTable.js';
import { sourceAsOf } from '../asOfQuery.js';
import { route, type Call, type Route } from '../route.js';
import { tableParams, tableQuery, type answerFormats, tableSchema } from '../schemas/table.js';

/** Days of an answer: usually, and at most. */
const daysUsual = 366;
const daysMax = 1100;

type TableCall = Call<Static<typeof tableParams>, Static<typeof tableQuery>, undefined>;

/** The dates of a query. @throws InvalidInput for a reversed range, and for one that is too long */
const rangeOf = ({ query }: TableCall, lastDate: string): DateRange => {
  const after = (date: string, days: number): string => dateOf(dayNumber(date) + days);
  const to = query.to ?? (query.from === undefined ? after(lastDate, 1) : after(query.from, daysUsual));
  const from = query.from ?? after(to, -daysUsual);
  const days = dayNumber(to) - dayNumber(from);
  if (days >= 0 && days <= daysMax) return { from, to };
  throw new InvalidInput('parametersInvalid', 'the query is not valid', [
    {
      code: days < 0 ? 'order' : 'rangeTooLong',
      pointer: '/query/to',
      detail: `got ${days} days from ${from} to ${to}, expected 0 to ${daysMax}`,
    },
  ]);
};

/** The format of the query, else the one that the client prefers. */
const formatOf = ({ query, accepts }: TableCall): (typeof answerFormats)[number] => {
  if (query.format !== undefined) return query.format;
  const preferred = accepts('application/json', ...Object.values(tableMedia));
  return tableFormats.find(name => tableMedia[name] === preferred) ?? 'json';
};

const jsonTable = ({ columns }: DataTable, rows: Iterable<readonly Value[]>): Static<typeof tableSchema> => ({
  columns: Object.entries(columns).map(([name, kind]) => ({ name, kind })),
  rows: Array.from(rows, row => [...row]),
});

const { columns } = dataTables.checks;
const exampleRow = [12, '2026-03-02', 'normal', 3, 2, 1, null, null, null];
const example = (format: 'csv' | 'ndjson'): string => {
  const { head, line } = rowWriter({ columns }, format);
  return [...head, line(exampleRow), ''].join('\n');
};

export const tableRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/table/{source_id}/{table}',
    operationId: 'getTable',
    summary: 'Get days, checks, alerts, models or residuals of a source as a table',
    scope: 'read',
    params: tableParams,
    query: tableQuery,
    body: { kind: 'none' },
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
    run: async call => {
      const { source_id: sourceId, table: name } = call.params;
      const { models } = await sourceAsOf(service, call, sourceId);
      const source = ownSource(models, call.actor, sourceId);
      const table = dataTables[name];
      const rows = table.rows(
        models,
        source,
        rangeOf(call, models.days.lastDate(sourceId) ?? source.reference.to),
      );
      const format = formatOf(call);
      if (format === 'json') return { status: 200, body: jsonTable(table, rows) };
      const groups = groupsOf(rows, service.turns.yielderFor(call.actor.tenant, call.signal));
      const type = tableMedia[format];
      return {
        status: 200,
        headers: {
          'Content-Type': format === 'csv' ? `${type}; charset=utf-8` : type,
          'Content-Disposition': `attachment; filename="source-${sourceId}-${name}.${format}"`,
        },
        body: Readable.from(tableBytes(table, format, groups), { highWaterMark: 1, objectMode: true }),
      };
    },
  }),
];
