import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { wrongQuery } from '../../../application/requests/imports/faults.js';
import { walkIdsMax } from '../../../application/requests/largeAnswers.js';
import type { Service } from '../../../application/requests/service.js';
import { serviceAsOf, type AsOfCall, type AsOfService, type Moment } from '../asOfQuery.js';
import { Problem } from '../problem.js';
import type { Answer, Call } from '../route.js';

/** A call with any query. */
type LargeCall = Pick<Call<unknown, object, unknown>, 'actor' | 'signal' | 'query'>;

/** Parts of a large answer. */
export type LargeParts = {
  /** Its read models and its clock stay as they are until the answer is made. */
  readonly service: Moment;
  /** To be awaited between steps of the answer. */
  readonly yieldToEventLoop: () => Promise<void> | undefined;
};

/** Parts of the service that a large answer needs. */
export type LargeService = AsOfService & Pick<Service, 'largeAnswers' | 'snapshot' | 'turns'>;

/** The moment of a call, the present one included, whose read models stay as they are until `close`. */
const lastingService = async (
  service: LargeService,
  call: AsOfCall,
  sourceIds: () => readonly number[],
): Promise<{ readonly then: Moment; readonly close: () => void }> => {
  if (call.query.asOf === undefined) {
    const { models, close } = service.snapshot();
    const at = service.now();
    return { then: { ...service, models, now: () => at }, close };
  }
  const then = await serviceAsOf(service, call, sourceIds);
  return { then, close: service.asOf.hold(then.models) };
};

/** The header with the position of an answer of the present. */
const positionOf = (
  { models }: Pick<Service, 'models'>,
  { query }: LargeCall,
): Readonly<Record<string, string>> =>
  'asOf' in query && query.asOf !== undefined
    ? {}
    : { 'X-Daybook-Position': String(models.checkpoint('readModels').position) };

/**
 * Makes an answer as a whole in one of a few places, until its JSON is made. Others wait for a place.
 * @throws QueueFull, errors of `make`
 */
export const inPlace = async (
  service: Pick<Service, 'largeAnswers' | 'models'>,
  call: LargeCall,
  make: () => Answer | Promise<Answer>,
): Promise<Answer> => {
  const leave = await service.largeAnswers.enter(call.actor.tenant, call.signal);
  try {
    const headers = positionOf(service, call);
    const answer = await make();
    const release = (): void => {
      answer.release?.();
      leave();
    };
    return { ...answer, headers: { ...headers, ...answer.headers }, release };
  } catch (error) {
    leave();
    throw error;
  }
};

/**
 * `inPlace` for an answer from one state of the read models, made in turns of the event loop.
 * @param sourceIds sources whose past the answer needs
 * @param make      makes the answer; lists of its body may be async iterables
 * @throws QueueFull, errors of `serviceAsOf` and of `make`
 */
export const wholeAnswer = (
  service: LargeService,
  call: AsOfCall,
  sourceIds: () => readonly number[],
  make: (parts: LargeParts) => Answer | Promise<Answer>,
): Promise<Answer> =>
  inPlace(service, call, async () => {
    const { then, close } = await lastingService(service, call, sourceIds);
    try {
      const yieldToEventLoop = service.turns.yielderFor(call.actor.tenant, call.signal);
      const answer = await make({ service: then, yieldToEventLoop });
      return { ...answer, headers: { ...positionOf(then, call), ...answer.headers }, release: close };
    } catch (error) {
      close();
      throw error;
    }
  });

/** Answer whose body is written while the client reads it. An error ends the connection, so that the client sees it. */
type StreamedAnswer = Omit<Answer, 'body'> & { readonly body: AsyncIterable<string | Uint8Array> };

/**
 * An answer that is written while its client reads it, from one state of the read models. Few are sent at once, others
 * are refused; one that takes too long is ended.
 * @throws as `wholeAnswer`
 */
export const streamedAnswer = async (
  service: LargeService,
  call: AsOfCall,
  sourceIds: () => readonly number[],
  make: (parts: LargeParts) => StreamedAnswer,
): Promise<Answer> => {
  const { stream, release } = largeStream(service, call);
  try {
    const { then, close } = await lastingService(service, call, sourceIds);
    try {
      const yieldToEventLoop = service.turns.yielderFor(call.actor.tenant, call.signal);
      const { body, headers, ...answer } = make({ service: then, yieldToEventLoop });
      return { ...answer, headers: { ...positionOf(then, call), ...headers }, body: stream(body, close) };
    } catch (error) {
      close();
      throw error;
    }
  } catch (error) {
    release();
    throw error;
  }
};

/**
 * Takes the place of an answer that is written while its client reads it.
 * @returns `stream` makes the body, whose end frees the place and calls `close`; `release` frees it without a body
 * @throws QueueFull
 */
export const largeStream = (service: Pick<Service, 'largeAnswers'>, { actor }: Pick<AsOfCall, 'actor'>) => {
  let made: Readable | undefined;
  const release = service.largeAnswers.stream(actor.tenant, () =>
    made?.destroy(new Error('the answer took too long; its client reads too slowly')),
  );
  const stream = (body: AsyncIterable<string | Uint8Array>, close: () => void = () => {}): Readable => {
    made = Readable.from(body, { highWaterMark: 1, objectMode: true });
    // The stream is closed after its generator has ended, which no longer reads the database then.
    made.once('close', () => {
      close();
      release();
    });
    return made;
  };
  return { stream, release };
};

