import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { scopes } from '../../adapters/http/middleware/tokens.js';
import { decode, type KnownEvent } from '../../domain/events.js';
import type { Chance } from '../helpers/crash/chance.js';
import { readLedger } from '../helpers/crash/ledger.js';
import { ask, type Answer, type Asked, type Wish } from '../helpers/crash/wishes.js';
import type { Faults } from './faults.js';
import type { Came, Sent } from './http.js';
import type { Instance } from './instance.js';
import type { Owner, Scheduler } from './scheduler.js';
import type { Disk } from './simulatedStore.js';

const secret = 'a secret of the simulation, long enough';
/** The HTTP settings of simulated instances: bodies come at once. */
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

/** Codes of refusals that may pass. */
const passing = ['storeUnavailable', 'storageFull', 'contention', 'queueFull'];

/** What was done, as an answer says it: not what is known of it by then. */
const done = (body: unknown): unknown => {
  const { source, import: imported } = (body ?? {}) as Answer;
  return [source?.id, imported?.id];
};

/** A client gives up after so long. */
const patienceMs = 120_000;

export type PlaceParts = {
  readonly disk: Disk;
  readonly scheduler: Scheduler;
  readonly random: Chance;
  readonly faults: Faults;
  readonly note: (fault: string) => void;
  readonly trace: (line: string) => void;
};

/** Simulated instances behind a network, what is asked of them, and the log as it is. */
export const placeOf = ({ disk, scheduler, random, faults, note, trace }: PlaceParts) => {
  const network: Owner = { name: 'network', alive: true };
  const { sleep, after } = scheduler;
  const instances: Instance[] = [];
  const subjects = new Map<string, string>();
  const all: Asked[] = [];
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
  /** One request over the network; undefined when no answer comes. */
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
  const requestOf = (asked: Asked): Sent => ({
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
    ask: (wish: Wish, keyed: boolean): Asked => ask(all, wish, keyed),
    /** Sends a request, for the first time or, under its key, again. */
    send: async (asked: Asked): Promise<void> => {
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
      // The first try, or its double, is still at work.
      // It speaks of one try alone.
      const earlier = asked.tries > 1 && passing.includes(code);
      const unknown = code === 'outcomeUnknown' || code === 'keyInUse' || earlier;
      asked.state = came.status < 300 ? 'acknowledged' : unknown ? 'unknown' : 'refused';
      // What is not known to be done may be done later still.
      if (!unknown) asked.answeredAt = clock += 1;
    },
    /** The same request under the same key once more: it must get its first answer. */
    sendAgain: async (asked: Asked): Promise<void> => {
      const first = { status: asked.status, body: asked.answer };
      const again = await carry(requestOf(asked), false);
      // The first answer could not be kept where the store was away then: the same was done all the same.
      if (again && again.status !== 503 && !isDeepStrictEqual(done(again.body), done(first.body)))
        note(
          `request ${asked.n} (${asked.kind}) was answered in another way when it was repeated: ` +
            `${JSON.stringify(again).slice(0, 300)} after ${JSON.stringify(first).slice(0, 300)}`,
        );
    },
    /** A read; undefined when nobody answers, or nobody can. */
    get: async <Body>(path: string): Promise<Body | undefined> => {
      const headers = { Authorization: `Bearer ${tokenFor('reader')}` };
      const came = await carry({ method: 'GET', path, headers, body: '' }, false);
      if (came?.status === 200) return came.body as Body;
      if (came && came.status !== 503) note(`GET ${path} answers ${came.status}`);
      return undefined;
    },
  };
};
export type Place = ReturnType<typeof placeOf>;
