import { hash } from 'node:crypto';
import { isForeign, type Proposed, type Recorded, requireSound } from '../domain/events.js';
import { isLogStream } from '../domain/streams.js';

/** The value has no canonical JSON and cannot be hashed. */
export class NotCanonical extends Error {
  readonly name = 'NotCanonical';
}

/** Half of a surrogate pair, which UTF-8 cannot encode (RFC 8785 §3.2.2.2, RFC 7493 §2.1). */
const loneSurrogate = /\p{Surrogate}/u;

const textOf = (text: string): string => {
  if (loneSurrogate.test(text)) throw new NotCanonical('a text with half a surrogate pair');
  return JSON.stringify(text);
};

const objectText = (value: Readonly<Record<string, unknown>>): string => {
  let fields = '';
  // The default order of sort is that of UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const field = value[name];
    if (field !== undefined) fields += `${fields && ','}${textOf(name)}:${orderedText(field)}`;
  }
  return `{${fields}}`;
};

/** Whether JSON.stringify writes a value as canonical JSON, but for halves of surrogate pairs. */
const isInOrder = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? Number.isFinite(value) : isPlain(value);
  if (Array.isArray(value)) return value.every(isInOrder);
  if ('toJSON' in value) return false;
  let before: string | undefined;
  for (const name of Object.keys(value)) {
    if (before !== undefined && name < before) return false;
    before = name;
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field !== undefined && !isInOrder(field)) return false;
  }
  return true;
};

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || value === null;

/** Start of the escape sequence that JSON.stringify writes for half a surrogate pair. */
const surrogateEscape = '\\ud';

/**
 * Canonical JSON of a value (RFC 8785, JCS): no spaces, names ordered by UTF-16 code units, numbers and strings as in
 * ECMAScript. Undefined fields are omitted, as by JSON.stringify.
 * @throws NotCanonical for half a surrogate pair, a number that is not finite, or a value that JSON does not have
 */
export const canonicalJson = (value: unknown): string => {
  // Values that were read from canonical JSON are in order; JSON.stringify is several times faster than our own code.
  if (isInOrder(value)) {
    const text = JSON.stringify(value);
    if (!text.includes(surrogateEscape)) return text;
  }
  return orderedText(value);
};

const orderedText = (value: unknown): string => {
  switch (typeof value) {
    case 'string':
      return textOf(value);
    case 'number':
      if (!Number.isFinite(value)) throw new NotCanonical(`the number ${value}`);
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value))
        // Arrays of numbers, the largest part of most events, are written faster as a whole.
        return value.every(Number.isFinite) ? JSON.stringify(value) : `[${value.map(orderedText).join(',')}]`;
      return objectText(value as Readonly<Record<string, unknown>>);
    default:
      throw new NotCanonical(`a value of type ${typeof value}`);
  }
};

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

/** An event of an export: all fields except the position, which differs between stores. */
export type Exported = Omit<Recorded, 'position'>;

/**
 * Line of an event in an export, without line end: canonical JSON, with the hash if it has one. These lines are the
 * leaves of the log's Merkle tree, so the tree can be computed from an export with SHA-256 only.
 * @throws NotCanonical for an event that Daybook did not write
 */
export const exportLine = (event: Exported): string => lineOfText(event, canonicalJson(event.data));

/** The same, from data and metadata that are canonical JSON already. */
export const lineOfText = (event: Omit<Exported, 'data'>, data: string): string => {
  const { at, hash, id, metadata, revision, stream, type, v } = event;
  const { by, cause, correlation } = metadata;
  const rest = canonicalJson({ hash, id, metadata: { by, cause, correlation }, revision, stream, type, v });
  return `{"at":${canonicalJson(at)},"data":${data},${rest.slice(1)}`;
};

/** Line for an event without canonical JSON; a verification reports its fault. */
export const lineOfNone = (
  { id, stream, revision, type }: Pick<Exported, 'id' | 'stream' | 'revision' | 'type'>,
  why: string,
): string => JSON.stringify({ type, stream, revision, id, not: why });

/** Line of any event, also of one without canonical JSON. @throws EventDamaged */
export const lineOf = (event: Exported): string => {
  requireSound(event);
  try {
    return exportLine(event);
  } catch (error) {
    // RangeError: nested deeper than any event of Daybook.
    if (!(error instanceof NotCanonical || error instanceof RangeError)) throw error;
    return lineOfNone(event, error.message);
  }
};

/** First line of an export of selected events: the filter. It cannot be mistaken for an event. */
export const partLine = (filter: object): string => canonicalJson({ partOfLog: filter });

/** Whether the first line of an export contains a filter. */
export const isPartLine = (line: string): boolean => line.startsWith('{"partOfLog":');

const names = ['at', 'data', 'hash', 'id', 'metadata', 'revision', 'stream', 'type', 'v'];
const metadataNames = ['by', 'cause', 'correlation'];
const hashPattern = /^[0-9a-f]{64}$/;

const isCount = (value: unknown, from: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= from;
const isText = (value: unknown): boolean => typeof value === 'string';

const namesOf = (value: object): string => Object.keys(value).sort().join();

/** The event of a line, or the fault of the line. */
export const readLine = (line: string): Exported | string => {
  let value: unknown;
  try {
    value = JSON.parse(line);
    if (canonicalJson(value) !== line) return 'is not in canonical form';
  } catch {
    return 'is not canonical JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an event';
  const event = value as Exported;
  const { metadata, hash } = event;
  const expected = names.filter(name => name !== 'hash' || hash !== undefined);
  if (namesOf(event) !== expected.join())
    return `has the fields ${namesOf(event)}, expected ${expected.join()}`;
  if (typeof metadata !== 'object' || metadata === null || namesOf(metadata) !== metadataNames.join())
    return 'has metadata that differ from those of an event';
  const whole =
    [event.id, event.stream, event.type, event.at, ...Object.values(metadata)].every(isText) &&
    isCount(event.revision, 0) &&
    isCount(event.v, 1) &&
    (hash === undefined || hashPattern.test(hash));
  if (!whole) return 'has a field with a wrong type';
  if (isForeign(event)) return 'was not written by Daybook';
  return event;
};
