import { CsvError, parse } from 'csv-parse/sync';
import type { InputFault } from '../../application/requests/imports/faults.js';
import { eventLoopYielder } from '../../application/ports/sharing/turns.js';
import { chunksOf } from '../bytes.js';
import { plainRowReader, type PlainForm, type PlainRows } from './plainRows.js';

/** A kind of file that is not text: its first bytes, its name, and how to get text from it. */
type ForeignFile = { readonly magic: readonly number[]; readonly got: string; readonly advice: string };

const foreignFiles: readonly ForeignFile[] = [
  { magic: [0x1f, 0x8b], got: 'a gzip file', advice: 'unpack it first, with gunzip' },
  {
    magic: [0x50, 0x4b, 0x03, 0x04],
    got: 'an Excel workbook or another zip file',
    advice: 'unpack it, or save the sheet as "CSV UTF-8"',
  },
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    got: 'an Excel workbook',
    advice: 'save the sheet as "CSV UTF-8"',
  },
];

/** First bytes of Parquet: "PAR1", which may also begin the header of a CSV. */
const parquet: ForeignFile = {
  magic: [0x50, 0x41, 0x52, 0x31],
  got: 'a Parquet file',
  advice: 'write it as CSV',
};
/** Bytes in which Parquet has a control character below the tab; the header of a CSV has none. */
const controlWithin = 16;

const beginsWith = (head: Buffer, { magic }: ForeignFile): boolean =>
  magic.every((byte, index) => head[index] === byte);

const isParquet = (head: Buffer): boolean =>
  beginsWith(head, parquet) && head.subarray(0, controlWithin).some(byte => byte < 0x09);

/** The fault of a file that is not text, by its first bytes, with advice; undefined for text. */
export const foreignFile = (head: Buffer): string | undefined => {
  const file = isParquet(head) ? parquet : foreignFiles.find(each => beginsWith(head, each));
  return file && `got ${file.got}, expected text in UTF-8: ${file.advice}`;
};

/** Whether text begins with a byte order mark of UTF-16; UTF-8 never begins with these bytes. */
const hasUtf16Mark = ([first]: Uint8Array): boolean => first === 0xff || first === 0xfe;

/** Whether text begins like UTF-16: with its byte order mark, or with a character of two bytes of which one is 0. */
export const isUtf16 = (head: Uint8Array): boolean => hasUtf16Mark(head) || head[0] === 0 || head[1] === 0;

/** Limits of a CSV body. */
export type CsvLimits = {
  readonly bytesMax: number;
  /** Bytes of one row, without its line end. */
  readonly lineBytesMax: number;
};
export const csvLimits: CsvLimits = { bytesMax: 1_500_000_000, lineBytesMax: 4096 };

/** Receives the rows of a body, in order, each with the physical line of its beginning (from 1). */
export type RowTaker = {
  /** Called with each chunk of the body before its rows. */
  readonly onChunk?: (chunk: Buffer) => void;
  readonly separator: string;
  /** The form of plain rows; undefined when every row goes to `onRow`. */
  readonly plain: PlainForm | undefined;
  /** Called with the fields of a row, any number of them. `false` ends the reading. */
  readonly onRow: (fields: readonly string[], line: number) => boolean;
  /** Called with plain rows, one a line. Returns how many were taken; the next one comes to `onRow`. */
  readonly onPlainRows: (rows: PlainRows, line: number) => number;
};

const newline = 0x0a;
const noBytes = Buffer.alloc(0);

