import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTest } from './checkouts.js';
import type { Mutant } from './faults.js';
import { fileURLToPath } from 'node:url';

/** Functions of a file as V8 counts them: each has its own range first, then blocks with counts of their own. */
type Functions = readonly {
  readonly ranges: readonly {
    readonly startOffset: number;
    readonly endOffset: number;
    readonly count: number;
  }[];
}[];

/** The part of a file that runs when a mutant can be noticed. */
const partOf = ({ start, end, text }: Mutant): readonly [from: number, to: number] =>
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
      if (isExecuted(rangesOf.get(mutant.file) ?? [], partOf(mutant))) executed.add(index);
  }
  return executed;
};

/** One run of a test without a mutant: its time, none if it failed, and the places that it executed in each file. */
type Coverage = {
  readonly test: string;
  readonly ms?: number | undefined;
  readonly files: Readonly<Record<string, { readonly hash: string; readonly places: readonly string[] }>>;
};

/** Time after which a test without a mutant counts as failed. */
const testMaxMs = 600_000;

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('base64url');

const placeOf = ({ start, end }: Mutant): string => `${start}-${end}`;

/** Runs a test without a mutant. Mutants name their files below `build`. */
const measured = async (checkout: string, test: string, mutants: readonly Mutant[]): Promise<Coverage> => {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  try {
    // Some tests are too slow under the inspector that counts.
    const ms =
      (await runTest(checkout, test, testMaxMs, { NODE_V8_COVERAGE: folder })) ??
      (await runTest(checkout, test, testMaxMs));
    const build = join(checkout, 'build');
    const files: Record<string, { hash: string; places: string[] }> = {};
    const inCheckout = mutants.map(mutant => ({ ...mutant, file: join(build, mutant.file) }));
    for (const index of executedIn(folder, inCheckout)) {
      const mutant = mutants[index]!;
      files[mutant.file] ??= { hash: hashOf(join(build, mutant.file)), places: [] };
      files[mutant.file]!.places.push(placeOf(mutant));
    }
    return { test: hashOf(join(build, test)), ms, files };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/**
 * Coverage in a folder, which later runs use as long as the test and the file of the mutant are the same.
 * @param mutants all of the core, not only those that are tried
 */
export const coverageCache = (folder: string, mutants: readonly Mutant[]) => {
  mkdirSync(folder, { recursive: true });
  const pathOf = (test: string): string => join(folder, `${test.replaceAll('/', '~')}on`);
  const kept = new Map<string, Coverage>();
  for (const name of readdirSync(folder))
    kept.set(
      name.replaceAll('~', '/').replace(/on$/, ''),
      JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage,
    );
  const measuredNow = new Map<string, Promise<Coverage>>();

  const measure = async (checkout: string, test: string): Promise<Coverage> => {
    const coverage = await measured(checkout, test, mutants);
    if (coverage.ms === undefined) console.log(`${test} fails without mutants; it is left out`);
    else writeFileSync(pathOf(test), JSON.stringify(coverage));
    kept.set(test, coverage);
    return coverage;
  };
  const isCurrent = (build: string, test: string, file: string): boolean => {
    const coverage = kept.get(test);
    const executed = coverage?.files[file];
    return (
      coverage?.test === hashOf(join(build, test)) &&
      (!executed || executed.hash === hashOf(join(build, file)))
    );
  };
  return {
    /** Time that a test took when it was last measured, if it was. */
    msOf: (test: string): number | undefined => kept.get(test)?.ms,
    /** Whether a test that passes executes the place of a mutant; measures it in a checkout without a mutant. */
    executes: async (checkout: string, test: string, mutant: Mutant): Promise<boolean> => {
      if (!measuredNow.has(test) && !isCurrent(join(checkout, 'build'), test, mutant.file))
        measuredNow.set(test, measure(checkout, test));
      const { ms, files } = (await measuredNow.get(test)) ?? kept.get(test)!;
      return ms !== undefined && files[mutant.file]?.places.includes(placeOf(mutant)) === true;
    },
  };
};
