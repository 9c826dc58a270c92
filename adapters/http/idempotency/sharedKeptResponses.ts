import { dayMs } from '../../../domain/dates.js';
import { system } from '../../environment.js';
import type { Environment } from '../../../application/ports/environment.js';
import { Conflict, type EventStore } from '../../../application/ports/eventStore.js';
import { untilReachable } from '../../../application/commands/backoff.js';
import { derivedId, retryOnConflict } from '../../../application/commands/commandHandler.js';
import { keyInUse, type KeptResponses, keptDays, keyReused } from './keptResponses.js';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Answer } from '../route.js';

/** Base64 characters in one event, below the limit of an append. */
const partLength = 900_000;

/** Data of `KeyUsed`. */
type Used = { readonly digest: string; readonly commandId: string };
type Kept = { readonly part: number; readonly parts: number; readonly gzip: string };

/** An event of a use of a key; `name` is unique within the use. */
type UseEvent = {
  readonly type: 'KeyUsed' | 'AnswerKept' | 'AnswerEnded' | 'KeyFreed';
  readonly name: string;
  readonly data: object;
};

/** A use of a key, with its instant. */
type KeyUse = Used & { readonly at: string };

/** State of the stream of a key. */
type Known = {
  readonly revision: number | 'absent';
  readonly used?: KeyUse;
  readonly answer?: Answer;
};

/** Folds the events of the stream of a key. */
const knownOf = async (events: ReturnType<EventStore['read']>): Promise<Known> => {
  let now: Known = { revision: 'absent' };
  let parts: string[] = [];
  for await (const { type, data, at, revision } of events) {
    if (type === 'KeyUsed') now = { revision, used: { ...(data as Used), at } };
    else if (type === 'KeyFreed') now = { revision };
    else if (type === 'AnswerKept' && now.used && !now.answer) {
      const kept = data as Kept;
      parts = kept.part === 1 ? [kept.gzip] : [...parts, kept.gzip];
      const text =
        parts.length === kept.parts ? gunzipSync(Buffer.from(parts.join(''), 'base64')) : undefined;
      now = { ...now, revision, ...(text && { answer: JSON.parse(String(text)) as Answer }) };
    } else now = { ...now, revision };
  }
  return now;
};

/** Events that keep a response: a list for each append. */
const keptEvents = (answer: Answer): readonly (readonly UseEvent[])[] => {
  const text = gzipSync(JSON.stringify(answer)).toString('base64');
  const parts = Math.ceil(text.length / partLength);
  // The name contains the digest of the text: another response of the same use is not a repeat of this one.
  const answerId = derivedId('kept', text);
  // The event store keeps the last event of a stream when all expire, so it is a small one.
  const ended: UseEvent = { type: 'AnswerEnded', name: `end of ${answerId}`, data: {} };
  return Array.from({ length: parts }, (_, index) => {
    const part = index + 1;
    const gzip = text.slice(index * partLength, part * partLength);
    const kept: UseEvent = {
      type: 'AnswerKept',
      name: `part ${part} of ${answerId}`,
      data: { part, parts, gzip },
    };
    return part < parts ? [kept] : [kept, ended];
  });
};

/**
 * Reads and appends uses of keys: one stream for each key.
 * @param expire lets the events of a stream expire after a number of days
 */
const keyUses = (
  { append, read }: Pick<EventStore, 'append' | 'read'>,
  expire: (stream: string, days: number) => Promise<void>,
  environment: Environment,
) => {
  const known = (stream: string): Promise<Known> => knownOf(read(stream));

  /** Appends events of one use of a key. */
  const add = async (
    stream: string,
    expected: number | 'absent',
    { commandId, at }: Pick<KeyUse, 'commandId' | 'at'>,
    events: readonly UseEvent[],
  ): Promise<number> => {
    const metadata = { by: 'answers', cause: commandId, correlation: commandId };
    return append(
      stream,
      expected,
      events.map(({ type, name, data }) => ({
        id: derivedId(stream, commandId, name),
        type,
        v: 1,
        data,
        metadata,
        at,
      })),
    );
  };

  /** Begins a use of a key, or finds the one in progress or its response. */
  const begin = (stream: string, digest: string, at: string) => {
    const oldest = new Date(Date.parse(at) - keptDays * dayMs).toISOString();
    let hidden: number | undefined;
    return retryOnConflict(async () => {
      const { revision, used, answer } = await known(stream);
      if (used && used.at >= oldest) {
        if (used.digest !== digest) throw keyReused();
        return answer ? { answer } : { id: used.commandId, isRetry: true };
      }
      const commandId = environment.newId();
      try {
        // A stream keeps its revision when all its events have expired.
        const expected = revision === 'absent' ? (hidden ?? revision) : revision;
        if (expected === 'absent') await expire(stream, keptDays);
        await add(stream, expected, { commandId, at }, [
          { type: 'KeyUsed', name: 'use', data: { digest, commandId } },
        ]);
        return { id: commandId, isRetry: false };
      } catch (error) {
        if (error instanceof Conflict) hidden = error.actual === 'absent' ? undefined : error.actual;
        throw error;
      }
    }, environment);
  };

  return { known, add, begin };
};

