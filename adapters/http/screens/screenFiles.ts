import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** A built file in memory, as it is and compressed. */
export type ScreenFile = {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
};

/** The built files by their path, which begins with `/`. */
export type ScreenFiles = ReadonlyMap<string, ScreenFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.csv': 'text/csv; charset=utf-8',
};

const compressedCopy = (path: string): Buffer | undefined =>
  existsSync(path) ? readFileSync(path) : undefined;

/**
 * Reads the files of a build. Requests look paths up in this map, so no path reaches the disk.
 * @returns an empty map for a folder that does not exist: the screens were not built
 */
export const readScreenFiles = (folder: string): ScreenFiles => {
  if (!existsSync(folder)) return new Map();
  const files = new Map<string, ScreenFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const br = compressedCopy(`${path}.br`);
    const gzip = compressedCopy(`${path}.gz`);
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const file = { type, etag, bytes, ...(br && { br }), ...(gzip && { gzip }) };
    files.set(`/${relative(folder, path).split(sep).join('/')}`, file);
  }
  return files;
};
