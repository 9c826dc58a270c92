import { areaY, axisX, axisY, gridY, lineY, rectY, ruleY } from '@observablehq/plot';
import { clockOf, hourOf, type Profile } from './dayPicture.js';
import { drawn, type Drawing } from './drawn.js';

export type ModelProfile = {
  readonly activity: readonly number[];
  readonly top: readonly number[];
  readonly bottom: readonly number[];
};

export type ProfileChartOptions = {
  readonly width: number;
  readonly height: number;
  readonly min: number;
  readonly max: number;
  readonly compact: (value: number) => string;
  /** Without axes, for a legend. */
  readonly bare?: boolean;
  /** Days that belong to the model, drawn thin. */
  readonly days?: readonly Profile[];
};

/** A model: its profile in its band, in the colour `--model` of the page around it. */
export const profileChart = (model: ModelProfile, options: ProfileChartOptions): Drawing => {
  const { width, height, min, max, compact, bare = false, days = [] } = options;
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
      : { marginLeft: 40, marginRight: 8, marginTop: 10, marginBottom: 24 }),
    x: { domain: [0, 24] },
    y: { domain: [min, max], nice: !bare },
    marks: [
      ...(bare
        ? []
        : [
            gridY({ stroke: 'var(--line)', strokeOpacity: 1, ticks: 4 }),
            axisY({ ticks: 4, tickSize: 0, tickPadding: 6, label: null, tickFormat: compact }),
            axisX({
              ticks: [0, 6, 12, 18, 24],
              tickSize: 0,
              tickPadding: 6,
              label: null,
              tickFormat: clockOf,
            }),
          ]),
      ...days.map(profile =>
        lineY(
          profile.map((value, slice) => ({
            hour: hourOf(slice + 0.5, profile.length),
            value: value ?? Number.NaN,
          })),
          { x: 'hour', y: 'value', stroke: 'var(--muted)', strokeOpacity: 0.12, strokeWidth: 1 },
        ),
      ),
      areaY(rows, { x: 'hour', y1: 'bottom', y2: 'top', fill: 'var(--model)', fillOpacity: 0.18 }),
      lineY(rows, { x: 'hour', y: 'value', stroke: 'var(--model)', strokeWidth: bare ? 1.75 : 2.25 }),
      ...(min === 0 && !bare ? [ruleY([0], { stroke: 'var(--line-strong)' })] : []),
    ],
  });
};

/** A picture of imported data: the mean of each day as a bar. */
export const dailyMeans = (
  days: readonly { readonly date: string; readonly mean: number | null }[],
  { width, height, compact }: Pick<ProfileChartOptions, 'width' | 'height' | 'compact'>,
): Drawing =>
  drawn({
    width,
    height,
    marginLeft: 44,
    marginRight: 8,
    marginTop: 10,
    marginBottom: 24,
    x: { type: 'utc', label: null },
    marks: [
      gridY({ stroke: 'var(--line)', strokeOpacity: 1, ticks: 4 }),
      axisY({ ticks: 4, tickSize: 0, tickPadding: 6, label: null, tickFormat: compact }),
      rectY(
        days.map(({ date, mean }) => ({ at: new Date(`${date}T00:00:00Z`), mean })),
        { x: 'at', y: 'mean', interval: 'day', fill: 'var(--band)', insetLeft: 0.3, insetRight: 0.3 },
      ),
      ruleY([0], { stroke: 'var(--line-strong)' }),
    ],
  });
