import { LRUCache } from 'lru-cache';
import { Conflict, type EventStore } from '../../application/eventStore.js';
import { derivedId } from '../../application/ids.js';
import type { PersonKeys } from './people.js';
import type { KeptKey, Person } from '../../application/people.js';

type Stored = {
  readonly id: string;
  readonly tenant: string;
  readonly subject: string;
  readonly secret: string;
};

/** Keys that are kept in memory at most. */
const cachedMax = 10_000;

/**
 * The keys of people that all instances on one event store share, beside the log: a stream for each key, and one for
 * each person that holds the same. Both are deleted with the key; the server overwrites them when it scavenges.
 * @param vanish  deletes a stream
 */
export const keyStreams = (
  { append, read }: Pick<EventStore, 'append' | 'read'>,
  vanish: (stream: string) => Promise<void>,
): PersonKeys => {
  const keyStream = (id: string): string => `personkey-${id}`;
  const personStream = ({ tenant, subject }: Person): string =>
    `person-${derivedId('person', tenant, subject)}`;
  /** Keys as they were read, by both of their streams. A key that is destroyed is forgotten by every instance. */
  const cache = new LRUCache<string, KeptKey>({ max: cachedMax });

  const forget = (key: KeptKey | undefined): void => {
    if (key) for (const stream of [keyStream(key.id), personStream(key)]) cache.delete(stream);
  };

  const last = async (stream: string): Promise<KeptKey | undefined> => {
    const known = cache.get(stream);
    if (known) return known;
    let stored: Stored | undefined;
    for await (const { data } of read(stream)) stored = data as Stored;
    if (!stored) return undefined;
    const key = { ...stored, secret: Buffer.from(stored.secret, 'base64') };
    cache.set(stream, key);
    return key;
  };

  const add = (stream: string, { id, tenant, subject, secret }: KeptKey) =>
    append(stream, 'absent', [
      {
        id: derivedId(stream, id),
        type: 'PersonKeyMade',
        v: 1,
        data: { id, tenant, subject, secret: secret.toString('base64') } satisfies Stored,
        metadata: { by: 'people', cause: id, correlation: id },
        at: '',
      },
    ]);

  return {
    of: person => last(personStream(person)),
    byId: id => last(keyStream(id)),
    keep: async key => {
      await add(keyStream(key.id), key);
      try {
        await add(personStream(key), key);
        return key;
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        // Another instance has met this person at the same time.
        await vanish(keyStream(key.id));
        return (await last(personStream(key))) ?? key;
      }
    },
    destroy: async id => {
      const key = await last(keyStream(id));
      forget(key);
      if (!key) return;
      if ((await last(personStream(key)))?.id === id) await vanish(personStream(key));
      await vanish(keyStream(id));
      forget(key);
    },
    close: () => {},
  };
};
