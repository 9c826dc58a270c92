import { createWriteStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Unreadable } from './client.js';
import { csvLines, makeYear, type Planted, type Sample } from './makeYear.js';
import { plain } from '../terminal/text.js';

/** The two files of a story, with their sizes in bytes; `planted` where they are made up. */
export type Data = {
  readonly name: string;
  readonly reference: { readonly path: string; readonly bytes: number };
  readonly recent: { readonly path: string; readonly bytes: number };
  readonly planted?: readonly Planted[];
};

/** Bytes of a file that can be read; of a pipe 0. It is not opened, which would empty a pipe. @throws Unreadable */
const bytesOf = async (path: string): Promise<number> => {
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a folder');
    return found.size;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Unreadable(`${path} cannot be read: ${code === 'ENOENT' ? 'no such file' : message}`);
  }
};

/** The user's own files. @throws Unreadable */
export const given = async ([reference, recent]: readonly [string, string]): Promise<Data> => ({
  // The service takes names of 1 to 100 characters.
  name:
    plain(basename(reference))
      .replace(/(\.reference)?(\.csv)?(\.gz)?$/i, '')
      .slice(0, 100) || 'demo',
  reference: { path: reference, bytes: await bytesOf(reference) },
  recent: { path: recent, bytes: await bytesOf(recent) },
});

/** A made-up year and the months after it, written to `folder`. */
export const madeUp = async (seed: number, folder: string): Promise<Data> => {
  const { reference, recent, planted } = makeYear(seed);
  const write = async (file: string, samples: readonly Sample[]) => {
    const path = join(folder, file);
    await pipeline(Readable.from(csvLines(samples)), createWriteStream(path));
    return { path, bytes: await bytesOf(path) };
  };
  return {
    name: 'Market hall',
    reference: await write('reference.csv', reference),
    recent: await write('recent.csv', recent),
    planted,
  };
};
