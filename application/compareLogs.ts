import { createHash } from 'node:crypto';
import { differenceOf, lineOf, pairsOf, type CopyParts } from './logPairs.js';

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