/** A list whose order changes while a client reads page after page. */
export type WalkedList<Id extends string | number> = {
  /** Field of the list in the answer. */
  readonly name: string;
  /** Ids of all records that fit the query, in its order. */
  readonly ids: () => Iterable<Id> | AsyncIterable<Id>;
  /** The ids of some that still fit the query. */
  readonly fitting: (ids: readonly Id[]) => ReadonlySet<Id>;
};

type Key = { readonly key: string | number; readonly id: string };
/** A record that was looked at; 0 for one that is not in the list. */
type Looked = Key & { readonly fits?: 0 | 1 };

/** Ids that are read by one statement: some milliseconds of work. */
const idsAtOnce = 500;

/** The ids of a list in its order, read in parts between turns of the event loop. */
export async function* idsInParts(
  keys: (part: { readonly after: Key | undefined; readonly limit: number }) => readonly Looked[],
  yieldToEventLoop: LargeParts['yieldToEventLoop'],
): AsyncGenerator<string> {
  let after: Key | undefined;
  for (;;) {
    const found = keys({ after, limit: idsAtOnce });
    yield* found.filter(({ fits }) => fits !== 0).map(({ id }) => id);
    after = found.length < idsAtOnce ? undefined : found.at(-1);
    if (!after) return;
    await yieldToEventLoop();
  }
}

/** Parts that the page of a walk needs. */
type WalkParts = Pick<LargeParts, 'yieldToEventLoop'> & Pick<Service, 'walks'>;

type Page<Id> = { readonly ids: readonly Id[]; readonly nextCursor?: string };
type ListCall = Pick<Call<unknown, { readonly cursor?: string }, unknown>, 'actor' | 'query'>;

/** A cursor: digest of tenant and query, key of the walk, index of the next id. */
const cursorPattern = /^w~([\w-]{16})~([\w-]{1,64})~(\d{1,6})$/;
/** Key of the walk of a list that is too long to be kept. */
const notKept = '-';

/** Digest of the tenant and the query of a list, without what its pages may change, and without the moment. */
const digestOf = ({ actor: { tenant }, query }: ListCall, name: string): string => {
  const bound = { ...query, cursor: undefined, limit: undefined, asOf: undefined, tenant, name };
  const sorted = Object.entries(bound).sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(sorted);
};

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);

/** The ids of a list, one more than may be kept at most. */
const collected = async <Id>(ids: Iterable<Id> | AsyncIterable<Id>): Promise<Id[]> => {
  const all: Id[] = [];
  for await (const id of ids) if (all.push(id) > walkIdsMax) break;
  return all;
};

/** @throws InvalidInput for the cursor of another query; Problem for a walk that is not kept */
const resumed = <Id>(parts: WalkParts, call: ListCall, bound: string, cursor: string) => {
  const [, own, key = '', index] = cursorPattern.exec(cursor) ?? [];
  if (own !== bound)
    throw wrongQuery('cursor', 'cursor', cursor, 'the nextCursor of an answer to this query');
  if (key === notKept)
    throw new Problem(
      'listTooLong',
      `got more than ${walkIdsMax} records in an order that changes, expected at most as many: filter the list, or ` +
        'sort it by date (sources by id)',
    );
  const walk = parts.walks.find(call.actor.tenant, key);
  if (!walk)
    throw new Problem(
      'cursorExpired',
      'the list of this cursor is not kept any more; begin again without a cursor',
    );
  return { key, ids: walk.ids as readonly Id[], from: Number(index) };
};

/**
 * A page of a list whose order changes. The first page keeps the ids of all records that fit in their order then; the
 * next ones read those that still fit. So a record that fits all the time is on one page, and none is on two. The same
 * list has the same cursor.
 * @returns ids of at most `limit` records
 * @throws InvalidInput; Problem `cursorExpired`, `listTooLong`
 */
export const walkedPage = async <Id extends string | number>(
  parts: WalkParts,
  call: ListCall,
  list: WalkedList<Id>,
  limit: number,
): Promise<Page<Id>> => {
  const { tenant } = call.actor;
  const { cursor } = call.query;
  const bound = digestOf(call, list.name);
  const { key, ids, from } =
    cursor === undefined
      ? { key: undefined, ids: await collected(list.ids()), from: 0 }
      : resumed<Id>(parts, call, bound, cursor);
  const page: Id[] = [];
  let index = from;
  while (page.length < limit && index < ids.length) {
    const to = Math.min(ids.length, index + limit - page.length);
    const next = ids.slice(index, to);
    const fitting = list.fitting(next);
    page.push(...next.filter(id => fitting.has(id)));
    index = to;
    await parts.yieldToEventLoop();
  }
  if (index >= ids.length) return { ids: page };
  const kept = key ?? (ids.length > walkIdsMax ? notKept : digest(ids));
  if (key === undefined && kept !== notKept) parts.walks.keep(tenant, kept, { ids });
  return { ids: page, nextCursor: `w~${bound}~${kept}~${index}` };
};
