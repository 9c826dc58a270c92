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

/** Whether a part of a file ran: the smallest function or block around it did. */
const isExecuted = (ranges: Functions[number]['ranges'], [from, to]: readonly [number, number]): boolean => {
  let size = Infinity;
  let isRun = false;
  for (const { startOffset, endOffset, count } of ranges)
    if (startOffset <= from && to <= endOffset && endOffset - startOffset < size) {
      size = endOffset - startOffset;
      isRun = count > 0;
    }
  return isRun;
};

/** Indices of the mutants whose parts ran, by the files of NODE_V8_COVERAGE: one a process or worker that has ended. */
export const executedIn = (folder: string, mutants: readonly Mutant[]): ReadonlySet<number> => {
  const executed = new Set<number>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly result: readonly { readonly url: string; readonly functions: Functions }[];
    };
    const files = result.filter(({ url }) => url.startsWith('file:'));
    const rangesOf = new Map(
      files.map(({ url, functions }) => [fileURLToPath(url), functions.flatMap(({ ranges }) => ranges)]),
    );
    for (const [index, mutant] of mutants.entries())
      if (isExecuted(rangesOf.get(mutant.file) ?? [], placeOf(mutant))) executed.add(index);
  }
  return executed;
};
