import { shown } from '../../../application/imports/faults.js';
import { dateAdvice, excelExport, orderAdvice, separatorLineAdvice } from './csvAdvice.js';
import { missingValueAdvice } from '../fields.js';
import type { Inspection } from './inspection.js';
import { dateFormats } from '../stampFormats.js';

type Problem = { readonly code: string; readonly detail: string };

const rowsText = (count: number, rows: number): string =>
  `${count} of ${rows} row${rows === 1 ? '' : 's'} ${count === 1 ? 'has' : 'have'}`;

/** Reasons why an import would refuse an inspected file, or may read it in a wrong way. */
export const problemsOf = (seen: Inspection): readonly Problem[] => {
  const { isUtf8, dateFormat, decimal, columns, header, thousands, range, rows, unread } = seen;
  if (seen.notText !== null) return [{ code: 'notText', detail: seen.notText }];
  const problems: Problem[] = [];
  const onDates = dateAdvice(seen);
  const add = (holds: boolean, code: string, detail: string): void => {
    if (holds) problems.push({ code, detail });
  };
  add(!isUtf8, 'notUtf8', `got another encoding, expected UTF-8: ${excelExport}`);
  add(rows === 0, 'csvEmpty', 'got no row of data');
  add(
    rows > 0 && dateFormat === null,
    'noDates',
    `no column has dates of a known format, expected one of ${dateFormats.join(', ')}; ` +
      `the first row has ${columns.map(({ example }) => `"${example}"`).join(', ')}` +
      (onDates === undefined ? '' : `: ${onDates}`),
  );
  add(unread.separatorLine, 'separatorLine', separatorLineAdvice);
  add(unread.dates > 0, 'timestampFormat', `${rowsText(unread.dates, rows)} no date of this format`);
  add(
    unread.values > 0,
    'valueFormat',
    `${rowsText(unread.values, rows)} no number, such as "${shown(unread.value)}"${missingValueAdvice(unread.value)}`,
  );
  add(
    unread.backwards > 0,
    'timeGoesBack',
    `${rowsText(unread.backwards, rows)} an earlier time than the row before: ${orderAdvice(seen)}`,
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

/**
 * Problem of a file with dates after tomorrow, which an import of recent days refuses; empty for others.
 * @param tomorrow latest tomorrow of all clocks: the file does not say in which zone it was written
 */
export const futureProblems = ({ lastDate }: Inspection, tomorrow: string): readonly Problem[] =>
  lastDate === null || lastDate <= tomorrow
    ? []
    : [
        {
          code: 'futureDate',
          detail:
            `the last date is ${lastDate}, after tomorrow: an import of recent days refuses it; ` +
            'correct the year, or the order of day and month, or import with allowFuture=true',
        },
      ];