/**
 * Age of a use of a key, in ms, up to which an earlier attempt may still run on another instance, whose clock may
 * differ by a minute. After it only the same request may use the key.
 */
const attemptMs = 120_000;

/** How long a response waits for a store that cannot be reached, in ms: a restart takes seconds. */
const reachMs = 15_000;

/**
 * Kept responses that all instances on one event store share: one stream for each key, outside the log. A use of the
 * key begins with `KeyUsed`. `AnswerKept` holds the response in parts, `AnswerEnded` follows the last; `KeyFreed`
 * ends a use. While an attempt runs on another instance, a retry runs next to it under the same command id.
 * @param expire lets the events of a stream expire after a number of days
 * @param keepMs how long `keep` waits for a store that cannot be reached
 */
export const keptResponsesOn = (
  store: Pick<EventStore, 'append' | 'read'>,
  expire: (stream: string, days: number) => Promise<void>,
  environment: Environment = system,
  keepMs = reachMs,
): KeptResponses => {
  /** Uses of keys in progress on this instance; `reading` ends when it is known whether a response is kept. */
  const underWay = new Map<
    string,
    { readonly id: string; readonly isRetry: boolean; readonly reading?: Promise<void> }
  >();
  const streamOf = (holder: string, key: string): string => `answers-${derivedId('answer', holder, key)}`;
  const { known, add, begin } = keyUses(store, expire, environment);

  /**
   * Ends the use of a key that is in progress here, unless it has ended.
   * @returns the response that another attempt kept
   */
  const conclude = async (
    stream: string,
    end: (use: KeyUse, revision: number) => Promise<unknown>,
  ): Promise<Answer | undefined> => {
    const commandId = underWay.get(stream)?.id;
    const { revision, used, answer } = await known(stream);
    if (used?.commandId !== commandId || !used || answer || revision === 'absent')
      return used?.commandId === commandId ? answer : undefined;
    try {
      await end(used, revision);
      return undefined;
    } catch (error) {
      // Another instance with the same key was first.
      if (!(error instanceof Conflict)) throw error;
      const now = await known(stream);
      return now.used?.commandId === commandId ? now.answer : undefined;
    }
  };

  const release = async (stream: string): Promise<void> => {
    const free = (use: KeyUse, revision: number) =>
      add(stream, revision, use, [{ type: 'KeyFreed', name: 'free', data: {} }]);
    await conclude(stream, free).finally(() => underWay.delete(stream));
  };

  return {
    begin: async (holder, key, digest, at) => {
      const stream = streamOf(holder, key);
      // An attempt that finds a kept response is not in progress: another one gets the response, too.
      for (let one = underWay.get(stream); one?.reading; one = underWay.get(stream)) await one.reading;
      if (underWay.has(stream)) throw keyInUse();
      const beginning = begin(stream, digest, at);
      const ended = (): void => {};
      underWay.set(stream, { id: '', isRetry: false, reading: beginning.then(ended, ended) });
      try {
        const begun = await beginning;
        if ('answer' in begun) underWay.delete(stream);
        else underWay.set(stream, begun);
        return begun;
      } catch (error) {
        underWay.delete(stream);
        throw error;
      }
    },
    keep: async (holder, key, answer) => {
      const stream = streamOf(holder, key);
      const appends = keptEvents(answer);
      const keepParts = async (use: KeyUse, revision: number): Promise<void> => {
        let expected = revision;
        for (const events of appends) expected = await add(stream, expected, use, events);
      };
      const attempt = () => conclude(stream, keepParts);
      const earlier = await untilReachable(attempt, environment, keepMs).finally(() =>
        underWay.delete(stream),
      );
      return earlier ?? answer;
    },
    refuse: async (holder, key, at) => {
      const stream = streamOf(holder, key);
      const begun = underWay.get(stream);
      if (begun?.isRetry !== true) {
        await release(stream);
        return false;
      }
      underWay.delete(stream);
      const { used, answer } = await known(stream);
      if (used?.commandId !== begun.id) return false;
      return answer !== undefined || Date.parse(at) - Date.parse(used.at) < attemptMs;
    },
    leave: (holder, key) => {
      underWay.delete(streamOf(holder, key));
    },
    clear: () => {},
    close: () => {},
  };
};
