import { createReadStream, openSync, readSync, closeSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lineOf, type Exported } from '../../../auditing/exportLine.js';
import { openLog } from '../../composition/openLog.js';
import { SettingsError } from '../../settings/values.js';
import { dataDirOf, eventStoreDbAddress, logFile, readLog } from '../../settings/logAddress.js';
import { linesOfFile, type LogFile } from '../../sqlite/readOnly.js';
import { plain } from '../terminal/text.js';

/** A log on the command line. */
export type LogInput =
  { readonly kind: 'sqlite' | 'export'; readonly file: string } | { readonly kind: 'eventstoredb' };

/** Maximum length of an export line: an append has at most 1 MiB, and few characters become longer. */
const lineBytesMax = 8_000_000;

/** Bytes in which an export has a line that begins as it should: the first one may have been changed. */
const headBytes = 1_000_000;

const headOf = (file: string): string => {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    return head.toString('latin1', 0, readSync(descriptor, head, 0, headBytes, 0));
  } finally {
    closeSync(descriptor);
  }
};

/** A line of an export, or the beginning of an export that the API made. */
const exportStart =
  /^\{"(?:at":"|partOfLog":)|^\s*\{\s*"(?:events"\s*:\s*\[|position"\s*:)|^position,id,stream,/m;

/** Kind of a file by its content. An empty file is the export of a log without events. @throws SettingsError */
const kindOf = (file: string): 'sqlite' | 'export' => {
  const head = headOf(file);
  if (head.startsWith('SQLite format 3')) return 'sqlite';
  if (head === '' || exportStart.test(head)) return 'export';
  throw new SettingsError(
    `${plain(file)}: got ${head.includes('\0') ? 'a file of another program' : 'a text'}, expected a log: a data folder, its events.sqlite, or a file of "daybook export"`,
  );
};

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

/** The log of the settings: in the data folder, or in an EventStoreDB. @throws SettingsError */
const inputOfSettings = (env: NodeJS.ProcessEnv): LogInput => {
  if (env['EVENT_STORE'] === 'eventstoredb') return { kind: 'eventstoredb' };
  return { kind: 'sqlite', file: requireFile(join(dataDirOf(env), logFile)) };
};

/** The log file of the data folder. @throws SettingsError when there is none */
const requireFile = (file: string): string => {
  if (!exists(file)) throw new SettingsError(`DATA_DIR: there is no log ${plain(file)}`);
  return file;
};

/**
 * Log of the option `--log`: an export, a data folder, its file, or `eventstoredb`; that of the settings without it.
 * @throws SettingsError
 */
export const inputOf = (text: string | undefined, env: NodeJS.ProcessEnv): LogInput => {
  if (text === undefined) return inputOfSettings(env);
  if (text === 'eventstoredb') return { kind: 'eventstoredb' };
  const path = resolve(text);
  const found = statSync(path, { throwIfNoEntry: false });
  const isFolder = found?.isDirectory() === true;
  const file = isFolder ? join(path, logFile) : path;
  if (!exists(file)) throw new SettingsError(`there is no log ${plain(file)}`);
  return { kind: isFolder ? 'sqlite' : kindOf(file), file };
};

/**
 * Refuses wrong settings of the log, and a file of the log that does not exist: a mistyped folder must not become an
 * empty log.
 * @throws SettingsError
 */
export const requireLog = (env: NodeJS.ProcessEnv): void => {
  const log = readLog(env, dataDirOf(env));
  if (log.kind === 'sqlite') requireFile(log.file);
};

/**
 * Streams the lines of a file, without line ends.
 * @throws SettingsError for a line that is too long for an export
 */
export async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let begun = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begun)) {
      const part = chunk.subarray(begun, end);
      yield rest.length === 0 ? part : Buffer.concat([rest, part]);
      rest = Buffer.alloc(0);
      begun = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(begun)]);
    if (rest.length > lineBytesMax)
      throw new SettingsError(
        `${plain(file)}: got a line of more than ${lineBytesMax} bytes, expected an export`,
      );
  }
  if (rest.length > 0) yield rest;
}

async function* eventsOfServer(env: NodeJS.ProcessEnv): AsyncGenerator<Exported> {
  const store = await openLog(eventStoreDbAddress(env));
  try {
    yield* store.all(0n);
  } finally {
    await store.close();
  }
}

async function* whole(lines: AsyncIterable<Buffer | string>): AsyncGenerator<LogLine> {
  for await (const line of lines) yield { line, faults: [] };
}

async function* linesOfServer(env: NodeJS.ProcessEnv): AsyncGenerator<string> {
  for await (const event of eventsOfServer(env)) yield lineOf(event);
}

/** An export line, and the faults of how the log stores it, as messages. */
export type LogLine = { readonly line: Buffer | string; readonly faults: readonly string[] };

/**
 * The export lines of a log in order, each with the faults of its store.
 * @param found  called with findings about the file as a whole
 */
export const logLines = (
  input: LogInput,
  env: NodeJS.ProcessEnv,
  found?: (file: LogFile) => void,
): AsyncGenerator<LogLine> => {
  switch (input.kind) {
    case 'export':
      return whole(linesOf(input.file));
    case 'eventstoredb':
      return whole(linesOfServer(env));
    case 'sqlite':
      return linesOfFile(input.file, found);
  }
};

/** The export lines of a log in order. */
export async function* exportOf(input: LogInput, env: NodeJS.ProcessEnv): AsyncGenerator<Buffer | string> {
  for await (const { line } of logLines(input, env)) yield line;
}
