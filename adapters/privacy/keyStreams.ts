import { LRUCache } from 'lru-cache';
import { Conflict, type EventStore } from '../../application/ports/eventStore.js';
import { derivedId } from '../../application/commands/commandHandler.js';
import type { PersonKeys } from './people.js';
import type { KeptKey, Person } from '../../application/ports/people.js';

type Stored = {
  readonly id: string;
  readonly tenant: string;
  readonly subject: string;
  readonly secret: string;
};

/** Maximum cached keys. */
const cachedMax = 10_000;

/**
 * Keys of people on an event store that instances share, outside the log. Each key is in two streams, found by its id
 * and by its person. Both are deleted with the key; a scavenge on the server overwrites them.
 * @param deleteStream  deletes a stream
 */
export const keyStreams = (
  { append, read }: Pick<EventStore, 'append' | 'read'>,
  deleteStream: (stream: string) => Promise<void>,
): PersonKeys => {
  const keyStream = (id: string): string => `personkey-${id}`;
  const personStream = ({ tenant, subject }: Person): string =>
    `person-${derivedId('person', tenant, subject)}`;
  /** Cache of keys, by both of their streams. A destroyed key is removed in every instance. */
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
    byPerson: person => last(personStream(person)),
    byId: id => last(keyStream(id)),
    keep: async key => {
      await add(keyStream(key.id), key);
      try {
        await add(personStream(key), key);
        return key;
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        // Another instance created a key for this person at the same time.
        await deleteStream(keyStream(key.id));
        return (await last(personStream(key))) ?? key;
      }
    },
    destroy: async id => {
      const key = await last(keyStream(id));
      forget(key);
      if (!key) return;
      if ((await last(personStream(key)))?.id === id) await deleteStream(personStream(key));
      await deleteStream(keyStream(id));
      forget(key);
    },
    close: () => {},
  };
};
