import { NotCanonical, canonicalJson } from '../../auditing/canonicalJson.js';
import { metadataText } from '../../auditing/eventHash.js';
import { lineOfNone, lineOfText, type Exported } from '../../auditing/exportLine.js';

/** A row of the table of events, as SQLite has it. */
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

/** An event of a log's file: its line of an export, and what of the row is not what that line says. */
export type StoredLine = { readonly line: string; readonly faults: readonly string[] };

/** What a row is held against. */
type Beside = {
  /** Position of the row before it, 0 for the first. */
  readonly after: bigint;
  /** Whether the file has canonical JSON alone; older ones have what JSON.stringify made. */
  readonly isCanonical: boolean;
  /** The bytes of data and metadata together. */
  readonly bytes: () => Buffer | undefined;
};

/** Whether a stored text is a form of its value that Daybook writes. */
const isForm = (text: string, value: unknown, canonical: string, isCanonical: boolean): boolean =>
  text === canonical || (!isCanonical && text === JSON.stringify(value));

/** SQLite takes bytes that are no UTF-8 into a text; reading them gives this sign, which says nothing of them. */
const isExact = ({ data, metadata }: StoredRow, bytes: () => Buffer | undefined): boolean =>
  !`${data}${metadata}`.includes('\ufffd') || bytes()?.equals(Buffer.from(data + metadata)) === true;

const metadataNames = 'by,cause,correlation';

const metadataFaults = (text: string, value: unknown, isCanonical: boolean): string[] => {
  const names = typeof value === 'object' && value !== null ? Object.keys(value).sort().join() : 'none';
  if (names !== metadataNames) return [`its metadata has the fields ${names}, expected ${metadataNames}`];
  const canonical = metadataText({ metadata: value as Exported['metadata'] });
  return isForm(text, value, canonical, isCanonical)
    ? []
    : ['its metadata is not stored as Daybook writes it'];
};

const positionFaults = (position: bigint, after: bigint): string[] => {
  if (position < 1n)
    return [`its position is ${position}, expected one from 1: commands apply it, readers did not`];
  const next = after < 0n ? 1n : after + 1n;
  return position === next
    ? []
    : [`its position is ${position}, expected ${next}: what was there is missing`];
};

/** The line of a row, and what is wrong with the row beside what its hash says. */
export const storedLine = (row: StoredRow, { after, isCanonical, bytes }: Beside): StoredLine => {
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
    if (!isExact(row, bytes)) faults.push('its text is no UTF-8');
    return { line: lineOfText({ ...bare, data, metadata }, canonical), faults };
  } catch (error) {
    // Not JSON, not canonical, null where metadata should be, or nested deeper than any event of ours.
    if (![SyntaxError, NotCanonical, TypeError, RangeError].some(kind => error instanceof kind)) throw error;
    return { line: lineOfNone(bare, (error as Error).message), faults };
  }
};
