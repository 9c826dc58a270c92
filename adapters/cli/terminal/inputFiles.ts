import { nameLengthMax } from '../../../domain/planning/models.js';
import { createReadStream, readFileSync, statSync, type ReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SettingsError } from '../../settings/values.js';
import { plain } from './text.js';

/** A file that cannot be read. The message names it. */
export class Unreadable extends Error {
  readonly name = 'Unreadable';
}

/** Says why a file cannot be read. */
export const unreadableText = (path: string, error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return `${plain(path)} cannot be read: ${code === 'ENOENT' ? 'no such file' : message}`;
};

/**
 * Size of a readable file in bytes; 0 for a pipe. The file is not opened, because that would empty a pipe.
 * @throws Unreadable
 */
export const readableSize = async (path: string): Promise<number> => {
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a folder');
    return found.size;
  } catch (error) {
    throw new Unreadable(unreadableText(path, error));
  }
};

/** The text of a file of at most `bytesMax` bytes that an option names. @throws SettingsError */
export const textOfFile = (path: string, bytesMax: number): string => {
  try {
    if (statSync(path).size <= bytesMax) return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingsError(unreadableText(path, error));
  }
  throw new SettingsError(`${plain(path)}: got more than ${bytesMax} bytes, expected fewer`);
};

/** A file as a stream of its content, unpacked when its name ends in `.gz`. Errors of the file reach the content. */
export const openContent = (
  path: string,
  options: { readonly highWaterMark?: number } = {},
): { readonly file: ReadStream; readonly content: Readable } => {
  const file = createReadStream(path, options);
  // pipeline passes errors on to the reader, so its callback has nothing to do.
  const content = /\.gz$/i.test(path) ? pipeline(file, createGunzip(), () => {}) : file;
  return { file, content };
};

/** A name for a source: the file name without folder and extensions, or `fallback` when nothing is left. */
export const sourceNameOf = (path: string, fallback: string): string =>
  plain(basename(path))
    .replace(/(\.reference)?(\.(csv|json))?(\.gz)?$/i, '')
    .slice(0, nameLengthMax) || fallback;

/** Options on how CSV files are written, and the parameters of the API that they become. */
export const csvOptions = {
  separator: 'separator',
  decimal: 'decimal',
  'date-format': 'dateFormat',
  'date-column': 'dateColumn',
  'value-column': 'valueColumn',
  clock: 'clock',
} as const;

const textOption = { type: 'string' } as const;

/** Options with a text each, for `parsedArguments`. */
export const textOptions = <Names extends object>(names: Names) =>
  Object.fromEntries(Object.keys(names).map(name => [name, textOption])) as Record<
    keyof Names,
    typeof textOption
  >;

/** The parameters of the API that given options become. */
export const parametersIn = (
  names: Readonly<Record<string, string>>,
  values: object,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([option, parameter]) => {
      const value = (values as Readonly<Record<string, unknown>>)[option];
      return typeof value === 'string' ? [[parameter, value]] : [];
    }),
  );

/** Advice of the service on the form of a CSV, `Send it with decimal=.`, as options of a command. */
export const withOptions = (detail: string): string =>
  detail.replace(/Send it with ((?:\w+=\S*?)(?=, or |$))/, (_, query: string) => {
    const options = query.split('&').map(choice => {
      const [name = '', value = ''] = choice.split('=');
      const text = decodeURIComponent(value);
      const option = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
      return `--${option} ${/^[\w.,]+$/.test(text) ? text : `"${text}"`}`;
    });
    return `Read it with ${options.join(' ')}`;
  });