/** Number of line breaks inside the quotes of a row. */
const newlinesIn = (fields: readonly string[]): number => {
  let count = 0;
  for (const field of fields)
    for (let at = field.indexOf('\n'); at >= 0; at = field.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** Index after the first `count` lines, or after the last line if there are fewer. */
const afterLines = (bytes: Buffer, count: number): number => {
  let at = 0;
  for (let lines = 0; lines < count && at < bytes.length; lines += 1)
    at = bytes.indexOf(newline, at) + 1 || bytes.length;
  return at;
};

/** Lines that csv-parse reads before other requests may use the event loop: a chunk may have 65,536 of them. */
const turnLines = 1000;

const notClosed = 'CSV_QUOTE_NOT_CLOSED';

/** The fault for an error of csv-parse. Unknown errors are thrown. */
const brokenRow = (error: CsvError, line: number): InputFault => {
  const column = typeof error['column'] === 'number' ? { column: error['column'] + 1 } : {};
  switch (error.code) {
    case notClosed:
      return {
        code: 'quoteNotClosed',
        detail: 'a quote opened in this row is never closed',
        line,
        ...column,
      };
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return {
        code: 'bareQuote',
        detail: 'got a quote inside a field, expected it doubled in a quoted field',
        line,
        ...column,
      };
    default:
      throw error;
  }
};

/** How csv-parse reads bytes: the separator, and whether to skip a byte order mark of UTF-8. */
type Parsing = { readonly separator: string; readonly bom: boolean };

/**
 * Reads bytes by csv-parse: quotes `"`, LF or CRLF; a row may have any number of fields.
 * @param onRow called with the fields of a row and the number of bytes up to its end, line end included
 * @returns     the error of csv-parse; unless its code is `notClosed`, it is in the row after the last one
 * @throws Error of `onRow`
 */
const parseRows = (
  bytes: Buffer,
  { separator, bom }: Parsing,
  onRow: (fields: readonly string[], end: number) => void,
): CsvError | undefined => {
  try {
    parse(bytes, {
      delimiter: separator,
      record_delimiter: ['\r\n', '\n'],
      bom,
      relax_column_count: true,
      on_record: (fields, { bytes: end }) => {
        onRow(fields as unknown as readonly string[], end);
        return null;
      },
    });
    return undefined;
  } catch (error) {
    if (error instanceof CsvError) return error;
    throw error;
  }
};

/** The fault of a body that is no text in UTF-8, from its first chunk. */
const noText = (chunk: Buffer): InputFault | undefined => {
  const foreign = foreignFile(chunk);
  if (foreign !== undefined) return { code: 'notText', detail: foreign, line: 1, column: 1 };
  // csv-parse would change the encoding.
  return hasUtf16Mark(chunk)
    ? { code: 'notUtf8', detail: 'got another encoding, expected text in UTF-8', line: 1, column: 1 }
    : undefined;
};

/** The fault of a row that is too long, from its beginning. */
const tooLong = (beginning: Buffer, line: number, separator: string): InputFault => {
  const error = parseRows(beginning, { separator, bom: line === 1 }, () => undefined);
  return error && error.code !== notClosed
    ? brokenRow(error, line)
    : {
        code: 'lineTooLong',
        detail: 'expected one row a line, as date;value: this row does not end',
        line,
      };
};

/**
 * Reads a CSV body as rows, in order and in constant memory. Plain rows are read from their bytes. From the first row
 * that is not plain, or that the taker refuses, csv-parse reads on to the end of the chunk. Rows and faults are the
 * same as if csv-parse had read them all.
 * @returns the fault that ended the reading, or `undefined`
 * @throws TooLarge; errors of the stream and of the taker
 */
export const readRows = async (
  body: AsyncIterable<Buffer>,
  { bytesMax, lineBytesMax }: CsvLimits,
  { onChunk, separator, plain: form, onRow, onPlainRows }: RowTaker,
): Promise<InputFault | undefined> => {
  const readPlainRows = form && plainRowReader(form);
  let line = 1;
  let reading = true;
  let fault: InputFault | undefined;

  const end = (by?: InputFault): void => {
    reading = false;
    fault = by;
  };
  /** Reads complete rows by csv-parse. Returns the index after the last one. */
  const readWhole = (bytes: Buffer): number => {
    let read = 0;
    const error = parseRows(bytes, { separator, bom: line === 1 }, (fields, to) => {
      if (!reading) return;
      if (to - read - 1 > lineBytesMax)
        end(tooLong(bytes.subarray(read, read + lineBytesMax), line, separator));
      else if (!onRow(fields, line)) end();
      line += 1 + newlinesIn(fields);
      read = to;
    });
    if (!reading || !error) return read;
    const row = bytes.subarray(read);
    if (row.length > lineBytesMax) end(tooLong(row.subarray(0, lineBytesMax), line, separator));
    else if (error.code !== notClosed) end(brokenRow(error, line));
    return read;
  };

  const yieldToEventLoop = eventLoopYielder();
  /** Reads complete rows by csv-parse, in turns. Returns the index after the last one. */
  const readInTurns = async (bytes: Buffer): Promise<number> => {
    let read = 0;
    while (reading && read < bytes.length) {
      const left = bytes.subarray(read);
      // A row whose quotes hold that many lines needs more of them.
      const taken = readWhole(left.subarray(0, afterLines(left, turnLines))) || readWhole(left);
      if (taken === 0) break;
      read += taken;
      await yieldToEventLoop();
    }
    return read;
  };

  /** Reads complete rows, plain ones first. Returns the index after the last one. */
  const readEnded = (bytes: Buffer): number | Promise<number> => {
    let read = 0;
    if (readPlainRows) {
      const plain = readPlainRows(bytes);
      const taken = onPlainRows(plain, line);
      line += taken;
      read = taken === plain.count ? plain.end : afterLines(bytes, taken);
    }
    const ended = bytes.lastIndexOf(newline) + 1;
    if (read >= ended) return read;
    return readInTurns(bytes.subarray(read, ended)).then(further => read + further);
  };

  let rest: Buffer = noBytes;
  for await (const chunk of chunksOf(body, bytesMax)) {
    onChunk?.(chunk);
    const foreign = line === 1 && rest.length === 0 ? noText(chunk) : undefined;
    if (foreign) return foreign;
    // The header is read by itself, so csv-parse does not read the first chunk. Only a row that is cut is copied.
    const isAlone = line === 1 || rest.length > 0;
    const first = isAlone ? chunk.indexOf(newline) + 1 || chunk.length : 0;
    for (const part of [chunk.subarray(0, first), chunk.subarray(first)]) {
      const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
      rest = bytes.subarray(await readEnded(bytes));
      if (!reading) return fault;
      if (rest.length > lineBytesMax) return tooLong(rest.subarray(0, lineBytesMax), line, separator);
    }
  }
  if (rest.length === 0) return undefined;
  const error = parseRows(rest, { separator, bom: line === 1 }, fields => onRow(fields, line));
  return error && brokenRow(error, line);
};
