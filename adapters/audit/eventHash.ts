import { createHash } from 'node:crypto';
import { isLogStream, type Proposed, type Recorded } from '../../domain/events.js';
import { canonicalJson } from './canonicalJson.js';

/** What of an event its hash covers; its position is the store's own. */
export type Hashed = Pick<Recorded, 'id' | 'stream' | 'revision' | 'type' | 'v' | 'at' | 'data' | 'metadata'>;

/** That of an event, and nothing else that it may bring with it. */
export const contentOf = ({
  id,
  stream,
  revision,
  type,
  v,
  at,
  data,
  metadata: { by, cause, correlation },
}: Hashed): Hashed => ({ id, stream, revision, type, v, at, data, metadata: { by, cause, correlation } });

/**
 * The hash of an event, in hexadecimal: SHA-256 of the canonical JSON (RFC 8785) of
 *
 *     { at, data, id, metadata: { by, cause, correlation }, previous, revision, stream, type, v }
 *
 * as the event was appended, not as an upcaster shows it. `previous` is the hash of the event before it in its
 * stream, null for the first and after one that has none. So a stream is a chain: whoever changes, takes out, adds or
 * moves an event in it has to make all hashes after it anew.
 *
 * The store makes it, inside of its append: nobody else knows for sure what the event before is. A command's own
 * events may not be those that were stored, when another instance did the same under the same ids at another time.
 * Events that were written before there were hashes have none; the chain of a stream begins behind them.
 */
export const eventHash = (event: Hashed, previous: string | null): string =>
  createHash('sha256')
    .update(canonicalJson({ ...contentOf(event), previous }))
    .digest('hex');

/** An event and its data as a store keeps them, which may be less than what it was given. */
type Kept = { readonly event: Proposed; readonly data: string };

/**
 * The hashes of the events of one append; null for events that have none. One that is copied keeps its own.
 * @param next      revision of the first of them
 * @param previous  hash of the event before them
 * @throws NotCanonical for what has no canonical JSON; nothing that was checked on its way in
 */
export const chained = (
  stream: string,
  next: number,
  previous: string | null,
  texts: readonly Kept[],
): readonly (string | null)[] => {
  // Beside the log there are streams that vanish.
  if (!isLogStream(stream)) return texts.map(() => null);
  const hashes: (string | null)[] = [];
  let before = previous;
  for (const [index, { event, data }] of texts.entries()) {
    before =
      event.hash === undefined
        ? eventHash({ ...event, stream, revision: next + index, data: JSON.parse(data) as unknown }, before)
        : event.hash;
    hashes.push(before);
  }
  return hashes;
};
