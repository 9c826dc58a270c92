// Kills the service while it takes points: each acknowledged point counts once.
// CRASH_SEED repeats the points and the times of kills; CRASH_KILLS is the number of kills.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { amount } from '../helpers/amount.js';
import { chance } from '../helpers/crash/chance.js';
import { presentDate } from '../helpers/presentDate.js';
import { launchService, tokenFor, type Launched } from '../helpers/process.js';

const seed = Number(process.env['CRASH_SEED'] ?? 1);
const kills = Number(process.env['CRASH_KILLS'] ?? amount({ quick: 4, slow: 40 }));
const secret = 'a secret of the point kills, long enough';
const slices = 24;
const batchSize = 40;
const pauseMs = 400;
/** The day before yesterday, which is closed at any time of the day: its points are stored at once. */
const date = dateOf(dayNumber(await presentDate()) - 2);

type Stored = { readonly day: { readonly activity: readonly number[] } | null };

t.test('a killed service has each acknowledged point once', async t => {
  t.comment(`CRASH_SEED=${seed} CRASH_KILLS=${kills}`);
  const random = chance(seed);
  const env = { DATA_DIR: t.testdir(), JWT_SECRET: secret, LOG_LEVEL: 'error' };
  let service: Launched;
  let address = '';
  const start = async (): Promise<void> => {
    service = launchService(env);
    address = await service.ready;
  };
  t.teardown(() => service.end('SIGKILL'));
  /** The answer; undefined when the service ended before it. */
  const ask = async (method: string, path: string, json?: object) => {
    try {
      const response = await fetch(address + path, {
        method,
        headers: {
          Authorization: `Bearer ${tokenFor(secret, 'meter')}`,
          ...(json && { 'Content-Type': 'application/json' }),
        },
        ...(json && { body: JSON.stringify(json) }),
      });
      return { status: response.status, body: JSON.parse(await response.text()) as unknown };
    } catch {
      return undefined;
    }
  };
  await start();
  const source = { name: 'Meter', activitySize: slices, aggregation: 'sum', timeZone: 'UTC' };
  const created = await ask('POST', '/v1/source', source);
  t.equal(created?.status, 201);
  const { id: sourceId } = created?.body as { readonly id: number };

  const expected = Array<number>(slices).fill(0);
  let isEnding = false;
  let sent = 0;
  /** Sends batches until the kills are over; an unanswered one is sent again. */
  const feed = async (): Promise<void> => {
    while (!isEnding) {
      const seconds = Array.from({ length: batchSize }, () => sent++);
      // Spread over the day; 7919 has no divisor in common with the seconds of a day.
      const instants = seconds.map(n => (n * 7919) % 86_400);
      const points = instants.map(at => ({ at: Date.parse(`${date}T00:00:00Z`) / 1000 + at, value: 1 }));
      const json = {
        sourceId,
        points: points.map(({ at, value }) => ({ at: new Date(1000 * at).toISOString(), value })),
      };
      for (let answer = await ask('POST', '/v1/import/points', json); answer?.status !== 200;) {
        if (answer && answer.status !== 503) throw new Error(JSON.stringify(answer));
        await sleep(20);
        answer = await ask('POST', '/v1/import/points', json);
      }
      for (const at of instants) {
        const slice = Math.floor((at * slices) / 86_400);
        expected[slice] = (expected[slice] ?? 0) + 1;
      }
    }
  };
  const feeding = feed();
  for (let count = 0; count < kills; count += 1) {
    await sleep(random.next() * pauseMs);
    await service!.end('SIGKILL');
    await start();
  }
  isEnding = true;
  await feeding;
  const stored = async (): Promise<readonly number[]> =>
    ((await ask('GET', `/v1/day/${sourceId}/${date}`))?.body as Stored).day?.activity ?? [];
  for (let tries = 0; tries < 300 && String(await stored()) !== String(expected); tries += 1)
    await sleep(100);
  t.strictSame(await stored(), expected);
  t.comment(`${sent} points`);
});
