import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { analyst } from './analyst.js';
import { past } from './audit/past.js';
import { growth } from './audit/logTree.js';
import { logDeliveries, together } from './deliveries.js';
import { OutcomeUnknown, StoreUnavailable } from './eventStore.js';
import { follow } from './follow.js';
import { handler } from './handle.js';
import { app } from './http/app.js';
import { answersIn } from './http/idempotency.js';
import { listen } from './http/server.js';
import { answersOn } from './http/sharedAnswers.js';
import { lateCommits } from './lateCommits.js';
import { lockDataDir } from './lock.js';
import { people } from './people/people.js';
import { idBytes, secretBytes } from './people/sealed.js';
import { reactions } from './reactions.js';
import { reactor } from './reactor.js';
import { replay } from './replay.js';
import type { Service } from './service.js';
import { growing } from './pauses.js';
import type { LogAddress, Settings } from './settings.js';
import { fits, openKeys, openLog, openReadModels, peopleFile, type OpenLog } from './open.js';
import { waiting } from './waiting.js';

/** A service that takes requests. */
export type Running = { readonly address: string; readonly stop: () => Promise<void> };

/** How long a start waits for a server that cannot be reached yet. */
const openMs = 20_000;
/** What the server has given nobody for so long, or has lost, every instance looks after. */
const lateMs = 120_000;
/** How long a reading request waits to see what others wrote. */
const soonMs = 1000;

/**
 * Wires the service and starts it; resolves when it takes requests.
 * @param fault  called when a follower of the log cannot go on; the process should end
 * @throws DataDirInUse, StoreUnavailable, or the server's error when the address cannot be had
 */
export const start = async (
  settings: Settings,
  log: Logger,
  fault: (error: unknown) => void,
): Promise<Running> => {
  const inMemory = settings.log.kind === 'memory';
  const file = (name: string) => (inMemory ? ':memory:' : join(settings.dataDir, name));
  const opened: (() => unknown)[] = [];
  /** Closes in the reverse order what was opened. */
  const release = async (): Promise<void> => {
    for (const close of opened.reverse()) await close();
  };
  try {
    if (!inMemory) opened.push(lockDataDir(settings.dataDir));
    const store = await openInTime(settings.log, log);
    opened.push(store.close);
    const { shared } = store;
    const { models, close } = openReadModels(file('read-models.sqlite'));
    opened.push(close);
    const answers = shared ? answersOn(store, shared.expire) : answersIn(file('answers.sqlite'));
    opened.push(answers.close);
    const keys = openKeys(store, file(peopleFile));
    opened.push(keys.close);
    const known = people(keys, person => ({
      ...person,
      id: randomBytes(idBytes).toString('hex'),
      secret: randomBytes(secretBytes),
    }));
    if (!(await fits(models, store))) {
      log.warn('the log is not the one that the read models and kept answers are of; they begin anew');
      models.clear();
      answers.clear();
    }
    const pool = analyst(fault);
    opened.push(pool.close);

    const requests = waiting();
    const now = () => new Date().toISOString();
    const handle = handler(store, () => {
      projections.wake();
      deliveries.wake();
    });
    const settled = (position?: bigint) => projections.settle(position);
    /** A disk that is full or busy, a server that is away. */
    const unavailable = (error: StoreUnavailable) =>
      log.warn({ err: error }, 'the log cannot be followed; trying again');
    const noted = (error: unknown) => log.error({ err: error }, 'reaction failed');
    const reacts = reactions({ models, settled, handle, analyst: pool, waiting: requests, now, log });
    // What cannot be taken now the follower meets again, and says so.
    await replay(models, store.all(models.checkpoint('readModels').position), { tree: true }).catch(
      (error: unknown) => log.warn({ err: error }, 'catching up with the log ended early'),
    );
    const commits = lateCommits(models, error => {
      unavailable(error);
      projections.wake();
    });
    opened.push(commits.close);
    const projections = follow({
      store,
      after: () => models.checkpoint('readModels').position,
      take: async (events, through, stored) => {
        // Before the read models know it: a crash in between brings the event again.
        for (const { type, data } of events) if (type === 'PersonErased') await known.destroy(data.personId);
        commits.write(() => models.apply(events, through, growth(models.tree, stored)));
        reacts.notice(events);
        requests.changed();
      },
      fault,
      unavailable,
    });
    opened.push(projections.stop);
    await settled();
    // They may have been caught up with, and a backup may have brought keys back.
    for (const id of models.people.erased()) await known.destroy(id);

    const group = shared?.deliveries({ fault, log });
    await group?.prepare();
    const deliveries = group
      ? together(group, logDeliveries({ store, models, fault, failed: noted, unavailable, lateMs }))
      : logDeliveries({ store, models, fault });
    if (shared) {
      const wake = () => {
        projections.wake();
        deliveries.wake();
      };
      opened.push(shared.watch(wake, log).stop);
    }
    const reacting = reactor({ deliveries, settled, reactions: reacts, log });
    opened.push(reacting.stop);

    const before = past(store, () => models.checkpoint('readModels').position);
    opened.push(before.close);

    const service: Service = {
      handle,
      models,
      settled: () =>
        settled().catch((error: unknown) => {
          // What was to be seen has been appended.
          if (error instanceof StoreUnavailable) throw new OutcomeUnknown(error.message, { cause: error });
          throw error;
        }),
      current: async how => {
        if (!shared) return;
        if (how === 'sure') await settled();
        else await Promise.race([settled().catch(() => undefined), sleep(soonMs, undefined, { ref: false })]);
      },
      ...(group && { shared: group.state }),
      isFollowing: () => !projections.isFailing(),
      waiting: requests,
      analyst: pool,
      backlog: () => Math.max(reacting.backlog(), group?.state()?.undone ?? 0),
      reactions: reacts,
      past: before,
      log: store,
      people: known,
      checkpoints: settings.checkpoints,
      now,
    };
    const respond = app(service, settings.tokens, answers, log).callback();
    const server = await listen((request, response) => void respond(request, response), settings);
    opened.push(server.close);
    return { address: server.address, stop: release };
  } catch (error) {
    await release();
    throw error;
  }
};

/** Opens the log; a server that is starting too is waited for. */
const openInTime = async (address: LogAddress, log: Logger): Promise<OpenLog> => {
  const pauses = growing();
  for (const since = performance.now(); ; await pauses.next())
    try {
      return await openLog(address);
    } catch (error) {
      const late = performance.now() - since > openMs;
      if (address.kind !== 'eventstoredb' || late || !(error instanceof StoreUnavailable)) throw error;
      log.warn({ err: error }, 'the event store cannot be reached; trying again');
    }
};
