import { areaY, axisX, gridY, lineY, rectY, ruleY } from '@observablehq/plot';
import { pointsOf } from './dayChart.js';
import { clockOf, hourOf, type Profile } from './dayPicture.js';
import { valueAxis, type AxisNumbers, drawn, type Drawing, hourTips } from './chartParts.js';

export type ModelProfile = {
  readonly activity: readonly number[];
  readonly top: readonly number[];
  readonly bottom: readonly number[];
};

export type ProfileChartOptions = AxisNumbers & {
  readonly width: number;
  readonly height: number;
  readonly min: number;
  readonly max: number;
  /** Size of the text of the page over 16 pixels. */
  readonly scale?: number;
  /** Without axes, for a legend. */
  readonly bare?: boolean;
  /** Days that belong to the model, drawn thin. */
  readonly days?: readonly Profile[];
  /** Text under the pointer for a slice; none without it. */
  readonly tip?: (slice: number) => string;
};

/** Thin lines of days: the fewer they are, the darker. */
const dayLines = (days: readonly Profile[]) =>
  lineY(
    days.flatMap((profile, day) => pointsOf(profile).map(point => ({ day, ...point }))),
    {
      x: 'hour',
      y: 'value',
      z: 'day',
      clip: true,
      stroke: 'var(--muted)',
      strokeOpacity: Math.min(0.6, Math.max(0.12, 6 / Math.max(1, days.length))),
      strokeWidth: 1,
    },
  );

/** A model: its profile in its band, in the colour `--model` of the page around it. */
export const profileChart = (model: ModelProfile, options: ProfileChartOptions): Drawing => {
  const { width, height, min, max, scale = 1, bare = false, days = [], tip } = options;
  const rows = model.activity.map((value, slice, { length }) => ({
    hour: hourOf(slice + 0.5, length),
    value,
    top: model.top[slice] ?? value,
    bottom: model.bottom[slice] ?? value,
  }));
  return drawn({
    width,
    height,
    ...(bare
      ? { margin: 1, axis: null }
      : {
          ...{ marginLeft: 40 * scale, marginRight: 16 * scale },
          ...{ marginTop: (options.suffix === '' ? 10 : 24) * scale, marginBottom: 24 * scale },
        }),
    x: { domain: [0, 24] },
    y: { domain: [min, max], nice: !bare },
    marks: [
      ...(bare
        ? []
        : [
            gridY({ stroke: 'var(--line)', strokeOpacity: 1, ticks: 4 }),
            valueAxis(options, { ticks: 4, tickPadding: 6 }),
            axisX({
              ticks: width < 260 * scale ? [0, 12, 24] : [0, 6, 12, 18, 24],
              tickSize: 0,
              tickPadding: 6,
              label: null,
              tickFormat: clockOf,
            }),
          ]),
      dayLines(days),
      areaY(rows, {
        x: 'hour',
        y1: 'bottom',
        y2: 'top',
        clip: true,
        fill: 'var(--model)',
        fillOpacity: 0.18,
      }),
      lineY(rows, { x: 'hour', y: 'value', stroke: 'var(--model)', strokeWidth: bare ? 1.75 : 2.25 }),
      ...(min === 0 && !bare ? [ruleY([0], { stroke: 'var(--line-strong)' })] : []),
      ...(tip ? hourTips(rows.map(({ hour, value }, slice) => ({ hour, y: value, title: tip(slice) }))) : []),
    ],
  });
};

/** A picture of imported data: the mean of each day as a bar. */
export const dailyMeans = (
  days: readonly { readonly date: string; readonly mean: number | null }[],
  {
    width,
    height,
    scale = 1,
    ...numbers
  }: Pick<ProfileChartOptions, 'width' | 'height' | 'scale'> & AxisNumbers,
): Drawing =>
  drawn({
    width,
    height,
    marginLeft: 44 * scale,
    marginRight: 8 * scale,
    marginTop: (numbers.suffix === '' ? 10 : 24) * scale,
    marginBottom: 24 * scale,
    x: { type: 'utc', label: null },
    marks: [
      gridY({ stroke: 'var(--line)', strokeOpacity: 1, ticks: 4 }),
      valueAxis(numbers, { ticks: 4, tickPadding: 6 }),
      rectY(
        days.map(({ date, mean }) => ({ at: new Date(`${date}T00:00:00Z`), mean })),
        { x: 'at', y: 'mean', interval: 'day', fill: 'var(--band)', insetLeft: 0.3, insetRight: 0.3 },
      ),
      ruleY([0], { stroke: 'var(--line-strong)' }),
    ],
  });
