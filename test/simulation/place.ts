import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { scopes } from '../../adapters/http/middleware/tokens.js';
import { decode, type KnownEvent } from '../../domain/events.js';
import type { Chance } from '../helpers/crash/chance.js';
import { readLedger } from '../helpers/crash/ledger.js';
import { track, type Answer, type TrackedRequest, type RequestSpec } from '../helpers/crash/requests.js';
import type { Faults } from './faults.js';
import type { Came, Sent } from './http.js';
import type { Instance } from './instance.js';
import type { Owner, Scheduler } from './scheduler.js';
import type { Disk } from './simulatedStore.js';

const secret = 'a secret of the simulation, long enough';
/** HTTP settings of simulated instances: bodies have no minimum rate. */
export const settings = {
  tokens: {
    key: { kind: 'secret' as const, secret },
    algorithms: ['HS256'],
    issuer: 'daybook',
    audience: 'daybook',
  },
  bodyRateMin: 0,
  corsOrigins: [],
};
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenFor = (sub: string): string => {
  const claims = { sub, iss: 'daybook', aud: 'daybook', exp: 4_102_444_800, scope: scopes.join(' ') };
  const signed = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};

/** Codes of temporary failures, and of a reset that a newer one overtook: its key is free for another attempt. */
const passing = ['storeUnavailable', 'storageFull', 'contention', 'queueFull', 'overtaken'];

/** The lasting part of an answer: ids of the source and the import. */
const done = (body: unknown): unknown => {
  const { source, import: imported } = (body ?? {}) as Answer;
  return [source?.id, imported?.id];
};

/** Timeout of a client, in ms. */
const patienceMs = 120_000;

export type PlaceParts = {
  readonly disk: Disk;
  readonly scheduler: Scheduler;
  readonly random: Chance;
  readonly faults: Faults;
  readonly note: (fault: string) => void;
  readonly trace: (line: string) => void;
};

/** Simulated instances behind a network, the requests to them, and the log. */
export const placeOf = ({ disk, scheduler, random, faults, note, trace }: PlaceParts) => {
  const network: Owner = { name: 'network', alive: true };
  const { sleep, after } = scheduler;
  const instances: Instance[] = [];
  const subjects = new Map<string, string>();
  const all: TrackedRequest[] = [];
  let clock = 0;

  const eventsAfter = (position: bigint): readonly KnownEvent[] =>
    disk.log.slice(Number(position)).flatMap(event => {
      const known = decode(event);
      const keyId = /^sealed:1:([0-9a-f]{32}):/.exec(event.metadata.by)?.[1] ?? '';
      const by = subjects.get(keyId) ?? event.metadata.by;
      return known ? [{ ...known, metadata: { ...known.metadata, by } }] : [];
    });
  const ledger = readLedger(n => all[n - 1], eventsAfter);

  const someInstance = (): Instance | undefined => {
    const up = instances.filter(({ isUp }) => isUp());
    return up.length > 0 ? random.one(up) : undefined;
  };
  /** Sends a request over the network; undefined if there is no answer. */
  const carry = async (request: Sent, isLossy: boolean): Promise<Came | undefined> => {
    await sleep(network, random.next() * 10);
    const at = someInstance();
    const ends = at?.ends();
    const answer = at ? at.send(request) : Promise.resolve(undefined);
    const late = new Promise<undefined>(resolve => {
      const cancel = after(network, patienceMs, () => {
        if (at?.ends() === ends) note(`${request.method} ${request.path} got no answer from ${at?.name}`);
        resolve(undefined);
      });
      void answer.finally(cancel);
    });
    const came = await Promise.race([late, answer]);
    await sleep(network, random.next() * 10);
    return isLossy && faults.happens('lostAnswer') ? undefined : came;
  };
  const requestOf = (asked: TrackedRequest): Sent => ({
    method: asked.method,
    path: asked.path,
    headers: {
      Authorization: `Bearer ${tokenFor(`op-${asked.n}`)}`,
      ...(asked.media ? { 'Content-Type': asked.media } : {}),
      ...(asked.key === undefined ? {} : { 'Idempotency-Key': asked.key }),
    },
    body: asked.body ?? '',
  });

  return {
    all,
    ledger,
    instances,
    subjects,
    note,
    ask: (spec: RequestSpec, keyed: boolean): TrackedRequest => track(all, spec, keyed),
    /** Sends a request for the first time, or retries it with its key. */
    send: async (asked: TrackedRequest): Promise<void> => {
      asked.tries += 1;
      if (asked.tries === 1) asked.sentAt = clock += 1;
      asked.state = 'sent';
      const request = requestOf(asked);
      trace(`request ${asked.n} (${asked.kind}, try ${asked.tries}) is sent`);
      if (asked.key !== undefined && faults.happens('twice')) {
        asked.tries += 1;
        void carry(request, true);
      }
      const came = await carry(request, true);
      trace(
        `request ${asked.n} is answered: ${came?.status ?? 'nothing'} ${(came?.body as Answer)?.code ?? ''}`,
      );
      if (!came) {
        asked.state = 'unknown';
        return;
      }
      asked.status = came.status;
      asked.answer = came.body as Answer;
      const { code = '' } = asked.answer;
      // A temporary failure of a retry does not tell the outcome of earlier attempts.
      const earlier = asked.tries > 1 && passing.includes(code);
      const unknown = code === 'outcomeUnknown' || code === 'keyInUse' || earlier;
      asked.state = came.status < 300 ? 'acknowledged' : unknown ? 'unknown' : 'refused';
      // A request with an unknown outcome can take effect later.
      if (!unknown) asked.answeredAt = clock += 1;
    },
    /** Repeats a request with its key: the answer must be the same. */
    sendAgain: async (asked: TrackedRequest): Promise<void> => {
      const first = { status: asked.status, body: asked.answer };
      const again = await carry(requestOf(asked), false);
      // Another attempt may still try to keep its answer: it is in progress.
      const isBusy = (again?.body as Answer | undefined)?.code === 'keyInUse';
      // If the first answer could not be kept, only its ids are the same.
      if (again && !isBusy && again.status !== 503 && !isDeepStrictEqual(done(again.body), done(first.body)))
        note(
          `request ${asked.n} (${asked.kind}) got another answer when it was repeated: ` +
            `${JSON.stringify(again).slice(0, 300)} after ${JSON.stringify(first).slice(0, 300)}`,
        );
    },
    /** A read; undefined if there is no answer, a 503, or a 404 for a source that was archived meanwhile. */
    get: async <Body>(path: string): Promise<Body | undefined> => {
      const headers = { Authorization: `Bearer ${tokenFor('reader')}` };
      const came = await carry({ method: 'GET', path, headers, body: '' }, false);
      if (came?.status === 200) return came.body as Body;
      const id = /^\/v1\/[a-z]+\/[a-z]+\/(\d+)/.exec(path)?.[1];
      ledger.readOn();
      if (came?.status === 404 && id && ledger.sources.get(Number(id))?.archived) return undefined;
      if (came && came.status !== 503) note(`GET ${path} answers ${came.status}`);
      return undefined;
    },
  };
};
export type Place = ReturnType<typeof placeOf>;
