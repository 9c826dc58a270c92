import { createHash } from 'node:crypto';
import { isLogStream, type Proposed, type Recorded } from '../domain/events.js';
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
  hashOfTexts(event, canonicalJson(event.data), metadataText(event), previous);

/** The canonical JSON of the metadata that a hash covers. */
export const metadataText = ({ metadata: { by, cause, correlation } }: Pick<Hashed, 'metadata'>): string =>
  canonicalJson({ by, cause, correlation });

/** The same hash, of data and metadata that are canonical JSON already. */
const hashOfTexts = (
  { at, id, revision, stream, type, v }: Omit<Hashed, 'data' | 'metadata'>,
  data: string,
  metadata: string,
  previous: string | null,
): string => {
  const [head, middle] = [canonicalJson({ id }), canonicalJson({ previous, revision, stream, type, v })];
  return createHash('sha256')
    .update(`{"at":${canonicalJson(at)},"data":${data},${head.slice(1, -1)},"metadata":${metadata},`)
    .update(middle.slice(1))
    .digest('hex');
};

/** An event with its data and metadata as a store keeps them: as canonical JSON. */
type Kept = { readonly event: Proposed; readonly data: string; readonly metadata: string };

/**
 * The hashes of the events of one append; null for events that have none. One that is copied keeps its own.
 * @param next      revision of the first of them
 * @param previous  hash of the event before them
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
  for (const [index, { event, data, metadata }] of texts.entries()) {
    before =
      event.hash === undefined
        ? hashOfTexts({ ...event, stream, revision: next + index }, data, metadata, before)
        : event.hash;
    hashes.push(before);
  }
  return hashes;
};
