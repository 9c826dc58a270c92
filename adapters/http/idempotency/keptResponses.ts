import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { CommandMetadata } from '../../../application/commands/commandHandler.js';
import type { Requester } from '../../../application/requests/access.js';
import type { Service } from '../../../application/requests/service.js';
import type { Actor } from '../middleware/tokens.js';
import { Problem, isOutcomeKnown } from '../problem.js';
import type { Answer } from '../route.js';

/**
 * Kept responses of requests with an Idempotency-Key: a repeated POST gets the same answer. They are not part of the
 * log. Each attempt of a request has the same command id and commands are idempotent, so a crash before the response is
 * kept loses nothing. Without a kept response a repeated request is a new one.
 */
export type KeptResponses = {
  /**
   * Begins a request under a key. Resolves to the command id, the same for each attempt, or to the kept response.
   * @param holder encrypted subject that the key belongs to
   * @param key    digest of the key: its text is not stored
   * @param digest of method, address and body, sealed as the key is
   * @throws Problem 422 when the key belongs to another request, 409 while an earlier attempt is in progress
   */
  readonly begin: (
    holder: string,
    key: string,
    digest: string,
    at: string,
  ) => Promise<Pick<CommandMetadata, 'id' | 'isRetry'> | { readonly answer: Answer }>;
  /**
   * Keeps the response of a request that began.
   * @returns the response that is kept: that of an earlier attempt on another instance if it ended first
   */
  readonly keep: (holder: string, key: string, answer: Answer) => Promise<Answer>;
  /**
   * Ends an attempt that was refused. Releases the key, unless an earlier attempt may still run on another instance.
   * @param at instant of the refusal
   * @returns whether that earlier attempt may still take effect
   */
  readonly refuse: (holder: string, key: string, at: string) => Promise<boolean>;
  /** Ends an attempt whose outcome is unknown: the same request may be sent again. */
  readonly leave: (holder: string, key: string) => void;
  /**
   * Forgets responses that were kept after the end of a log that was restored from a backup: their requests are
   * processed again, with the same command ids. Absent for shared ones.
   * @returns the number of such responses
   */
  readonly cutTo?: (end: bigint) => number;
  /** Deletes the responses of a data folder whose log was replaced; shared ones stay. */
  readonly clear: () => void;
  readonly close: () => void;
};

/** How long responses are kept. */
export const keptDays = 7;

/** The problem of a key whose first request has no answer yet. */
export const keyInUse = (): Problem =>
  new Problem('keyInUse', 'a request with this Idempotency-Key is in progress; retry later', {
    headers: { 'Retry-After': '5' },
  });
/** The problem of a key that came with another request. */
export const keyReused = (): Problem =>
  new Problem('keyReused', 'another request used this Idempotency-Key; use a new one');

/** Not an error: ends a request whose response was kept. */
export class KeptAnswer extends Error {
  readonly name = 'KeptAnswer';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('the response was kept');
    this.answer = answer;
  }
}

/**
 * Digest of a key or of a request, for storage. Keys and requests may name people, so their text is stored nowhere: it
 * is sealed with the key of the actor first, without which a guess cannot be checked once the actor is erased.
 */
const sealedDigest = async (
  { people }: Pick<Service, 'people'>,
  actor: Actor,
  text: string,
): Promise<string> =>
  createHash('sha256')
    .update(await people.sealed(actor, text))
    .digest('hex');

const isKeyReused = (error: unknown): boolean => error instanceof Problem && error.code === 'keyReused';

/** A request and its Idempotency-Key, if it has one. */
type IdempotentRequest = {
  /** @throws KeptAnswer for a repeated request; Problem 409 or 422 for a key that cannot be used */
  readonly begin: Requester['begin'];
  /**
   * Keeps the response, unless it has a secret.
   * @returns the response to send: the one that is kept, so that all attempts of a request get the same
   */
  readonly keep: (answer: Answer) => Promise<Answer>;
  /**
   * Releases the key after an error when the outcome of the request is known.
   * @returns the error to answer: `keyInUse` when an earlier attempt may still take effect, the failure of the store
   *          when that is unknown
   */
  readonly fail: (error: unknown) => Promise<unknown>;
};

/**
 * Handles the Idempotency-Key of one request.
 * @param key    undefined for a request without a key, which keeps nothing
 * @param digest of method, address and body; to be called when the body has been read
 */
export const idempotentRequest = (
  { service, kept, log }: { readonly service: Service; readonly kept: KeptResponses; readonly log: Logger },
  {
    actor,
    requestId,
    key,
    digest,
  }: {
    readonly actor: Actor;
    readonly requestId: string;
    readonly key: string | undefined;
    readonly digest: () => string;
  },
): IdempotentRequest => {
  /** The use of the digest of the key, from `begin` on. */
  let use: { readonly holder: string; readonly key: string } | undefined;

  /** The effect of the request stays when its response cannot be kept: a retry has the same command id. */
  const logged = async <Result>(note: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await note();
    } catch (error) {
      log.error({ err: error, requestId }, 'the response for an Idempotency-Key cannot be kept');
      return undefined;
    }
  };

  /** The answer to a refusal. It is not final while an earlier attempt may take effect, or that is unknown. */
  const refused = async (refusal: unknown, holder: string, used: string): Promise<unknown> => {
    try {
      return (await kept.refuse(holder, used, service.now())) ? keyInUse() : refusal;
    } catch (error) {
      log.error({ err: error, requestId }, 'the earlier uses of an Idempotency-Key cannot be read');
      return error;
    }
  };

  return {
    begin: async () => {
      const by = await service.people.sealed(actor, actor.subject);
      const metadata = { by, cause: requestId, correlation: requestId };
      if (key === undefined) return { id: requestId, isRetry: false, ...metadata, at: service.now() };
      // The holder is encrypted with the person's present key: erasing the person releases all their keys.
      const hashed = await sealedDigest(service, actor, key);
      const request = digest();
      const sealed = await sealedDigest(service, actor, request);
      const begun = await kept.begin(by, hashed, sealed, service.now()).catch((error: unknown) => {
        if (!isKeyReused(error)) throw error;
        // Uses of a key that version 0.1.0 stored have the digest as it is, until they expire.
        return kept.begin(by, hashed, request, service.now());
      });
      if ('answer' in begun) throw new KeptAnswer(begun.answer);
      use = { holder: by, key: hashed };
      return { ...begun, hasKey: true, ...metadata, at: service.now() };
    },
    keep: async answer => {
      const { holder, key: used } = use ?? {};
      if (holder === undefined || used === undefined) return answer;
      if (answer.isSecret !== true) return (await logged(() => kept.keep(holder, used, answer))) ?? answer;
      kept.leave(holder, used);
      return answer;
    },
    fail: async error => {
      const { holder, key: used } = use ?? {};
      if (holder === undefined || used === undefined) return error;
      if (isOutcomeKnown(error)) return refused(error, holder, used);
      kept.leave(holder, used);
      return error;
    },
  };
};
