import { excelExport } from './csvAdvice.js';
import type { Inspection } from './inspectCsv.js';
import { dateFormats } from './stampFormats.js';

type Problem = { readonly code: string; readonly detail: string };

/** Reasons why an import would refuse an inspected file, or may read it in a wrong way. */
export const problemsOf = (seen: Inspection): readonly Problem[] => {
  const { isUtf8, dateFormat, decimal, columns, header, thousands, range, rows } = seen;
  const problems: Problem[] = [];
  const add = (holds: boolean, code: string, detail: string): void => {
    if (holds) problems.push({ code, detail });
  };
  add(!isUtf8, 'notUtf8', `got another encoding, expected UTF-8: ${excelExport}`);
  add(rows === 0, 'csvEmpty', 'got no row of data');
  add(
    rows > 0 && dateFormat === null,
    'noDates',
    `no column has dates of a known format, expected one of ${dateFormats.join(', ')}; ` +
      `the first row has ${columns.map(({ example }) => `"${example}"`).join(', ')}`,
  );
  add(rows > 0 && decimal === null, 'noValues', 'no column besides the dates has numbers');
  add(
    header !== null && header.length < columns.length,
    'columnCount',
    `the header has ${header?.length ?? 0} columns and the first row ${columns.length}: ` +
      'values with the separator in them must be quoted',
  );
  add(
    thousands !== null,
    'thousands',
    `values such as ${thousands ?? ''} are read with a decimal comma, from ${range?.min ?? ''} to ` +
      `${range?.max ?? ''}; if the comma separates thousands, import with decimal=.`,
  );
  return problems;
};
