import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { openLog } from '../../../adapters/composition/openLog.js';
import type { LogAddress } from '../../../adapters/settings/logAddress.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { launchService, tokenFor, type Launched } from '../process.js';
import { eventually, ordinaryDay, ordinaryDays } from '../service.js';

const secret = 'a secret of the cluster test, long enough';
const clients = 4;
/** Maximum time without a leader, in ms. */
const patienceMs = 120_000;

export type Kills = {
  readonly address: Extract<LogAddress, { kind: 'eventstoredb' }>;
  /** Stops the leader of a cluster and starts it again. */
  readonly kill: () => Promise<void>;
  readonly count: number;
  readonly pauseMs: number;
};

type Seen = { readonly date: string; readonly status: number; readonly code: string; readonly atMs: number };

const instancesOf = (t: Test, { url, prefix }: Kills['address']): readonly Launched[] => {
  const folders = t.testdir({ first: {}, second: {} });
  return ['first', 'second'].map(name =>
    launchService({
      DATA_DIR: `${folders}/${name}`,
      JWT_SECRET: secret,
      LOG_LEVEL: 'error',
      EVENT_STORE: 'eventstoredb',
      EVENTSTOREDB_URL: url,
      EVENTSTOREDB_PREFIX: prefix,
    }),
  );
};

const sent = async (method: string, url: string, json?: unknown, key?: string) => {
  const response = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${tokenFor(secret, 'tester')}`,
      'Content-Type': 'application/json',
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

/** Number of recent days in the log for each date. */
const importedIn = async (address: Kills['address']): Promise<ReadonlyMap<string, number>> => {
  const log = await openLog(address);
  const counts = new Map<string, number>();
  try {
    for await (const { data } of log.all(0n, ['DaysImported']))
      for (const { date } of (data as { readonly days: readonly { readonly date: string }[] }).days)
        counts.set(date, (counts.get(date) ?? 0) + 1);
  } finally {
    await log.close();
  }
  return counts;
};

/**
 * Imports through two instances while leaders are killed; each import is retried with its key until acknowledged.
 * Every acknowledged import must be in the log once and visible on both instances; clients get only success or 503.
 */
export const expectKeptOverKills = async (
  t: Test,
  { address, kill, count, pauseMs }: Kills,
): Promise<void> => {
  const services = instancesOf(t, address);
  t.teardown(() => Promise.all(services.map(({ end }) => end('SIGKILL'))));
  const addresses = await Promise.all(services.map(({ ready }) => ready));
  const at = (n: number): string => addresses[n % addresses.length] ?? '';
  const reference = {
    name: 'plant',
    referenceYear: 2022,
    days: ordinaryDays('2022-01-01', 60),
    calendar: 'FR',
  };
  const made = await sent('POST', `${at(0)}/v1/import/create-source`, reference);
  const { id: sourceId } = made.body['source'] as { readonly id: number };

  await eventually('the analysis', async () => {
    const { body } = await sent('GET', `${at(0)}/v1/source/${sourceId}`);
    return (body['analysis'] as { readonly status: string }).status === 'completed' ? body : undefined;
  });

  const begunMs = performance.now();
  const seen: Seen[] = [];
  const acknowledged = new Set<string>();
  let stopped = false;
  const client = async (own: number): Promise<void> => {
    for (let round = 0; !stopped; round += 1) {
      const date = dateOf(dayNumber('2023-01-01') + round * clients + own);
      const json = { sourceId, days: [ordinaryDay(date)] };
      const until = performance.now() + patienceMs;
      for (let tries = 0; !acknowledged.has(date); tries += 1) {
        const { status, body } = await sent('POST', `${at(own + tries)}/v1/import/days`, json, `day-${date}`);
        seen.push({ date, status, code: String(body['code'] ?? ''), atMs: performance.now() });
        if (status === 200 || status === 202) acknowledged.add(date);
        else if (performance.now() > until) throw new Error(`${date} was never acknowledged: ${status}`);
        else await sleep(200);
      }
    }
  };
  const working = Promise.all(Array.from({ length: clients }, (_, own) => client(own)));
  for (let n = 0; n < count; n += 1) {
    await sleep(pauseMs);
    await kill();
  }
  await sleep(pauseMs);
  stopped = true;
  await working;

  const counts = await importedIn(address);
  const lost = [...acknowledged].filter(date => !counts.has(date));
  t.strictSame(lost, [], 'every acknowledged import is in the log');
  t.strictSame(
    [...acknowledged].filter(date => counts.get(date) !== 1),
    [],
    'every acknowledged import is in the log once',
  );
  for (const address of addresses) {
    const years = new Set([...acknowledged].map(date => date.slice(0, 4)));
    const listed = new Set<string>();
    for (const year of years) {
      // An instance that is still behind refuses a read for a while.
      const { body } = await eventually('the days', async () => {
        const answer = await sent('GET', `${address}/v1/day/list/${sourceId}/${year}`);
        return answer.status === 200 ? answer : undefined;
      });
      for (const { date } of (body['days'] ?? []) as { readonly date: string }[]) listed.add(date);
    }
    t.strictSame(
      [...acknowledged].filter(date => !listed.has(date)),
      [],
      'each instance returns all imports',
    );
  }
  const refused = seen.filter(({ status }) => status !== 200 && status !== 202);
  t.strictSame(
    refused.filter(({ status }) => status !== 503),
    [],
    'clients see no error other than 503',
  );
  const times = seen.filter(({ status }) => status < 300).map(({ atMs }) => atMs);
  const gaps = times.map((atMs, index) => atMs - (times[index - 1] ?? begunMs));
  t.comment(
    `${count} leaders killed: ${acknowledged.size} imports acknowledged, ${lost.length} lost, ` +
      `${refused.length} answers 503 (${[...new Set(refused.map(({ code }) => code))].join(', ') || 'none'}), ` +
      `longest time without an acknowledgement ${Math.round(Math.max(0, ...gaps))} ms`,
  );
};
