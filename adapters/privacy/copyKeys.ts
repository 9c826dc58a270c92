import type { Recorded } from '../../domain/events.js';
import type { PersonKeys } from './people.js';
import { keyIdsIn } from './sealed.js';

/**
 * Copies the keys of all sealed texts in a log to another place. Keys of erased persons are destroyed there as well.
 * @returns number of keys
 */
export const copyKeys = async (
  log: AsyncIterable<Recorded>,
  source: PersonKeys,
  target: PersonKeys,
): Promise<number> => {
  const seen = new Set<string>();
  let count = 0;
  for await (const { type, data, metadata } of log) {
    if (type === 'PersonErased') await target.destroy((data as { readonly personId: string }).personId);
    if (type === 'WebhookDeleted') await target.destroy((data as { readonly keyId: string }).keyId);
    for (const id of keyIdsIn(JSON.stringify([metadata.by, data]))) {
      const key = seen.has(id) ? undefined : await source.byId(id);
      seen.add(id);
      if (!key) continue;
      await target.keep(key);
      count += 1;
    }
  }
  return count;
};
