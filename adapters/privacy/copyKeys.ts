import type { Recorded } from '../../domain/events.js';
import type { PersonKeys } from './people.js';
import { keyIdsIn } from './sealed.js';

/**
 * Copies the keys under which something in a log is sealed to another place; who was erased is erased there too.
 * @returns how many there are
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
