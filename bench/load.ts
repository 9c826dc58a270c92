// Longest time that the event loop is blocked while 64 clients of three tenants send mixed requests:
// `npm run bench:load`, with `-- --seconds 30` for longer, `-- --main <file>` for the command line of another build,
// `-- --profile <file>` for a CPU profile. Prints Markdown. Nothing is asserted.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually, csvOf } from '../test/helpers/service.js';
import { tokenFor } from '../test/helpers/process.js';
import { dayOf } from './service/inputs.js';
import { secret, startService } from './service/service.js';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { dateOf, dayNumber } from '../domain/dates.js';

/** A request; `json` or `csv` make it a POST. */
type Sent = { readonly path: string; readonly json?: unknown; readonly csv?: string };

/** A client with its own connection that sends one request after the other. */
const client = (address: string, token: string) => {
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
type Habit = {
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
const mixOf = (ids: readonly number[]): readonly Habit[] => {
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

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '15' },
    sources: { type: 'string', default: '4' },
    main: { type: 'string' },
    profile: { type: 'string' },
  },
});
const measuredMs = 1000 * Number(flags.seconds);
const tenants = ['one', 'two', 'three'];
const root = mkdtempSync(join(tmpdir(), 'daybook-load-'));
const tokenOf = (tenant: string): string => tokenFor(secret, 'load', tenant);
const service = await startService(root, {
  ...(flags.main !== undefined && { main: flags.main }),
  env: {
    NODE_OPTIONS: `--import=${new URL('./meter.js', import.meta.url).href}`,
    ...(flags.profile !== undefined && { LOAD_PROFILE: flags.profile }),
  },
});

/** Creates the sources of a tenant, with models. */
const sourcesOf = async (tenant: string): Promise<number[]> => {
  const { send, close } = client(service.address, tokenOf(tenant));
  const ids: number[] = [];
  for (let index = 0; index < Number(flags.sources); index += 1) {
    const json = {
      name: `Gate ${index}`,
      referenceYear: 2023,
      days: Array.from({ length: 365 }, (_, n) => dayOf(n)),
    };
    const { text } = await send({ path: '/v1/import/create-source', json });
    const { id } = (JSON.parse(text) as { readonly source: { readonly id: number } }).source;
    await eventually(
      'models',
      async () => (await send({ path: `/v1/source/${id}` })).text.includes('"completed"') || undefined,
    );
    ids.push(id);
  }
  close();
  return ids;
};

const times = new Map<string, number[]>();
const refused = new Map<string, number>();

/** Runs one client of the mix until the time is over. */
const run = async (habit: Habit, index: number, token: string, until: number): Promise<void> => {
  const { send, close } = client(service.address, token);
  const own = times.get(habit.name) ?? [];
  times.set(habit.name, own);
  for (let round = 0; performance.now() < until; round += 1) {
    const begun = performance.now();
    const { status } = await send(habit.next(round, index));
    if (status < 300) own.push(performance.now() - begun);
    else {
      const name = `${habit.name}: ${status}`;
      refused.set(name, (refused.get(name) ?? 0) + 1);
      await sleep(100);
    }
  }
  close();
};

/** Delays of the event loop since the last call, in ms. */
const delay = async (): Promise<Record<'p50' | 'p90' | 'p99' | 'max', number>> => {
  const before = service.stderr().length;
  process.kill(service.pid, 'SIGUSR2');
  const line = await eventually('the meter', () => /delay (.*)\n/.exec(service.stderr().slice(before))?.[1]);
  return JSON.parse(line) as Record<'p50' | 'p90' | 'p99' | 'max', number>;
};

const mixes = new Map<string, readonly Habit[]>();
for (const tenant of tenants) mixes.set(tenant, mixOf(await sourcesOf(tenant)));
await delay();
const until = performance.now() + measuredMs;
let index = 0;
const clients: Promise<void>[] = [];
for (const [at, habit] of (mixes.get('one') ?? []).entries())
  for (let n = 0; n < habit.count; n += 1, index += 1) {
    const tenant = tenants[index % tenants.length] ?? '';
    const own = mixes.get(tenant)?.[at];
    if (own) clients.push(run(own, index, tokenOf(tenant), until));
  }
await Promise.all(clients);
const { p50, p90, p99, max } = await delay();
await service.stop();
rmSync(root, { recursive: true });

const at = (sorted: readonly number[], share: number): string =>
  sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0) ?? '–';
process.stdout.write(
  `| ${clients.length} clients | answers per second | p50 ms | p99 ms |\n| --- | --: | --: | --: |\n`,
);
for (const [name, own] of times) {
  own.sort((a, b) => a - b);
  process.stdout.write(
    `| ${name} | ${((1000 * own.length) / measuredMs).toFixed(1)} | ${at(own, 0.5)} | ${at(own, 0.99)} |\n`,
  );
}
process.stdout.write(
  `| **event loop held**, p90 ${p90.toFixed(1)}, most ${max.toFixed(0)} | | **${p50.toFixed(1)}** | **${p99.toFixed(0)}** |\n`,
);
for (const [name, count] of refused) process.stdout.write(`refused: ${name}, ${count} times\n`);
process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
