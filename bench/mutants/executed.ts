import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './faults.js';

/** Functions of a file as V8 counts them: each has its own range first, then blocks with counts of their own. */
export type Functions = readonly {
  readonly ranges: readonly {
    readonly startOffset: number;
    readonly endOffset: number;
    readonly count: number;
  }[];
}[];

/** Whether a part of a file ran: the smallest function or block around it did. */
export const isExecuted = (functions: Functions, { start, end }: Pick<Mutant, 'start' | 'end'>): boolean =>
  functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= start && end <= endOffset)
    .reduce<{ readonly size: number; readonly count: number }>(
      (least, { startOffset, endOffset, count }) =>
        endOffset - startOffset < least.size ? { size: endOffset - startOffset, count } : least,
      { size: Infinity, count: 0 },
    ).count > 0;

/** Mutants whose parts ran, by the files of NODE_V8_COVERAGE: one for each process and worker that has ended. */
export const executedIn = (folder: string, mutants: readonly Mutant[]): ReadonlySet<Mutant> => {
  const executed = new Set<Mutant>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly result: readonly { readonly url: string; readonly functions: Functions }[];
    };
    const files = result.filter(({ url }) => url.startsWith('file:'));
    const functionsOf = new Map(files.map(({ url, functions }) => [fileURLToPath(url), functions]));
    for (const mutant of mutants)
      if (isExecuted(functionsOf.get(mutant.file) ?? [], mutant)) executed.add(mutant);
  }
  return executed;
};
