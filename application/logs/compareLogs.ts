import { createHash } from 'node:crypto';
import { requireSound, type Recorded } from '../../domain/events.js';
import { NotCanonical, canonicalJson } from '../../auditing/eventBytes.js';
import type { EventStore } from '../ports/eventStore.js';

/** Progress of a copy; `total` is undefined while the log is read for the first time. */
export type CopyProgress = {
  readonly step: 'checking' | 'copying' | 'comparing';
  readonly events: number;
  readonly total?: number;
};

/** The two logs of a copy or a comparison. */
export type CopyParts = {
  readonly source: EventStore;
  readonly target: EventStore;
  /** Called often; the caller throttles. */
  readonly progress?: (at: CopyProgress) => void;
};

const fields = ['id', 'stream', 'revision', 'type', 'v', 'at', 'data', 'metadata', 'hash'] as const;

/** Canonical text of a value: stores order the names of an object differently. */
const textOf = (value: unknown): string => {
  try {
    return canonicalJson(value ?? null);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return JSON.stringify(value);
  }
};

/** Fields of an event that must be equal in both logs, as texts. Only positions may differ. @throws EventDamaged */
const fieldTextsOf = (event: Recorded): readonly string[] => {
  requireSound(event);
  return fields.map(field => textOf(event[field]));
};

/** Fields of an event that must be equal in both logs, as one line of JSON. */
export const lineOf = (event: Recorded): string => `[${fieldTextsOf(event).join()}]`;

/** Description of an event for messages; `index` counts from 0, the message from 1. */
export const describeEvent = (index: number, { id, stream, revision, type }: Recorded): string =>
  `event ${index + 1} (${type} ${id}, ${stream} revision ${revision})`;

/** Description of the difference of two logs at one index. */
export const differenceOf = (
  index: number,
  here: Recorded | undefined,
  there: Recorded | undefined,
): string => {
  if (!here)
    return there ? `the target has ${describeEvent(index, there)}, the source ends before it` : 'nothing';
  if (!there) return `the source has ${describeEvent(index, here)}, the target ends before it`;
  if (here.id !== there.id)
    return `the source has ${describeEvent(index, here)}, the target has ${describeEvent(index, there)}`;
  const sourceTexts = fieldTextsOf(here);
  const targetTexts = fieldTextsOf(there);
  const differing = fields.filter((_, at) => sourceTexts[at] !== targetTexts[at]);
  // A different hash only follows from a different field.
  const named = differing.length > 1 ? differing.filter(field => field !== 'hash') : differing;
  return `${describeEvent(index, here)} differs in the target: ${named.join(', ')}`;
};

type Pair = {
  readonly index: number;
  readonly here: Recorded | undefined;
  readonly there: Recorded | undefined;
};

/** Pairs of events with the same index in both logs; undefined after the end of the shorter log. */
export async function* pairsOf(source: EventStore, target: EventStore): AsyncGenerator<Pair> {
  const sides = [source, target].map(store => store.all(0n)[Symbol.asyncIterator]());
  try {
    for (let index = 0; ; index += 1) {
      const [here, there] = await Promise.all(sides.map(side => side.next()));
      if (here?.done !== false && there?.done !== false) return;
      yield {
        index,
        here: here?.done === false ? here.value : undefined,
        there: there?.done === false ? there.value : undefined,
      };
    }
  } finally {
    await Promise.all(sides.map(side => side.return?.()));
  }
}

/** Number of events of a log, and the SHA-256 of their lines. */
export type LogDigest = { readonly count: number; readonly sha256: string };

/** Comparison of two logs; `difference` names the first event that differs. */
export type LogComparison = {
  readonly source: LogDigest;
  readonly target: LogDigest;
  readonly difference: string | undefined;
};

/** Counts lines and computes the SHA-256 of their text. */
const digester = () => {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add: (line: string): void => {
      hash.update(`${line}\n`);
      count += 1;
    },
    done: (): LogDigest => ({ count, sha256: hash.digest('hex') }),
  };
};

/**
 * Reads and compares both logs, and computes the digest of each.
 * @param total  expected number of events, for the progress
 */
export const compareLogs = async (
  { source, target, progress }: CopyParts,
  total?: number,
): Promise<LogComparison> => {
  const digests = [digester(), digester()] as const;
  let difference: string | undefined;
  for await (const { index, here, there } of pairsOf(source, target)) {
    const lines = [here && lineOf(here), there && lineOf(there)] as const;
    for (const [side, line] of lines.entries()) if (line !== undefined) digests[side]?.add(line);
    if (lines[0] !== lines[1]) difference ??= differenceOf(index, here, there);
    progress?.({ step: 'comparing', events: index + 1, ...(total === undefined ? {} : { total }) });
  }
  return { source: digests[0].done(), target: digests[1].done(), difference };
};
