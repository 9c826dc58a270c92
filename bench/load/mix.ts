import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { csvOf } from '../../test/helpers/service.js';
import { dayOf } from '../speed/inputs.js';

/** A request; `json` or `csv` make it a POST. */
export type Sent = { readonly path: string; readonly json?: unknown; readonly csv?: string };

/** A client with its own connection that sends one request after the other. */
export const client = (address: string, token: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: async ({ path, json, csv }: Sent): Promise<{ readonly status: number; readonly text: string }> => {
      const body = json === undefined ? csv : JSON.stringify(json);
      const sent = request(address + path, {
        method: body === undefined ? 'GET' : 'POST',
        agent,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body !== undefined && {
            'Content-Type': json === undefined ? 'text/csv' : 'application/json',
            'Content-Length': Buffer.byteLength(body),
          }),
        },
      });
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
      return { status: answer.statusCode ?? 0, text: String(Buffer.concat(chunks)) };
    },
    close: () => agent.destroy(),
  };
};

/** Requests that a client repeats; `round` counts from 0. */
export type Habit = {
  readonly name: string;
  readonly count: number;
  readonly next: (round: number, client: number) => Sent;
};

const day = (index: number, round: number) => {
  const { activity } = dayOf(index);
  return {
    date: dateOf(dayNumber('2024-01-01') + (index % 700)),
    activity: activity.map(value => value + (round % 9)),
  };
};
const days = (from: number, count: number, round: number) =>
  Array.from({ length: count }, (_, index) => day(from + index, round));

/** 64 clients of the given sources: imports of all sizes, yearly lists, history and audit. */
export const mixOf = (ids: readonly number[]): readonly Habit[] => {
  const sourceOf = (client: number): number => ids[client % ids.length] ?? 0;
  const json = (count: number) => (round: number, client: number) => ({
    path: '/v1/import/days',
    json: { sourceId: sourceOf(client), days: days((client * 37 + round * count) % 500, count, round) },
  });
  return [
    { name: 'import of a day', count: 16, next: json(1) },
    { name: 'import of a month', count: 6, next: json(31) },
    { name: 'import of 200 days', count: 2, next: json(200) },
    {
      name: 'import of two months of CSV',
      count: 4,
      next: (round, client) => ({
        path: `/v1/import-csv/${sourceOf(client)}/days`,
        csv: csvOf(days((client * 37) % 500, 60, round)),
      }),
    },
    {
      name: 'list of a year',
      count: 16,
      next: (_, client) => ({ path: `/v1/day/list/${sourceOf(client)}/2024` }),
    },
    {
      name: 'planned year',
      count: 4,
      next: (_, client) => ({ path: `/v1/planning/list/${sourceOf(client)}/2024` }),
    },
    {
      name: 'year as of a moment',
      count: 4,
      next: (round, client) => ({
        path: `/v1/day/list/${sourceOf(client)}/2023?asOf=${20 + ((round * 7 + client) % 200)}`,
      }),
    },
    {
      name: 'alerts',
      count: 4,
      next: (_, client) => ({ path: `/v1/alert/list?sourceId=${sourceOf(client)}` }),
    },
    { name: 'sources', count: 4, next: () => ({ path: '/v1/source/list' }) },
    { name: 'page of the audit trail', count: 2, next: () => ({ path: '/v1/audit/event?limit=500' }) },
    {
      name: 'audit trail of a source',
      count: 2,
      next: (_, client) => ({ path: `/v1/audit/event?sourceId=${sourceOf(client)}&format=ndjson` }),
    },
  ];
};
