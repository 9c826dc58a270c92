import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { launchService, run, tokenFor, type Launched } from '../process.js';
import type { KnownEvent } from '../../../domain/events.js';
import { readLedger } from './ledger.js';
import { track, type Answer, type TrackedRequest, type RequestSpec } from './requests.js';

const secret = 'a secret of the crash test, long enough';

/** Folders, environment and log of the services of a test. */
export type Place = {
  /** A data folder for each instance. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly eventsAfter: (position: bigint) => readonly KnownEvent[];
  /** Maximum wait for an expected event, in ms. Usually it comes within milliseconds. */
  readonly patienceMs: number;
};

type Instance = {
  readonly env: Readonly<Record<string, string>>;
  readonly readFile: string;
  service: Launched | undefined;
  address: string;
  /** Whether a missing answer is allowed. */
  down: boolean;
  /** Number of its ends. */
  ends: number;
};

/**
 * Logged errors that are allowed: a full queue, and a store that was unreachable, also for the read models. Waits for
 * the store count towards the ten seconds after which a lost race is contention.
 */
const excused = (storeWasAway: boolean) => (line: string) =>
  line.includes('"type":"QueueFull"') ||
  (storeWasAway && /"type":"(?:StoreUnavailable|OutcomeUnknown|ReadModelsBehind|Contention)"/.test(line));

