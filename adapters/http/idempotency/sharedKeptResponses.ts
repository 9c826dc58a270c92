import { gunzipSync, gzipSync } from 'node:zlib';
import { system } from '../../environment.js';
import type { Environment } from '../../../application/environment.js';
import { retryOnConflict } from '../../../application/conflictRetry.js';
import { Conflict, type EventStore } from '../../../application/eventStore.js';
import { derivedId } from '../../../application/ids.js';
import { keptDays, keyInUse, keyReused, type KeptResponses } from './keptResponses.js';
import type { Answer } from '../route.js';

/** Base64 characters in one event, below the limit of an append. */
const partLength = 900_000;

type Used = { readonly digest: string; readonly commandId: string };
type Kept = { readonly part: number; readonly parts: number; readonly gzip: string };

type EventName = 'KeyUsed' | 'AnswerKept' | 'AnswerEnded' | 'KeyFreed';

/** State of the stream of a key. */
type Known = {
  readonly revision: number | 'absent';
  readonly used?: Used & { readonly at: string };
  readonly answer?: Answer;
};

/**
 * Kept responses that all instances on one event store share: one stream for each key, outside the log. A use of the key
 * begins with `KeyUsed`. `AnswerKept` holds the response in parts, `AnswerEnded` follows the last; `KeyFreed` ends a use.
 * While a try is in progress on another instance, a retry runs next to it under the same command id.
 * @param expire lets the events of a stream expire after a number of days
 */
export const keptResponsesOn = (
  { append, read }: Pick<EventStore, 'append' | 'read'>,
  expire: (stream: string, days: number) => Promise<void>,
  environment: Environment = system,
): KeptResponses => {
  /** Command ids of the keys in progress on this instance. */
  const underWay = new Map<string, string>();
  const streamOf = (holder: string, key: string): string => `answers-${derivedId('answer', holder, key)}`;

  const known = async (stream: string): Promise<Known> => {
    let now: Known = { revision: 'absent' };
    let parts: string[] = [];
    for await (const { type, data, at, revision } of read(stream)) {
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

  /** Appends events of one use of a key; `name` is unique within the use. */
  const add = async (
    stream: string,
    expected: number | 'absent',
    { commandId, at }: Pick<Used, 'commandId'> & { readonly at: string },
    events: readonly { readonly type: EventName; readonly name: string; readonly data: object }[],
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

  /** Ends the use of a key that is in progress here, unless it has ended. */
  const conclude = async (
    stream: string,
    end: (use: Used & { readonly at: string }, revision: number) => Promise<unknown>,
  ) => {
    const commandId = underWay.get(stream);
    underWay.delete(stream);
    const { revision, used, answer } = await known(stream);
    if (used?.commandId !== commandId || !used || answer || revision === 'absent') return;
    try {
      await end(used, revision);
    } catch (error) {
      // Another instance with the same key was first.
      if (!(error instanceof Conflict)) throw error;
    }
  };

  return {
    begin: async (holder, key, digest, at) => {
      const stream = streamOf(holder, key);
      if (underWay.has(stream)) throw keyInUse();
      underWay.set(stream, '');
      try {
        const begun = await begin(stream, digest, at);
        if ('answer' in begun) underWay.delete(stream);
        else underWay.set(stream, begun.id);
        return begun;
      } catch (error) {
        underWay.delete(stream);
        throw error;
      }
    },
    keep: async (holder, key, answer) => {
      const stream = streamOf(holder, key);
      const text = gzipSync(JSON.stringify(answer)).toString('base64');
      const parts = Math.ceil(text.length / partLength);
      // The name contains the digest of the text: another response of the same use is not a repeat of this one.
      const answerId = derivedId('kept', text);
      await conclude(stream, async (use, revision) => {
        let expected = revision;
        for (let part = 1; part <= parts; part += 1) {
          const gzip = text.slice((part - 1) * partLength, part * partLength);
          const name = `part ${part} of ${answerId}`;
          const kept = { type: 'AnswerKept', name, data: { part, parts, gzip } } as const;
          // The event store keeps the last event of a stream when all expire, so it is a small one.
          const ended = { type: 'AnswerEnded', name: `end of ${answerId}`, data: {} } as const;
          expected = await add(stream, expected, use, part < parts ? [kept] : [kept, ended]);
        }
      });
    },
    forget: async (holder, key) => {
      const stream = streamOf(holder, key);
      await conclude(stream, (use, revision) =>
        add(stream, revision, use, [{ type: 'KeyFreed', name: 'free', data: {} }]),
      );
    },
    leave: (holder, key) => {
      underWay.delete(streamOf(holder, key));
    },
    clear: () => {},
    close: () => {},
  };
};
