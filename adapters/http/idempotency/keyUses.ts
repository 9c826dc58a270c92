import { gunzipSync, gzipSync } from 'node:zlib';
import type { Environment } from '../../../application/environment.js';
import { retryOnConflict } from '../../../application/conflictRetry.js';
import { Conflict, type EventStore } from '../../../application/eventStore.js';
import { derivedId } from '../../../application/ids.js';
import { keptDays, keyReused } from './keptResponses.js';
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
export type KeyUse = Used & { readonly at: string };

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
export const keptEvents = (answer: Answer): readonly (readonly UseEvent[])[] => {
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
export const keyUses = (
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
    const oldest = new Date(Date.parse(at) - keptDays * 86_400_000).toISOString();
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
