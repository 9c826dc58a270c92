import { hash } from 'node:crypto';
import type { Proposed, Recorded } from '../domain/events.js';
import { isLogStream } from '../domain/streams.js';
import { canonicalJson } from './canonicalJson.js';

/** Fields of an event that its hash covers. */
export type Hashed = Pick<Recorded, 'id' | 'stream' | 'revision' | 'type' | 'v' | 'at' | 'data' | 'metadata'>;

/**
 * Hash of an event in hexadecimal: SHA-256 of the canonical JSON (RFC 8785) of `{ at, data, id, metadata: { by,
 * cause, correlation }, previous, revision, stream, type, v }` as it was appended. `previous` is the hash of the
 * event before it in its stream; null for the first, or after one without a hash. So each stream is a hash chain. The
 * store computes it inside the append: docs/adr/0014-the-store-computes-the-hash.md. Events stored before hashes were
 * introduced have none; the chain of their stream begins after them.
 */
export const eventHash = (event: Hashed, previous: string | null): string =>
  hashOfTexts(event, canonicalJson(event.data), metadataText(event), previous);

/** Canonical JSON of the metadata that a hash covers. */
export const metadataText = ({ metadata: { by, cause, correlation } }: Pick<Hashed, 'metadata'>): string =>
  canonicalJson({ by, cause, correlation });

/** The same hash, from data and metadata that are canonical JSON already. */
const hashOfTexts = (
  { at, id, revision, stream, type, v }: Omit<Hashed, 'data' | 'metadata'>,
  data: string,
  metadata: string,
  previous: string | null,
): string => {
  const head = canonicalJson({ id });
  const middle = canonicalJson({ previous, revision, stream, type, v });
  const before = `{"at":${canonicalJson(at)},"data":${data},${head.slice(1, -1)}`;
  return hash('sha256', `${before},"metadata":${metadata},${middle.slice(1)}`);
};

/** An event with its data and metadata as canonical JSON. */
type Kept = { readonly event: Proposed; readonly data: string; readonly metadata: string };

/**
 * Hashes of the events of one append; null for events outside the log. Copied events keep theirs.
 * @param next      revision of the first event
 * @param previous  hash of the event before it
 */
export const chained = (
  stream: string,
  next: number,
  previous: string | null,
  texts: readonly Kept[],
): readonly (string | null)[] => {
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
