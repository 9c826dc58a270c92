import { CsvError, parse } from 'csv-parse';
import type { InputFault } from '../faults.js';
import { piecesOf } from '../pieces.js';

/** What a CSV body may have at most. */
export type CsvLimits = {
  readonly bytesMax: number;
  /** Of one physical line, and of one row. */
  readonly lineBytesMax: number;
};
export const csvLimits: CsvLimits = { bytesMax: 1_500_000_000, lineBytesMax: 4096 };

const newline = 0x0a;

/** Line breaks inside quotes, which a row spans beyond its own. */
const newlinesIn = (fields: readonly string[]): number => {
  let count = 0;
  for (const field of fields)
    for (let at = field.indexOf('\n'); at >= 0; at = field.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** Finds lines over a limit in a body that comes in pieces. */
const lineGuard = (lineBytesMax: number): ((piece: Buffer) => number | undefined) => {
  // Where the line that is being read begins, counted from the piece's first byte: negative in a piece before.
  let start = 0;
  /** Where in the piece the first line over the limit begins (0 at least), or `undefined`. */
  return piece => {
    while (piece.length - start > lineBytesMax) {
      const end = piece.lastIndexOf(newline, start + lineBytesMax);
      if (end < Math.max(start, 0)) return Math.max(start, 0);
      start = end + 1;
    }
    const end = piece.lastIndexOf(newline);
    start = (end < 0 ? start : end + 1) - piece.length;
    return undefined;
  };
};

/** The answer to what csv-parse cannot go on after; anything else it may throw is a bug. */
const brokenRow = (error: unknown, line: number): InputFault => {
  if (!(error instanceof CsvError)) throw error;
  const column = typeof error['column'] === 'number' ? { column: error['column'] + 1 } : {};
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
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
    case 'CSV_MAX_RECORD_SIZE':
      return lineTooLong(line);
    default:
      throw error;
  }
};
const lineTooLong = (line: number): InputFault => ({
  code: 'lineTooLong',
  detail: 'expected date;value, a row a line: this row does not end',
  line,
});

/**
 * Reads a CSV body as rows, in order and in constant memory. This is the reference reader: separator `;`,
 * quotes `"`, LF or CRLF, a UTF-8 byte order mark passed over; a row may have any number of fields.
 * @param onRow  is given a row's fields and the physical line it begins on (from 1); `false` ends the reading
 * @returns      the fault after which the rest could not be read, or `undefined`
 * @throws TooLarge; Error of the stream, or of `onRow`
 */
export const readRows = async (
  body: AsyncIterable<Buffer>,
  limits: CsvLimits,
  onRow: (fields: readonly string[], line: number) => boolean,
): Promise<InputFault | undefined> => {
  const parser = parse({
    delimiter: ';',
    record_delimiter: ['\r\n', '\n'],
    bom: true,
    relax_column_count: true,
    max_record_size: limits.lineBytesMax,
  });
  const tooLongFrom = lineGuard(limits.lineBytesMax);
  let line = 1;
  let reading = true;
  let failure: { readonly error: unknown } | undefined;
  let mistake: { readonly error: unknown } | undefined;
  const take = (fields: readonly string[]): void => {
    if (!reading) return;
    const at = line;
    line += 1 + newlinesIn(fields);
    // Thrown inside the stream's own turn it would end the process; it is thrown below instead.
    try {
      reading = onRow(fields, at);
    } catch (error) {
      mistake = { error };
      reading = false;
    }
  };
  parser.on('data', take);
  parser.on('error', error => {
    failure = { error };
  });
  const closed = new Promise<void>(resolve => parser.once('close', resolve));
  // One piece at a time, and all its rows before the next: so no row before a fault is lost with the parser.
  const write = (piece: Buffer): Promise<void> =>
    new Promise(resolve => {
      parser.write(piece, () => {
        resolve();
      });
    });

  try {
    let first = true;
    for await (const piece of piecesOf(body, limits.bytesMax)) {
      // The byte order marks of UTF-16, which csv-parse would follow; no text in UTF-8 begins with them.
      if (first && (piece[0] === 0xff || piece[0] === 0xfe))
        return {
          code: 'notUtf8',
          detail: 'got another encoding, expected text in UTF-8',
          line: 1,
          column: 1,
        };
      first = false;
      // csv-parse counts the letters of a row, not its separators: `;;;;…` would go on for ever.
      const tooLong = tooLongFrom(piece);
      // Beyond the fault only as much as makes the parser, which looks ahead, give the rows before it.
      await write(tooLong === undefined ? piece : piece.subarray(0, tooLong + limits.lineBytesMax));
      if (mistake) throw mistake.error;
      if (!reading) return undefined;
      if (failure) return brokenRow(failure.error, line);
      if (tooLong !== undefined) return lineTooLong(line);
    }
    parser.end();
    await closed;
    if (mistake) throw mistake.error;
    return reading && failure ? brokenRow(failure.error, line) : undefined;
  } finally {
    parser.destroy();
  }
};
