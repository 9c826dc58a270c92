/** A cell of a table. `paint` is applied after padding, so that colours do not change the width. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

const textOf = (cell: Cell | undefined): string =>
  cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text;

/**
 * Rows as aligned lines with two spaces between columns. A column is as wide as its widest cell.
 * @param align one letter a column: `r` for right, `l` for left
 * @returns     lines without trailing spaces
 */
export const table = (rows: readonly (readonly Cell[])[], align: string): string[] => {
  const widths = [...align].map((_, column) => Math.max(...rows.map(row => textOf(row[column]).length)));
  return rows.map(row => {
    const last = row.findLastIndex(cell => textOf(cell) !== '');
    const padded = (cell: Cell, column: number): string => {
      const text = textOf(cell);
      const width = widths[column] ?? 0;
      const aligned =
        align[column] === 'r' ? text.padStart(width) : column === last ? text : text.padEnd(width);
      return typeof cell === 'string' ? aligned : cell.paint(aligned);
    };
    return row
      .slice(0, last + 1)
      .map(padded)
      .join('  ');
  });
};
