import { NotCanonical, canonicalJson } from '../../auditing/canonicalJson.js';
import { metadataText } from '../../auditing/eventHash.js';
import { lineOfNone, lineOfText, type Exported } from '../../auditing/exportLine.js';

/** A row of the table of events. */
export type StoredRow = {
  readonly position: bigint;
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly v: bigint;
  readonly at: string;
  readonly data: string;
  readonly metadata: string;
  readonly hash: string | null;
};

/** Export line of a row, and the faults of the row that the line does not show. */
export type StoredLine = { readonly line: string; readonly faults: readonly string[] };

/** Facts that a row is compared with. */
type LineContext = {
  /** Position of the row before it, 0 for the first. */
  readonly after: bigint;
  /** Whether the file contains canonical JSON only; older ones contain the output of JSON.stringify. */
  readonly isCanonical: boolean;
  /** Bytes of data and metadata together. */
  readonly bytes: () => Buffer | undefined;
};

/** Whether a stored text is a form of its value that Daybook writes. */
const isForm = (text: string, value: unknown, canonical: string, isCanonical: boolean): boolean =>
  text === canonical || (!isCanonical && text === JSON.stringify(value));

/** Replacement character: SQLite accepts bytes that are not UTF-8 and returns them as this character. */
const isExact = ({ data, metadata }: StoredRow, bytes: () => Buffer | undefined): boolean =>
  !`${data}${metadata}`.includes('\ufffd') || bytes()?.equals(Buffer.from(data + metadata)) === true;

const metadataNames = 'by,cause,correlation';

const metadataFaults = (text: string, value: unknown, isCanonical: boolean): string[] => {
  const names = typeof value === 'object' && value !== null ? Object.keys(value).sort().join() : 'none';
  if (names !== metadataNames) return [`its metadata has the fields ${names}, expected ${metadataNames}`];
  const canonical = metadataText({ metadata: value as Exported['metadata'] });
  return isForm(text, value, canonical, isCanonical)
    ? []
    : ['its metadata are not stored as Daybook writes them'];
};

const positionFaults = (position: bigint, after: bigint): string[] => {
  if (position < 1n)
    return [`its position is ${position}, expected at least 1: commands apply it, but older readers skip it`];
  const next = after < 0n ? 1n : after + 1n;
  return position === next
    ? []
    : [`its position is ${position}, expected ${next}: the events between are missing`];
};

/** Export line of a row, and the faults that its hash does not show. */
export const storedLine = (row: StoredRow, { after, isCanonical, bytes }: LineContext): StoredLine => {
  const { position, hash, revision, v, ...texts } = row;
  const faults = positionFaults(position, after);
  const bare = { ...texts, revision: Number(revision), v: Number(v), ...(hash !== null && { hash }) };
  try {
    const data: unknown = JSON.parse(row.data);
    const metadata = JSON.parse(row.metadata) as Exported['metadata'];
    const canonical = canonicalJson(data);
    if (!isForm(row.data, data, canonical, isCanonical))
      faults.push('its data are not stored as Daybook writes them');
    faults.push(...metadataFaults(row.metadata, metadata, isCanonical));
    if (!isExact(row, bytes)) faults.push('its text is not UTF-8');
    return { line: lineOfText({ ...bare, metadata }, canonical), faults };
  } catch (error) {
    // Not JSON, not canonical, null metadata, or nested deeper than any event of Daybook.
    if (![SyntaxError, NotCanonical, TypeError, RangeError].some(kind => error instanceof kind)) throw error;
    return { line: lineOfNone(bare, (error as Error).message), faults };
  }
};
