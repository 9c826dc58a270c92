import { pino } from 'pino';
import type { Test } from 'tap';
import { openStores } from '../../adapters/composition/openStores.js';
import { startService } from '../../adapters/composition/startService.js';
import { system } from '../../adapters/environment.js';
import { app } from '../../adapters/http/app.js';
import { mintToken, scopes } from '../../adapters/http/middleware/tokens.js';
import { readSettings } from '../../adapters/settings/settings.js';
import type { Analyst } from '../../application/ports/analyst.js';
import type { Environment } from '../../application/ports/environment.js';
import type { Recorded } from '../../domain/events.js';
import type { AlertRecord } from '../../projections/alertPages.js';
import { inMemory } from '../simulation/http.js';
import { noReceivers } from './receivers/noReceivers.js';
import { outcomeMs } from './waits.js';
import { eventually, ordinaryDay, ordinaryDays } from './service.js';

// A service in memory with a clock of the test.

/** Shorter than an outage of the service. */
const stepMs = 4 * 60_000;

/** A clock that runs, and that a test can advance: the timers in between fire. */
export const drivenClock = (start: string) => {
  const before = Date.parse(start) - Date.now();
  let leaptMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  const nowMs = () => Date.now() + before + leaptMs;
  const environment: Environment = {
    ...system,
    nowMs,
    elapsedMs: () => system.elapsedMs() + leaptMs,
    after: (ms, run) => {
      const timer = { atMs: nowMs() + ms, run: () => (cancel(), run()) };
      const cancelReal = system.after(Math.min(ms, 2 ** 31 - 1), timer.run);
      const cancel = (): void => {
        timers.delete(timer);
        cancelReal();
      };
      timers.add(timer);
      return cancel;
    },
  };
  const fire = async (): Promise<void> => {
    for (const timer of [...timers]) if (timer.atMs <= nowMs()) timer.run();
    for (let turn = 0; turn < 4; turn += 1) await system.nextTurn();
  };
  /** Advances in steps, as for a running service. */
  const goTo = async (instant: string): Promise<void> => {
    for (let leftMs = Date.parse(instant) - nowMs(); leftMs > 0; leftMs = Date.parse(instant) - nowMs()) {
      leaptMs += Math.min(stepMs, leftMs);
      await fire();
    }
  };
  /** Advances in one step, as for a suspended machine. */
  const leapTo = async (instant: string): Promise<void> => {
    leaptMs += Date.parse(instant) - nowMs();
    await fire();
  };
  return { environment, goTo, leapTo };
};

type Clock = ReturnType<typeof drivenClock>;

type Stored = Awaited<ReturnType<typeof openStores>>;
type Placed = {
  readonly env?: NodeJS.ProcessEnv;
  /** Replaces stores by those that several instances share. */
  readonly share?: (stores: Stored) => Stored;
};

/** A service with a clock, in memory unless `env` says otherwise. */
export const serviceBy = async (
  t: Test,
  clock: Clock,
  pool: Analyst,
  { env = {}, share = own => own }: Placed = {},
) => {
  const settings = readSettings({ DATA_DIR: t.testdir(), EVENT_STORE: 'memory', ...env });
  const log = pino({ level: 'silent' });
  const fault = (error: unknown): void => {
    throw error;
  };
  const stores = share(await openStores(settings, log, clock.environment, fault));
  const parts = {
    ...{ stores, analyst: pool, checkpoints: undefined, webhooks: noReceivers, log, fault },
    outcomeMs,
  };
  const start = async () => {
    const started = await startService({ ...parts, environment: clock.environment });
    const listener = app(started.service, settings, {
      answers: stores.answers,
      screenFiles: new Map(),
      log,
    }).callback();
    return { ...started, ...inMemory((request, response) => void listener(request, response)) };
  };
  let running = await start();
  t.teardown(async () => {
    await running.stop();
    await stores.close();
  });
  /** Starts the service again on the same stores. */
  const restart = async (meanwhile: () => Promise<void>): Promise<void> => {
    await running.stop();
    await meanwhile();
    running = await start();
  };
  const token = await mintToken(settings.tokens, { subject: 'anna', tenant: 'default', scopes }, 1e9);
  type Asked = readonly [method: string, path: string, body?: object | string, type?: string];
  /** Sends a request; a text is sent as it is, else as JSON. */
  const send = async <Body>(...[method, path, body, type = 'application/json']: Asked) => {
    const text = typeof body === 'string' ? body : body ? JSON.stringify(body) : '';
    const answer = await running.send({
      ...{ method, path, body: text },
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
    });
    return { status: answer.status, body: answer.body as Body };
  };
  const ask = async <Body>(...asked: Asked): Promise<Body> => {
    const { status, body } = await send<Body>(...asked);
    if (status >= 300) throw new Error(`${asked[0]} ${asked[1]}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const events = async (): Promise<readonly Recorded[]> => {
    const all: Recorded[] = [];
    for await (const event of stores.log.all(0n)) all.push(event);
    return all;
  };
  const create = async (name: string): Promise<number> => {
    const { source } = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
      ...{ name, referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
    });
    await eventually('the analysis', async () => {
      const { analysis } = await ask<{ analysis: { status: string } }>('GET', `/v1/source/${source.id}`);
      return analysis.status === 'completed' ? true : undefined;
    });
    return source.id;
  };
  type Changes = { readonly alerts: Readonly<Record<'raised' | 'ended' | 'invalidated', AlertRecord[]>> };
  const importDays = (sourceId: number, ...dates: readonly string[]): Promise<Changes> =>
    ask('POST', '/v1/import/days', { sourceId, days: dates.map(ordinaryDay) });
  const alerts = async (query = ''): Promise<readonly AlertRecord[]> =>
    (await ask<{ alerts: AlertRecord[] }>('GET', `/v1/alert/list?limit=500${query}`)).alerts;
  const changes = () => running.service.changes;
  return { restart, parts, send, ask, events, create, importDays, alerts, changes };
};
