import { system } from '../../environment.js';
import type { Environment } from '../../../application/environment.js';
import { Conflict, type EventStore } from '../../../application/eventStore.js';
import { derivedId } from '../../../application/ids.js';
import { keptEvents, keyUses, type KeyUse } from './keyUses.js';
import { keyInUse, type KeptResponses } from './keptResponses.js';

/**
 * Age of a use of a key, in ms, up to which an earlier attempt may still run on another instance, whose clock may
 * differ by a minute. After it only the same request may use the key.
 */
const attemptMs = 120_000;

/**
 * Kept responses that all instances on one event store share: one stream for each key, outside the log. A use of the
 * key begins with `KeyUsed`. `AnswerKept` holds the response in parts, `AnswerEnded` follows the last; `KeyFreed`
 * ends a use. While an attempt runs on another instance, a retry runs next to it under the same command id.
 * @param expire lets the events of a stream expire after a number of days
 */
export const keptResponsesOn = (
  store: Pick<EventStore, 'append' | 'read'>,
  expire: (stream: string, days: number) => Promise<void>,
  environment: Environment = system,
): KeptResponses => {
  /** Uses of keys in progress on this instance. */
  const underWay = new Map<string, { readonly id: string; readonly isRetry: boolean }>();
  const streamOf = (holder: string, key: string): string => `answers-${derivedId('answer', holder, key)}`;
  const { known, add, begin } = keyUses(store, expire, environment);

  /** Ends the use of a key that is in progress here, unless it has ended. */
  const conclude = async (stream: string, end: (use: KeyUse, revision: number) => Promise<unknown>) => {
    const commandId = underWay.get(stream)?.id;
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

  const release = async (stream: string): Promise<void> =>
    conclude(stream, (use, revision) =>
      add(stream, revision, use, [{ type: 'KeyFreed', name: 'free', data: {} }]),
    );

  return {
    begin: async (holder, key, digest, at) => {
      const stream = streamOf(holder, key);
      if (underWay.has(stream)) throw keyInUse();
      underWay.set(stream, { id: '', isRetry: false });
      try {
        const begun = await begin(stream, digest, at);
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
      await conclude(stream, async (use, revision) => {
        let expected = revision;
        for (const events of appends) expected = await add(stream, expected, use, events);
      });
    },
    forget: async (holder, key) => release(streamOf(holder, key)),
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
