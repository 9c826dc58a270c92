import type { DataTable, RowGroups } from '../../application/tables/table.js';
import type { TableFormat } from './formats.js';
import { jsonTable, textChunks } from './textTable.js';

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
