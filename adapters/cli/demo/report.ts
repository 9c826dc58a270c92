import { dayNumber, weekday, weekdayNames } from '../../../domain/dates.js';
import type { Fault, Import, Model } from './client.js';
import {
  counted,
  curve,
  duration,
  hourAxis,
  level,
  plain,
  plural,
  scaleOf,
  table,
  wrap,
  type Cell,
  type Paint,
} from '../terminal/text.js';

/** How a report is set: its paint, and the characters a line has at most. */
export type Style = { readonly paint: Paint; readonly width: number };

/** What every line of a section begins with. */
export const margin = '  ';
const keys = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+*';

/** The short key of a model, by its place in the list. */
export const keysOf = (models: readonly Model[]): ((modelId: number | null) => string) => {
  const byId = new Map(models.map(({ id }, index) => [id, keys[index] ?? '?']));
  return modelId => (modelId === null ? '–' : (byId.get(modelId) ?? '?'));
};

/** `Tue 2025-09-16`. */
export const dayName = (date: string): string =>
  `${weekdayNames[weekday(dayNumber(date))]?.slice(0, 3)} ${date}`;

/** The first lines of a section, an empty one before them. */
export const titled = (title: string, notes: string, { paint, width }: Style): string[] => [
  '',
  paint.bold(title),
  ...wrap(notes, width).map(line => paint.dim(line)),
  '',
];

/** What an import stored, in words: `52,704 rows, 366 days, 8 samples missing`. */
export const importText = ({ lines, days, missingSamples, filledSamples, duplicates }: Import): string =>
  [
    plural(lines, 'row'),
    plural(days, 'day'),
    missingSamples === 0 ? 'no sample missing' : `${plural(missingSamples, 'sample')} missing`,
    ...(filledSamples > 0 ? [`${counted(filledSamples)} filled`] : []),
    ...(duplicates > 0 ? [`${plural(duplicates, 'duplicate')}`] : []),
  ].join(', ');

/** The models: key, name, reference days and mean level, and beside them the curve of each on one scale. */
export const modelsReport = (models: readonly Model[], style: Style): string[] => {
  const { paint, width } = style;
  const columns = width >= 92 ? 48 : width >= 76 ? 36 : 24;
  const left = width - margin.length - 2 - columns - 2;
  // Many models are told in less space.
  const rows = models.length > 12 ? 1 : 2;
  const scale = scaleOf(models.map(({ activity }) => activity));
  const keyOf = keysOf(models);

  const blocks = models.map(model => {
    const mean = model.activity.reduce((sum, value) => sum + value, 0) / (model.activity.length || 1);
    const facts = [plural(model.days, 'day'), `mean ${level(mean)}`, ...(model.anomaly ? ['anomaly'] : [])];
    const name = wrap(plain(model.name), left - 4);
    const texts = [...name.map(line => ({ line, dim: false })), { line: facts.join(', '), dim: true }];
    const drawn = curve(model.activity, scale, columns, rows);
    const height = Math.max(texts.length, rows);
    return Array.from({ length: height }, (_, row) => {
      const text = texts[row];
      const head =
        row === 0
          ? `${paint.bold(keyOf(model.id))} ${paint.colored ? paint.color('■', model.color) : ' '} `
          : '    ';
      const padded = (text?.line ?? '').padEnd(left - 4);
      const line = drawn[row - height + rows];
      return `${margin}${head}${text?.dim ? paint.dim(padded) : padded}  ${
        line === undefined ? '' : paint.color(line, model.color)
      }`.trimEnd();
    });
  });
  const apart = models.length > 12 ? [] : [''];
  return [
    ...titled(
      `Typical days: ${plural(models.length, 'model')}`,
      `Learned from the reference year alone. Curves from 0 to 24 h on one scale, ${level(scale.low)} to ${level(scale.high)}.`,
      style,
    ),
    ...blocks.flatMap(block => [...block, ...apart]),
    paint.dim(`${' '.repeat(margin.length + left + 2)}${hourAxis(columns)}`),
  ];
};

/** One step of the demo: how long it took, and for an import how many rows it stored. */
export type Timing = { readonly step: string; readonly ms: number; readonly rows?: number };

/** How long each step took, and all together. */
export const timesReport = (timings: readonly Timing[], style: Style): string[] => {
  const rows: Cell[][] = timings.map(({ step, ms, rows }) => [
    step,
    duration(ms),
    ...(rows === undefined ? [] : [plural(rows, 'row'), `${counted(rows / (ms / 1000))} rows/s`]),
  ]);
  const all = timings.reduce((sum, { ms }) => sum + ms, 0);
  const total = { text: 'all together', paint: style.paint.bold };
  return [
    '',
    style.paint.bold('How long it took'),
    '',
    ...table([...rows, [total, { text: duration(all), paint: style.paint.bold }]], 'lrrr').map(
      line => `${margin}${line}`,
    ),
  ];
};

/** Faults that are named at most. */
const faultsShown = 8;

/** The first faults of a refusal, one a line: where, code, and the detail. */
export const faultsReport = (faults: readonly Fault[], width: number): string[] => {
  const lines = faults.slice(0, faultsShown).flatMap(fault => {
    const where = [
      ...(fault.line === undefined ? [] : [`line ${fault.line}`]),
      ...(fault.column === undefined ? [] : [`column ${fault.column}`]),
      ...(fault.pointer === undefined ? [] : [fault.pointer]),
    ].join(', ');
    const text = plain(`${where === '' ? '' : `${where}: `}${fault.detail ?? fault.code ?? ''}`);
    return wrap(text, width - 4).map((line, index) => `${margin}${index === 0 ? '' : margin}${line}`);
  });
  const more = faults.length - faultsShown;
  return more > 0 ? [...lines, `${margin}and ${counted(more)} more`] : lines;
};
