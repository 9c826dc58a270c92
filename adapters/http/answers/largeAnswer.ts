import { Readable } from 'node:stream';
import type { Service } from '../../../application/requests/service.js';
import { serviceAsOf, type AsOfCall, type AsOfService, type Moment } from '../asOfQuery.js';
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
type LargeService = AsOfService & Pick<Service, 'largeAnswers' | 'snapshot' | 'turns'>;

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
