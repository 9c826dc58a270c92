import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './faults.js';

/** Functions of a file as V8 counts them: each has its own range first, then blocks with counts of their own. */
type Functions = readonly {
  readonly ranges: readonly {
    readonly startOffset: number;
    readonly endOffset: number;
    readonly count: number;
  }[];
}[];

/** The part of a file that runs when a mutant can be noticed. */
const placeOf = ({ start, end, text }: Mutant): readonly [from: number, to: number] =>
  // V8 counts && and ||, which always replace each other or ??, with their right sides.
  text === '&&' || text === '||' ? [start - 1, start] : [start, end];

/** Whether the place of a mutant ran: the smallest function or block around it did. */
const isExecuted = (functions: Functions, [from, to]: readonly [from: number, to: number]): boolean =>
  functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= from && to <= endOffset)
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
      if (isExecuted(functionsOf.get(mutant.file) ?? [], placeOf(mutant))) executed.add(mutant);
  }
  return executed;
};
