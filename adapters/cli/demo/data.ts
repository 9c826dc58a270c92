import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readableSize, sourceNameOf } from '../terminal/inputFile.js';
import { csvLines, makeYear, type VisitorCount } from './makeYear.js';
import type { Planted } from './plantedDays.js';

/** A file with its size in bytes. */
type File = { readonly path: string; readonly bytes: number };

/** The files of a demo. */
export type Data = {
  /** Name of the source. */
  readonly name: string;
  readonly reference: File;
  readonly recent: File;
  /** Only in made-up data: the unusual days. */
  readonly planted?: readonly Planted[];
};

const fileOf = async (path: string): Promise<File> => ({ path, bytes: await readableSize(path) });

/** The user's own files. @throws Unreadable */
export const userData = async ([reference, recent]: readonly [string, string]): Promise<Data> => ({
  name: sourceNameOf(reference, 'demo'),
  reference: await fileOf(reference),
  recent: await fileOf(recent),
});

/** Made-up data, written to `folder`. */
export const madeUpData = async (seed: number, folder: string): Promise<Data> => {
  const { reference, recent, planted } = makeYear(seed);
  const write = async (name: string, samples: readonly VisitorCount[]): Promise<File> => {
    const path = join(folder, name);
    await pipeline(Readable.from(csvLines(samples)), createWriteStream(path));
    return fileOf(path);
  };
  return {
    name: 'Market hall',
    reference: await write('reference.csv', reference),
    recent: await write('recent.csv', recent),
    planted,
  };
};
