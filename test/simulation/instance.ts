import { Database } from '../../adapters/sqlite/driver.js';
import type { Logger } from 'pino';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import { app } from '../../adapters/http/app.js';
import type { KeptResponses } from '../../adapters/http/idempotency/keptResponses.js';
import { keptResponsesIn } from '../../adapters/http/idempotency/keptResponsesFile.js';
import { keptResponsesOn } from '../../adapters/http/idempotency/sharedKeptResponses.js';
import { peopleOf, type Stores } from '../../adapters/composition/openStores.js';
import { keyFile, keyStreams } from '../../adapters/privacy/keys.js';
import type { PersonKeys } from '../../adapters/privacy/people.js';
import { startService } from '../../adapters/composition/startService.js';
import { deliveryFile } from '../../adapters/webhooks/deliveryFile.js';
import { pointFile } from '../../adapters/points/pointFile.js';
import { pointStreams } from '../../adapters/points/pointStreams.js';
import { readModelMemos, readModels, type ReadModels } from '../../projections/readModels.js';
import type { Chance } from '../helpers/crash/chance.js';
import { noReceivers } from '../helpers/receivers/noReceivers.js';
import type { Faults } from './faults.js';
import { inMemory, type Came, type Sent } from './http.js';
import type { Environment } from '../../application/ports/environment.js';
import { uptimeInMemory } from '../../application/followUps/clock.js';
import { environmentOf, type Owner, type Scheduler } from './scheduler.js';
import { simulatedAnalyst } from './analyst.js';
import type { Consumers } from './simulatedGroup.js';
import { snapshotsOf, guardWrites } from '../../adapters/sqlite/readModels.js';
import { emptyReadModels } from './emptyReadModels.js';
import { connection, type Disk } from './simulatedStore.js';

/** Common parts of all instances of a simulation. */
export type Surroundings = {
  readonly disk: Disk;
  readonly scheduler: Scheduler;
  readonly random: Chance;
  readonly faults: Faults;
  /** undefined: a single instance with an embedded log. */
  readonly consumers: Consumers | undefined;
  readonly settings: Parameters<typeof app>[1];
  /** Whether clients send points: instances on one log share them. */
  readonly hasPoints: boolean;
  /** Called with the id of each new key and its person. */
  readonly known: (keyId: string, subject: string) => void;
  readonly note: (fault: string) => void;
  readonly trace: (line: string) => void;
};

type Incarnation = {
  readonly owner: Owner;
  readonly send: (request: Sent) => Promise<Came>;
  readonly models: ReadModels;
  readonly stop: () => Promise<void>;
};

/** An instance that can crash and restart with the data on its disk. */
export type Instance = ReturnType<typeof instance>;

/** Errors that a service may log during faults. */
const excused = new Set([
  'StoreUnavailable',
  'OutcomeUnknown',
  'QueueFull',
  'ReadModelsBehind',
  'StorageFull',
]);

