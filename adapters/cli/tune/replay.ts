import { readFile } from 'node:fs/promises';
import { engine } from '../../../analysis/engine.js';
import { plural } from '../../../application/texts/counted.js';
import { plain } from '../terminal/text.js';
import { bundleText, firstDifference, NoBundle, readBundle, type Bundle } from './bundle.js';
import { dataFacts } from './facts.js';
import type { TuneOptions } from './options.js';
import type { TuneOutput } from './output.js';
import { loadData, tuneOn, type Loaded } from './results.js';

const parts = [
  ['reference', 'reference days'],
  ['recent', 'recent days'],
  ['alerts', 'alerts'],
  ['specialDays', 'special days'],
  ['covariates', 'covariates'],
] as const;

/** The first difference between the data of a bundle and the given data; undefined when they are the same. */
const dataDifference = ({ data }: Bundle, loaded: Loaded): string | undefined => {
  const now = dataFacts(loaded);
  for (const [part, words] of parts) {
    const [recorded, given] = [data[part]?.sha256, now[part]?.sha256];
    if (recorded !== given)
      return `the ${words} differ: the bundle has SHA-256 ${recorded ?? 'none'}, these have ${given ?? 'none'}`;
  }
  return undefined;
};

/** Computes the results of a bundle again and compares every byte. Resolves to the exit code. @throws NoBundle */
export const replay = async (
  { from, bundle: file }: Extract<TuneOptions, { kind: 'replay' }>,
  output: TuneOutput,
): Promise<number> => {
  const recorded = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new NoBundle(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  });
  const bundle = readBundle(recorded);
  const undecided = (why: string): number => {
    output.stderr(`undecided: ${plain(why)}\n`);
    return 3;
  };
  if (bundle.origin.kind !== from.kind) {
    const expected = bundle.origin.kind === 'files' ? 'files' : '--source';
    output.stderr(`--replay: the bundle was made from a ${bundle.origin.kind}, expected ${expected}\n`);
    return 2;
  }
  if (bundle.engine !== engine)
    return undecided(`the bundle belongs to engine ${bundle.engine}, this is ${engine}`);
  const until = bundle.origin.kind === 'store' ? bundle.origin.revisions : undefined;
  const loaded = await loadData(from, bundle.parameters, until);
  const other = dataDifference(bundle, loaded);
  if (other !== undefined) return undecided(other);
  // Names come from the bundle: files may have been renamed, and only their content counts.
  const { name, origin, referenceYear, parameters } = bundle;
  const tuned = await tuneOn({ ...loaded, name, origin, referenceYear }, parameters, output);
  const difference = firstDifference(recorded, bundleText(tuned));
  if (difference !== undefined) {
    output.stderr(`different: ${plain(difference)}\n`);
    return 1;
  }
  output.stdout(`the same to the byte: ${plural(tuned.tried.length, 'setting')}, engine ${engine}\n`);
  return 0;
};
