import { isLogStream, type Recorded } from '../domain/events.js';
import { NotCanonical, canonicalJson } from './canonicalJson.js';
import { contentOf } from './eventHash.js';

/** An event as an export has it: all but its position, which is the store's own. */
export type Exported = Omit<Recorded, 'position'>;

/**
 * An event as a line of an export, without the line's end: canonical JSON, with its hash if it has one. The line is
 * what the log's tree has as a leaf, so that a tree can be made from an export with nothing but SHA-256.
 * @throws NotCanonical for an event that Daybook has not written
 */
export const exportLine = (event: Exported): string => lineOfText(event, canonicalJson(event.data));

/** The same, of data that are canonical JSON already. */
export const lineOfText = (event: Exported, data: string): string => {
  const { data: _, at, ...rest } = { ...contentOf(event), hash: event.hash };
  return `{"at":${canonicalJson(at)},"data":${data},${canonicalJson(rest).slice(1)}`;
};

/** The line of an event that has none: a verification says what is wrong with it. */
export const lineOfNone = (
  { id, stream, revision, type }: Pick<Exported, 'id' | 'stream' | 'revision' | 'type'>,
  why: string,
): string => JSON.stringify({ type, stream, revision, id, not: why });

/** The line of any event, also one that has none. */
export const lineOf = (event: Exported): string => {
  try {
    return exportLine(event);
  } catch (error) {
    // A RangeError: nested deeper than any event of ours.
    if (!(error instanceof NotCanonical || error instanceof RangeError)) throw error;
    return lineOfNone(event, error.message);
  }
};

/** First line of an export of some events only: what was asked for. It is no event, so it passes for none. */
export const partLine = (filter: object): string => canonicalJson({ partOfLog: filter });

/** Whether the first line of an export says that it is a part of a log. */
export const isPartLine = (line: string): boolean => line.startsWith('{"partOfLog":');

const names = ['at', 'data', 'hash', 'id', 'metadata', 'revision', 'stream', 'type', 'v'];
const metadataNames = ['by', 'cause', 'correlation'];
const hashPattern = /^[0-9a-f]{64}$/;

const isCount = (value: unknown, from: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= from;
const isText = (value: unknown): boolean => typeof value === 'string';

const namesOf = (value: object): string => Object.keys(value).sort().join();

/** The event of a line, or what is wrong with the line, in words. */
export const readLine = (line: string): Exported | string => {
  let value: unknown;
  try {
    value = JSON.parse(line);
    if (canonicalJson(value) !== line) return 'is not in its canonical form';
  } catch {
    return 'is no canonical JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no event';
  const event = value as Exported;
  const { metadata, hash } = event;
  const expected = names.filter(name => name !== 'hash' || hash !== undefined);
  if (namesOf(event) !== expected.join())
    return `has the fields ${namesOf(event)}, expected ${expected.join()}`;
  if (typeof metadata !== 'object' || metadata === null || namesOf(metadata) !== metadataNames.join())
    return 'has other metadata than an event';
  const whole =
    [event.id, event.stream, event.type, event.at, ...Object.values(metadata)].every(isText) &&
    isCount(event.revision, 0) &&
    isCount(event.v, 1) &&
    (hash === undefined || hashPattern.test(hash));
  if (!whole) return 'has a field that is not one of an event';
  if (event.type.startsWith('foreign ') || !isLogStream(event.stream)) return 'was not written by Daybook';
  return event;
};