export const instance = (index: number, around: Surroundings) => {
  const { disk, scheduler, random, faults, consumers, settings, hasPoints, known, note, trace } = around;
  const name = `instance ${index}`;
  const skewMs = random.below(1000) - 500;
  let db = emptyReadModels();
  let snapshot: Buffer | undefined;
  let kept: KeptResponses | undefined;
  /** Release functions of running attempts; a crash calls them. */
  const tries = new Set<() => void>();
  const ownKeys = keyFile(':memory:');
  const uptime = uptimeInMemory();
  const deliveries = deliveryFile(':memory:');
  const ownPoints = pointFile(':memory:');
  /** Requests that wait for an answer of this instance. */
  const waiting = new Set<() => void>();
  const ended = new Map<() => void, () => void>();
  let awayUntil = 0;
  let fullUntil = 0;
  let brokenUntil = 0;
  let ends = 0;
  let now: Incarnation | undefined;

  const complain = (level: string) => (details: { readonly err?: Error } | string, message?: string) => {
    const err = typeof details === 'object' ? details.err : undefined;
    trace(`${name}: ${level}: ${message ?? String(details)} ${err ? `${err.name} ${err.message}` : ''}`);
    if (level === 'error' && !(err && excused.has(err.name)))
      note(`${name} logs an error: ${message}: ${err?.stack ?? JSON.stringify(details)}`);
  };
  const log = {
    trace: () => {},
    debug: () => {},
    info: () => {},
    warn: complain('warn'),
    error: complain('error'),
    fatal: complain('error'),
  } as unknown as Logger;

  /** On a full disk, commits fail and end their transaction; uncommitted pages are in memory. */
  const room = (): void => {
    if (scheduler.nowMs() >= fullUntil) return;
    if (db.inTransaction) db.exec('rollback');
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  };
  /** On a broken disk, each statement that writes fails, and SQLite ends the transaction. */
  const sound = (): void => {
    if (scheduler.nowMs() >= brokenUntil) return;
    if (db.inTransaction) db.exec('rollback');
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
  };
  const onDisk = (models: ReadModels): ReadModels => ({
    ...models,
    begin: () => (sound(), models.begin()),
    apply: (...batch) => (sound(), models.apply(...batch)),
    saveCheckpoint: (...checkpoint) => (sound(), models.saveCheckpoint(...checkpoint)),
    commit: () => {
      room();
      sound();
      models.commit();
      if (random.happens(0.05) && !db.inTransaction) snapshot = db.serialize();
    },
  });

  const reporting = (keys: PersonKeys): PersonKeys => ({
    ...keys,
    keep: key => {
      known(key.id, key.subject);
      return keys.keep(key);
    },
  });

  /** Kept responses in a file that survives a crash. */
  const keptBy = (environment: Environment): KeptResponses => {
    const file = (kept ??= keptResponsesIn(':memory:', environment));
    return {
      ...file,
      begin: async (...use) => {
        const begun = await file.begin(...use);
        tries.add(() => file.leave(use[0], use[1]));
        return begun;
      },
    };
  };

  const { open: copyOf } = snapshotsOf(':memory:');
  const storesOf = (owner: Owner): Stores => {
    const environment = environmentOf(scheduler, owner, random, skewMs);
    const away = () => scheduler.nowMs() < awayUntil;
    const store = connection({ disk, owner, scheduler, random, faults, away, trace, embedded: !consumers });
    const models = guardWrites(onDisk(readModels(db)));
    const snapshotNow = () => copyOf(db, readModelMemos());
    if (!consumers)
      return {
        log: store,
        models,
        snapshot: snapshotNow,
        answers: keptBy(environment),
        deliveries,
        points: ownPoints,
        people: peopleOf(reporting(ownKeys), environment),
        uptime,
      };
    const answers: KeptResponses = keptResponsesOn(store, () => store.wire(), environment);
    // The events before a compaction may stay.
    const points = hasPoints ? pointStreams({ store, truncate: () => store.wire(), environment }) : ownPoints;
    const people = peopleOf(reporting(keyStreams(store, store.deleteStream)), environment);
    const shared: Stores['log']['shared'] = {
      subscription: ({ fault, history }) => {
        let leave = (): void => {};
        return {
          prepare: async () => {
            await store.wire();
            if (away()) throw new StoreUnavailable('the simulated store is unreachable');
          },
          start: take =>
            void (leave = consumers.join({
              owner,
              take: delivered => take(delivered).catch(fault),
              failed: error => note(`${name}: a reaction failed: ${String((error as Error).stack)}`),
              away,
              doneUpTo: history?.doneUpTo ?? (() => 0n),
            })),
          wake: () => {},
          state: () => (away() ? undefined : consumers.state()),
          stop: async () => leave(),
        };
      },
      watch: appended => {
        const wake = (): void => {
          if (!owner.alive) disk.watchers.delete(wake);
          else if (!away() && !faults.happens('lostWake'))
            scheduler.after(owner, random.next() * 20, appended);
        };
        // A lost subscription is renewed, which also notifies.
        const renew = (): void => void scheduler.after(owner, 10_000, () => (appended(), renew()));
        renew();
        disk.watchers.add(wake);
        return { stop: async () => void disk.watchers.delete(wake) };
      },
    };
    return {
      log: { ...store, shared },
      models,
      snapshot: snapshotNow,
      answers,
      deliveries,
      points,
      people,
      uptime,
    };
  };

  const start = async (): Promise<void> => {
    const owner: Owner = { name: `${name}.${ends}`, alive: true };
    const environment = environmentOf(scheduler, owner, random, skewMs);
    const stores = storesOf(owner);
    const fault = (error: unknown) => note(`${name} cannot go on: ${String((error as Error).stack)}`);
    try {
      starting = owner;
      const { service, stop } = await startService({
        stores,
        analyst: simulatedAnalyst(owner, scheduler, random),
        checkpoints: undefined,
        webhooks: noReceivers,
        log,
        fault,
        environment,
      });
      const respond = app(service, settings, {
        answers: stores.answers,
        screenFiles: new Map(),
        log,
      }).callback();
      const { send, close } = inMemory((request, response) => void respond(request, response));
      servers.push(close);
      now = { owner, send, models: stores.models, stop };
      trace(`${name} is up`);
    } catch (error) {
      owner.alive = false;
      if (!(error instanceof StoreUnavailable)) return fault(error);
      trace(`${name} could not start: ${error.message}`);
      scheduler.after({ name, alive: true }, 1000, begin);
    }
  };
  /** Close functions of the servers of all incarnations. */
  const servers: (() => void)[] = [];
  let starting: Owner | undefined;
  const begin = (): void => void start();

  /** Crashes: pending calls never return; the disk has the state of a commit. */
  const crash = (): void => {
    if (!starting?.alive) return;
    const cut = snapshot !== undefined && faults.happens('powerCut');
    trace(`${name} crashes${cut ? ', and its last commits are lost' : ''}`);
    starting.alive = false;
    now = undefined;
    ends += 1;
    for (const end of [...waiting]) end();
    for (const forget of tries) forget();
    tries.clear();
    if (db.inTransaction) db.exec('rollback');
    if (cut) {
      db.close();
      db = new Database(snapshot);
    }
    scheduler.after({ name, alive: true }, random.next() * 2000, begin);
  };

  begin();
  return {
    name,
    isUp: () => now !== undefined,
    ends: () => ends,
    crash,
    /** Stops gracefully and starts again. */
    restart: async (): Promise<void> => {
      const old = now;
      if (!old) return;
      trace(`${name} stops`);
      now = undefined;
      ends += 1;
      // Like a real server: refuse new connections, and finish running requests.
      await Promise.all([...waiting].map(end => new Promise<void>(resolve => ended.set(end, resolve))));
      // If it crashed in between, the next incarnation has begun.
      if (!old.owner.alive) return;
      await old.stop();
      if (!old.owner.alive) return;
      old.owner.alive = false;
      // Uncommitted changes are lost with the process.
      if (db.inTransaction) db.exec('rollback');
      trace(`${name} has stopped`);
      begin();
    },
    /** Sends a request; undefined if the instance is down, or ends before the answer. */
    send: (request: Sent): Promise<Came | undefined> =>
      new Promise(resolve => {
        if (!now) return resolve(undefined);
        const end = (came?: Came): void => {
          waiting.delete(end);
          ended.get(end)?.();
          ended.delete(end);
          resolve(came);
        };
        waiting.add(end);
        now.send(request).then(end, (error: unknown) => {
          note(`${name} answers with an error: ${String((error as Error).stack)}`);
          end();
        });
      }),
    loseStore: (ms: number): void => void (awayUntil = Math.max(awayUntil, scheduler.nowMs() + ms)),
    fillDisk: (ms: number): void => void (fullUntil = scheduler.nowMs() + ms),
    breakDisk: (ms: number): void => void (brokenUntil = scheduler.nowMs() + ms),
    heal: (): void => {
      awayUntil = 0;
      fullUntil = 0;
      brokenUntil = 0;
    },
    position: (): bigint => now?.models.checkpoint('readModels').position ?? -1n,
    db: () => db,
    close: (): void => {
      if (starting) starting.alive = false;
      for (const end of servers) end();
      db.close();
      kept?.close();
      ownKeys.close();
      deliveries.close();
      ownPoints.close();
    },
  };
};
