import { modelKeys } from '../terminal/labels.js';
import { hourAxis, profileChart, rangeOf, type ValueRange } from '../terminal/profileChart.js';
import { plural } from '../../../application/texts/counted.js';
import { plain, valueText, wrap } from '../terminal/text.js';
import type { Model } from './answers.js';
import { margin, sectionHead, type Style } from './section.js';

/** Models up to which each one gets two lines and an empty line after it. */
const spaciousModelsMax = 12;

/** Columns of the charts, in a report of so many columns. */
const chartColumns = (width: number): number => (width >= 92 ? 48 : width >= 76 ? 36 : 24);

/** Below this width a chart is under the name of its model. */
const nextToNameMin = 60;

/** Columns before a name: the key, and a square in the colour of the model. */
const keyColumns = 4;

/** Where a model is drawn. */
type Layout = {
  readonly range: ValueRange;
  /** Columns left of the chart. */
  readonly left: number;
  readonly columns: number;
  readonly rows: number;
  /** Whether the chart is under the texts. */
  readonly isStacked: boolean;
};

/** The lines of one model: name and facts on the left, the chart on the right. */
const modelLines = (
  model: Model,
  key: string,
  { range, left, columns, rows, isStacked }: Layout,
  { paint }: Style,
): string[] => {
  const mean = model.activity.reduce((sum, value) => sum + value, 0) / (model.activity.length || 1);
  const facts = [plural(model.days, 'day'), `mean ${valueText(mean)}`, ...(model.anomaly ? ['anomaly'] : [])];
  const name = wrap(plain(model.name), left - keyColumns);
  const texts = [...name.map(line => ({ line, dim: false })), { line: facts.join(', '), dim: true }];
  const chart = profileChart(model.activity, range, columns, rows);
  // Without room next to the texts the chart follows them.
  const height = isStacked ? texts.length + rows : Math.max(texts.length, rows);
  return Array.from({ length: height }, (_, row) => {
    const text = texts[row];
    const square = paint.colored ? paint.color('■', model.color) : ' ';
    const head = row === 0 ? `${paint.bold(key)} ${square} ` : ' '.repeat(keyColumns);
    const padded = (text?.line ?? '').padEnd(isStacked ? 0 : left - keyColumns);
    const line = chart[row - height + rows];
    const drawn = line === undefined ? '' : paint.color(line, model.color);
    const gap = isStacked ? '' : '  ';
    return `${margin}${head}${text?.dim ? paint.dim(padded) : padded}${gap}${drawn}`.trimEnd();
  });
};

/** The models: key, name, number of reference days, mean, and day profiles on one scale. */
export const modelsReport = (models: readonly Model[], style: Style): string[] => {
  const { paint, width } = style;
  const columns = chartColumns(width);
  const isStacked = width < nextToNameMin;
  const left = width - margin.length - 2 - (isStacked ? 0 : columns + 2);
  const spacious = models.length <= spaciousModelsMax;
  const range = rangeOf(models.map(({ activity }) => activity));
  const layout = { range, left, columns, rows: spacious ? 2 : 1, isStacked };
  const keyOf = modelKeys(models);
  return [
    ...sectionHead(
      `Typical days: ${plural(models.length, 'model')}`,
      'Learned from the reference year only. Day profiles from 0 to 24 h (UTC) on one scale from ' +
        `${valueText(range.low)} to ${valueText(range.high)}.`,
      style,
    ),
    ...models.flatMap(model => [
      ...modelLines(model, keyOf(model.id), layout, style),
      ...(spacious ? [''] : []),
    ]),
    paint.dim(`${' '.repeat(margin.length + (isStacked ? keyColumns : left + 2))}${hourAxis(columns)}`),
  ];
};
