import type { DataTable, RowGroups, Value } from '../application/requests/dataTables.js';

/** Media types of the formats of tables. */
export const tableMedia = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
/** Formats of an export; answers can be JSON, too. */
export const tableFormats = ['csv', 'ndjson', 'arrow'] as const;
export const answerFormats = ['json', ...tableFormats] as const;
export type TableFormat = (typeof answerFormats)[number];

/** First characters from which a spreadsheet reads a formula, also as full-width forms. */
const formulaStart = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A field of CSV (RFC 4180); empty for null; quoted also for a semicolon, the separator of many spreadsheets. A text
 * that a spreadsheet would run as a formula gets an apostrophe before it (OWASP, CSV injection); numbers never do.
 */
export const csvField = (value: Value): string => {
  const isFormula = typeof value === 'string' && formulaStart.test(value);
  const text = value === null ? '' : `${isFormula ? "'" : ''}${value}`;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Returns a function that writes a row as a line, and the first line, if the format has one. */
export const rowWriter = (
  { columns }: Pick<DataTable, 'columns'>,
  format: 'csv' | 'ndjson',
): { readonly head: readonly string[]; readonly line: (row: readonly Value[]) => string } => {
  const names = Object.keys(columns);
  return format === 'csv'
    ? { head: [names.join()], line: row => row.map(csvField).join() }
    : { head: [], line: row => JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]]))) };
};

/** A table as lines of text, one chunk for each group of rows. An error of the first group comes before any text. */
async function* textChunks(
  table: Pick<DataTable, 'columns'>,
  format: 'csv' | 'ndjson',
  groups: RowGroups,
): AsyncGenerator<string> {
  const { head, line } = rowWriter(table, format);
  let begin = head;
  for await (const rows of groups) {
    yield [...begin, ...rows.map(line), ''].join('\n');
    begin = [];
  }
  if (begin.length > 0) yield `${begin.join('\n')}\n`;
}

/** A table as JSON, one chunk for each group of rows: `{columns: [{name, kind}], rows}`. */
async function* jsonTable(
  { columns }: Pick<DataTable, 'columns'>,
  groups: RowGroups,
): AsyncGenerator<string> {
  const named = Object.entries(columns).map(([name, kind]) => ({ name, kind }));
  let before = `{"columns":${JSON.stringify(named)},"rows":[`;
  for await (const rows of groups) {
    yield before + rows.map(row => JSON.stringify(row)).join();
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

/** A table in a format. The library of Arrow is loaded at its first use: few processes need it. */
export async function* tableBytes(
  table: Pick<DataTable, 'columns'>,
  format: TableFormat,
  groups: RowGroups,
): AsyncGenerator<string | Uint8Array> {
  if (format === 'json') yield* jsonTable(table, groups);
  else if (format !== 'arrow') yield* textChunks(table, format, groups);
  else yield* (await import('./arrowTable.js')).arrowChunks(table, groups);
}
