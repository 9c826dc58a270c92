import { createReadStream, openSync, readSync, closeSync, statSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { apiExportVerifier, type ApiExportFacts } from '../../../auditing/apiExport.js';
import { lineOf } from '../../../auditing/eventBytes.js';
import { plural } from '../../../domain/text.js';
import { openLog } from '../../composition/openLog.js';
import { dataDirOf, eventStoreDbAddress, logFile, readLog } from '../../settings/logAddress.js';
import { SettingsError } from '../../settings/values.js';
import { linesOfFile, type LogFile } from '../../sqlite/readOnly.js';
import { plain } from '../terminal/text.js';

/** A log on the command line. */
export type LogInput =
  { readonly kind: 'sqlite' | 'export'; readonly file: string } | { readonly kind: 'eventstoredb' };

/** Maximum length of an export line: an append has at most 1 MiB, and few characters become longer. */
const lineBytesMax = 8_000_000;

/** Bytes in which an export has a line that begins as it should: the first one may have been changed. */
const headBytes = 1_000_000;

const headOf = (file: string, bytes: number, encoding: BufferEncoding): string => {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(bytes);
    return head.toString(encoding, 0, readSync(descriptor, head, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
};

/** A line of an export, or the beginning of an export that the API made. */
const exportStart =
  /^\{"(?:at":"|partOfLog":)|^\s*\{\s*"(?:events"\s*:\s*\[|position"\s*:)|^position,id,stream,/m;

/** Kind of a file by its content. An empty file is the export of a log without events. @throws SettingsError */
const kindOf = (file: string): 'sqlite' | 'export' => {
  const head = headOf(file, headBytes, 'latin1');
  if (head.startsWith('SQLite format 3')) return 'sqlite';
  if (head === '' || exportStart.test(head)) return 'export';
  throw new SettingsError(
    `${plain(file)}: got ${head.includes('\0') ? 'a file of another program' : 'a text'}, expected a log: a data folder, its events.sqlite, or a file of "daybook export"`,
  );
};

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

/** The log of the settings: in the data folder, or in an EventStoreDB. @throws SettingsError */
const inputOfSettings = (env: NodeJS.ProcessEnv): LogInput => {
  const log = readLog(env, dataDirOf(env));
  switch (log.kind) {
    case 'memory':
      throw new SettingsError('EVENT_STORE: memory has no log on disk');
    case 'eventstoredb':
      return { kind: log.kind };
    case 'sqlite':
      return { kind: log.kind, file: requireFile(log.file) };
  }
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

async function* whole(lines: AsyncIterable<Buffer | string>): AsyncGenerator<LogLine> {
  for await (const line of lines) yield { line, faults: [] };
}

async function* linesOfServer(env: NodeJS.ProcessEnv): AsyncGenerator<string> {
  const store = await openLog(eventStoreDbAddress(env));
  try {
    for await (const event of store.all(0n)) yield lineOf(event);
  } finally {
    await store.close();
  }
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

/** Formats of `GET /v1/audit/event`. */
export type ApiFormat = 'pages' | 'ndjson' | 'csv';

const apiHeadBytes = 4096;
/** Largest file of JSON pages that is read. */
const pagesBytesMax = 500_000_000;

/** The format of an export that the API made; undefined for any other file. */
export const apiFormatOf = (file: string): ApiFormat | undefined => {
  const text = headOf(file, apiHeadBytes, 'utf8');
  if (/^\s*\{\s*"events"\s*:\s*\[/.test(text)) return 'pages';
  if (/^\s*\{\s*"position"\s*:\s*"/.test(text)) return 'ndjson';
  return text.startsWith('position,id,stream,revision,type,') ? 'csv' : undefined;
};

type Page = { readonly events?: unknown; readonly nextCursor?: unknown };

const parsed = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SettingsError(`${plain(file)}: got broken JSON, expected an answer of GET /v1/audit/event`);
  }
};

/** The pages of a file: one, or one a line. */
const pagesOf = (file: string): readonly Page[] => {
  if (statSync(file).size > pagesBytesMax)
    throw new SettingsError(`${plain(file)}: got more than ${pagesBytesMax} bytes, expected smaller pages`);
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const isPageALine = lines.length > 1 && lines.every(line => line.startsWith('{"events":'));
  return (isPageALine ? lines : [text]).map(page => parsed(file, page) as Page);
};

/** Facts of an export of the API; `isOpen` when its last page names a next one. */
export type ApiReport = ApiExportFacts & { readonly isOpen: boolean };

/** Whether events are those of `order=newest`: each is before the one above it. */
const areNewestFirst = (events: readonly unknown[]): boolean => {
  const positions = events.map(event => Number((event as { readonly position?: unknown } | null)?.position));
  return events.length > 1 && positions.every((position, n) => n === 0 || position < (positions[n - 1] ?? 0));
};

/** Reads and checks an export of the API. @throws SettingsError for a file that is not such an export */
export const verifyApiExport = async (file: string, format: 'pages' | 'ndjson'): Promise<ApiReport> => {
  const check = apiExportVerifier();
  if (format === 'ndjson') {
    for await (const line of linesOf(file)) check.take(parsed(file, line.toString()));
    return { ...check.done(), isOpen: false };
  }
  const shown: unknown[] = [];
  let isOpen = false;
  for (const { events, nextCursor } of pagesOf(file)) {
    if (!Array.isArray(events)) throw new SettingsError(`${plain(file)}: got no events in a page`);
    for (const event of events) shown.push(event);
    isOpen = nextCursor !== undefined;
  }
  const isReversed = areNewestFirst(shown);
  for (const event of isReversed ? shown.toReversed() : shown) check.take(event);
  const { findings, ...facts } = check.done();
  const placeOf = (n: number): number => (isReversed ? shown.length + 1 - n : n);
  return { ...facts, findings: findings.map(found => ({ ...found, n: placeOf(found.n) })), isOpen };
};

/** Limits of what an export of the API can prove, and advice. */
const apiLimits = [
  'An export of the API cannot be proved with a checkpoint: it shows the events of one tenant, with names of people in place of their sealed form, and a checkpoint covers the stored events of all tenants.',
  'To prove the whole log: ask the operator for "daybook export" and a checkpoint. To prove one event: GET /v1/audit/proof/inclusion, then daybook verify --proof.',
] as const;

/** Result of an API export in sentences: checked and uncheckable parts. */
export const apiReportText = (report: ApiReport): string => {
  const { events, streams, first, last, checked, named, detached, withoutHash, findings } = report;
  const { missingRevisions, missingPositions, findingCount, isOpen } = report;
  const some = (count: number, sentence: string): string[] => (count > 0 ? [sentence] : []);
  return [
    `This is an export of the API (GET /v1/audit/event): ${plural(events, 'event')} in ${plural(streams, 'stream')}, positions ${first ?? 'none'} to ${last ?? 'none'}.`,
    `${plural(checked, 'event')} fit to the event before them in their stream by their hash.`,
    ...some(
      named,
      `${plural(named, 'event')} of people cannot be checked: the hash covers the sealed name, the API shows the readable one.`,
    ),
    ...some(
      detached,
      `${plural(detached, 'event')} cannot be checked: the event before them in their stream is not in the file.`,
    ),
    ...some(withoutHash, `${plural(withoutHash, 'event')} have no hash.`),
    ...some(
      missingRevisions,
      `${plural(missingRevisions, 'revision')} of these streams are not in the file: left out by the query, or removed. The file does not tell which.`,
    ),
    ...some(
      Number(missingPositions),
      `${missingPositions} positions between the first and the last are not in the file. On the embedded store each is an event of another tenant, another source or another type, or a removed one; on EventStoreDB positions are not consecutive.`,
    ),
    ...(isOpen ? ['More events follow: the last page has a nextCursor.'] : []),
    ...findings.slice(0, 20).map(({ n, detail }) => `event ${n} of the file: ${plain(detail)}`),
    ...apiLimits,
    findingCount > 0
      ? `Verdict: ${plural(findingCount, 'problem')} found.`
      : 'Verdict: no problem was found, but not proved: an export of the API cannot be proved.',
    '',
  ].join('\n');
};

/** Result of an API export as one line of JSON. */
export const apiReportJson = (report: ApiReport): string =>
  `${JSON.stringify({
    clean: false,
    kind: 'apiExport',
    verdict: report.findingCount > 0 ? 'found' : 'unproved',
    reasons: [{ code: 'apiExport', detail: apiLimits[0], cure: apiLimits[1] }],
    ...report,
  })}\n`;
