import { table, type Cell, duration, plain, wrap, margin, type Style } from '../terminal/text.js';
import { counted, plural } from '../../../domain/text.js';
import type { Fault } from '../../../client/index.js';
import type { Import } from './client.js';

/** Longest list of faults, and of warnings. */
const faultsShown = 8;
const warningsShown = 4;

/** Summary of an import: `52,704 rows, 366 days, 8 samples missing`. */
export const importText = ({ lines, days, missingSamples, filledSamples, duplicates }: Import): string =>
  [
    plural(lines, 'row'),
    plural(days, 'day'),
    missingSamples === 0 ? 'no sample missing' : `${plural(missingSamples, 'sample')} missing`,
    ...(filledSamples > 0 ? [`${counted(filledSamples)} filled`] : []),
    ...(duplicates > 0 ? [`${plural(duplicates, 'duplicate')}`] : []),
  ].join(', ');

/** A text after a head; its further lines begin below its first one. */
const hanging = (head: string, text: string, width: number): string[] =>
  wrap(text, width - head.length).map(
    (line, index) => `${index === 0 ? head : ' '.repeat(head.length)}${line}`,
  );

/** Summaries of both imports and their first warnings. */
export const importsReport = (reference: Import, recent: Import, { width }: Style): string[] => [
  '',
  ...hanging(`${margin}reference  `, importText(reference), width),
  ...hanging(`${margin}recent     `, importText(recent), width),
  ...[...reference.warnings, ...recent.warnings]
    .slice(0, warningsShown)
    .flatMap(({ detail }) => wrap(plain(`note: ${detail}`), width - margin.length))
    .map(line => `${margin}${line}`),
];

/** The first faults of a refused file: place and detail, or the code where there is no detail. */
export const faultsReport = (faults: readonly Fault[], width: number): string[] => {
  const lines = faults.slice(0, faultsShown).flatMap(fault => {
    const place = [
      ...(fault.line === undefined ? [] : [`line ${fault.line}`]),
      ...(fault.column === undefined ? [] : [`column ${fault.column}`]),
      ...(fault.pointer === undefined ? [] : [fault.pointer]),
    ].join(', ');
    const text = plain(`${place === '' ? '' : `${place}: `}${fault.detail}`);
    return wrap(text, width - 4).map((line, index) => `${margin}${index === 0 ? '' : margin}${line}`);
  });
  const more = faults.length - faultsShown;
  return more > 0 ? [...lines, `${margin}and ${counted(more)} more`] : lines;
};

/** Duration of one step, and the number of rows that an import stored. */
export type Timing = { readonly step: string; readonly ms: number; readonly rows?: number };

/** Durations of all steps and their total; rows and their rate only where there is room. */
export const timesReport = (timings: readonly Timing[], { paint, width }: Style): string[] => {
  const rows: Cell[][] = timings.map(({ step, ms, rows }) => [
    step,
    duration(ms),
    ...(rows === undefined ? [] : [plural(rows, 'row'), `${counted(rows / (ms / 1000))} rows/s`]),
  ]);
  const total = ['total', duration(timings.reduce((sum, { ms }) => sum + ms, 0))];
  const totalRow = total.map(text => ({ text, paint: paint.bold }));
  const lines = table(rows, 'lrrr');
  const isNarrow = lines.some(line => margin.length + line.length > width);
  const shown = isNarrow ? rows.map(row => row.slice(0, 2)) : rows;
  return [
    '',
    paint.bold('How long it took'),
    '',
    ...table([...shown, totalRow], isNarrow ? 'lr' : 'lrrr').map(line => `${margin}${line}`),
  ];
};
