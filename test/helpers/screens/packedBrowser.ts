import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = 'chromium';

/** Moves a file or folder; one that another process has moved there before stays. */
const moved = (from: string, to: string): void => {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
};

/**
 * Path of the browser of the package, which is unpacked into the folder of temporary files once. Files that start at the
 * same time unpack it each into a folder of its own: the package takes a program that is still being written.
 */
export const packedBrowser = async (): Promise<string> => {
  // The package unpacks the libraries of its browser only in a cloud function.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs20.x';
  // Its settings for libraries and fonts name the shared folder.
  const { default: packed } = await import('@sparticuz/chromium');
  const shared = tmpdir();
  const path = join(shared, program);
  if (existsSync(path)) return path;
  const own = mkdtempSync(join(shared, 'browser-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = own;
  await packed.executablePath();
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  // The program comes last: who sees it has all of it.
  for (const name of readdirSync(own).filter(one => one !== program))
    moved(join(own, name), join(shared, name));
  moved(join(own, program), path);
  rmSync(own, { recursive: true });
  return path;
};