/** Running services, the requests to them, and the log. */
export const world = ({ folders, env: common, eventsAfter, patienceMs }: Place) => {
  const instances = folders.map((folder): Instance => ({
    env: { DATA_DIR: folder, JWT_SECRET: secret, LOG_LEVEL: 'error', ...common },
    readFile: join(folder, 'read-models.sqlite'),
    service: undefined,
    address: '',
    down: true,
    ends: 0,
  }));
  const at = (index: number): Instance => {
    const instance = instances[index];
    if (!instance) throw new RangeError(`no instance ${index}`);
    return instance;
  };
  const all: TrackedRequest[] = [];
  const ledger = readLedger(n => all[n - 1], eventsAfter);
  const faults: string[] = [];
  let clock = 0;
  let turn = 0;
  let storeWasAway = false;

  /** The next instance in turn; skips stopped ones while others run. */
  const nextInstance = (): Instance => {
    const up = instances.filter(({ down }) => !down);
    return (up.length > 0 ? up : instances)[(turn += 1) % (up.length || instances.length)] ?? at(0);
  };

  /** Sends a request to an instance; undefined if it ended before the answer. */
  const fetchJson = async (subject: string, path: string, init: RequestInit = {}) => {
    const instance = nextInstance();
    const { ends, address } = instance;
    try {
      const headers = { Authorization: `Bearer ${tokenFor(secret, subject)}`, ...init.headers };
      const response = await fetch(address + path, { ...init, headers });
      return { status: response.status, answer: JSON.parse(await response.text()) as unknown };
    } catch (error) {
      if (instance.down || instance.ends > ends) return undefined;
      throw error;
    }
  };

  return {
    all,
    ledger,
    readFiles: instances.map(({ readFile }) => readFile),
    isDown: () => instances.every(({ down }) => down),
    note: (fault: string): void => void faults.push(fault),
    /** All faults since the last call. */
    faults: (): string[] => [...ledger.faults(), ...faults.splice(0)].slice(0, 20),
    /** Allows the answer that the store is unreachable from now on. */
    storeGoes: (): void => void (storeWasAway = true),

    /** Starts an instance without waiting. */
    launch: (index = 0): Launched => (at(index).service = launchService(at(index).env)),
    up: async (launched: Launched, index = 0): Promise<void> => {
      at(index).address = await launched.ready;
      at(index).down = false;
    },
    /** Ends an instance; it must not have logged errors. */
    end: async (signal: 'SIGKILL' | 'SIGTERM', index = 0): Promise<void> => {
      const instance = at(index);
      instance.down = true;
      instance.ends += 1;
      const exit = await instance.service?.end(signal);
      if (signal === 'SIGTERM' && exit?.code !== 0) faults.push(`SIGTERM ended with ${JSON.stringify(exit)}`);
      const isExcused = excused(storeWasAway);
      for (const line of (instance.service?.stderr() ?? '').split('\n'))
        if (line !== '' && !isExcused(line)) faults.push(`the service complains: ${line.slice(0, 1000)}`);
      instance.service = undefined;
    },
    rebuild: async (index = 0): Promise<void> => {
      const { code, stderr } = await run(['rebuild'], at(index).env);
      if (code !== 0) faults.push(`rebuild ended with ${code}: ${stderr}`);
    },
    /** Process id of an instance, 0 while it is down. */
    pid: (index = 0): number => at(index).service?.pid ?? 0,

    ask: (spec: RequestSpec, keyed: boolean): TrackedRequest => track(all, spec, keyed),
    /** Sends a request for the first time, or retries it with its key. */
    send: async (asked: TrackedRequest): Promise<void> => {
      asked.tries += 1;
      if (asked.tries === 1) asked.sentAt = clock += 1;
      asked.state = 'sent';
      try {
        const came = await fetchJson(`op-${asked.n}`, asked.path, {
          method: asked.method,
          headers: {
            ...(asked.media ? { 'Content-Type': asked.media } : {}),
            ...(asked.key === undefined ? {} : { 'Idempotency-Key': asked.key }),
          },
          ...(asked.body === undefined ? {} : { body: asked.body }),
        });
        if (!came) {
          asked.state = 'unknown';
          return;
        }
        asked.status = came.status;
        asked.answer = came.answer as Answer;
        const unknown = asked.answer.code === 'outcomeUnknown';
        // A retry that finds no store says nothing about the attempts before it.
        const open = unknown || (came.status === 503 && asked.tries > 1);
        asked.state = came.status < 300 ? 'acknowledged' : open ? 'unknown' : 'refused';
        // A request with an unknown outcome may still take effect.
        clock += 1;
        if (!open) asked.answeredAt = clock;
        if (unknown && !storeWasAway)
          faults.push(`request ${asked.n} (${asked.kind}) has an unknown outcome`);
      } catch (error) {
        asked.state = 'unknown';
        faults.push(`request ${asked.n} (${asked.kind}) got no answer: ${reasonOf(error)}`);
      }
    },
    /** Repeats a request with its key: the answer must be the same. */
    sendAgain: async (asked: TrackedRequest): Promise<void> => {
      const first = { status: asked.status, answer: asked.answer };
      try {
        const again = await fetchJson(`op-${asked.n}`, asked.path, {
          method: asked.method,
          headers: {
            ...(asked.media ? { 'Content-Type': asked.media } : {}),
            'Idempotency-Key': asked.key ?? '',
          },
          ...(asked.body === undefined ? {} : { body: asked.body }),
        });
        if (!again || (storeWasAway && again.status === 503)) return;
        if (!isDeepStrictEqual(again, first))
          faults.push(
            `request ${asked.n} (${asked.kind}) got another answer when it was repeated: ` +
              `${JSON.stringify(again).slice(0, 300)} after ${JSON.stringify(first).slice(0, 300)}`,
          );
      } catch (error) {
        faults.push(`request ${asked.n} got no answer when it was repeated: ${reasonOf(error)}`);
      }
    },
    /** A read; undefined if the service ends before the answer. */
    get: async <Body>(path: string): Promise<Body | undefined> => {
      try {
        const came = await fetchJson('reader', path);
        if (came?.status === 200) return came.answer as Body;
        if (came && !(storeWasAway && came.status === 503)) faults.push(`GET ${path} answers ${came.status}`);
      } catch (error) {
        faults.push(`GET ${path} fails: ${reasonOf(error)}`);
      }
      return undefined;
    },
    /** Polls until `look` returns true. */
    until: async (awaited: string, look: () => boolean): Promise<boolean> => {
      for (const since = performance.now(); performance.now() - since < patienceMs; await sleep(4))
        if (look()) return true;
      faults.push(`${awaited} did not come in ${patienceMs} ms`);
      return false;
    },
  };
};
export type World = ReturnType<typeof world>;

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} (${String(error.cause)})` : String(error);
