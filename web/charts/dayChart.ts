import { areaY, axisX, dot, gridY, lineY, rect, ruleX, ruleY, text } from '@observablehq/plot';
import { valueAxis, type AxisNumbers, drawn, type Drawing, hourTips } from './chartParts.js';
import { bandOf, clockOf, hourOf, type DayPicture, type Profile, profilesOf, rangeOf } from './dayPicture.js';

/** Words and numbers under the pointer, in the reader's language. */
export type DayTips = {
  readonly number: (value: number) => string;
  readonly actual: string;
  readonly expected: string;
  readonly bounds: string;
  readonly usual: string;
};

/** Room at the sides of a day, in pixels at a `scale` of 1. */
export const dayMargins = { left: 44, right: 12 } as const;

/** The chart itself has no words. */
export type DayChartOptions = AxisNumbers & {
  readonly width: number;
  readonly height: number;
  /** Absent for a picture. */
  readonly tips?: DayTips;
  /** Other profiles, drawn thin behind the day: the days before, or a model that fits better. */
  readonly others?: readonly {
    readonly profile: Profile;
    readonly color?: string;
    readonly dashed?: boolean;
  }[];
  /** Text at the broken limit: the value and the bound. */
  readonly markText?: string;
  /** Size of the text of the page over 16 pixels. */
  readonly scale?: number;
  /** Document to draw in where there is no page. */
  readonly document?: Document;
};

type Point = { readonly hour: number; readonly value: number };

/** Points at the middles of slices. A hole ends a line and begins another. */
export const pointsOf = (profile: Profile): Point[] =>
  profile.map((value, slice) => ({
    hour: hourOf(slice + 0.5, profile.length),
    value: value ?? Number.NaN,
  }));

/** Marks of what is expected: the band, and the profile, of a date in progress up to the slice after its last data. */
const bandMarks = (day: DayPicture) => {
  const { planned, until = 24 } = day;
  if (!planned) return [];
  const band = bandOf(day);
  const rows = planned.activity.map((value, slice, { length }) => ({
    hour: hourOf(slice + 0.5, length),
    value,
    top: band?.high[slice] ?? Number.NaN,
    bottom: band?.low[slice] ?? Number.NaN,
  }));
  return [
    areaY(rows, { x: 'hour', y1: 'bottom', y2: 'top', clip: true, fill: 'var(--band)', fillOpacity: 0.16 }),
    lineY(
      rows.filter(({ hour }) => hour < until + hourOf(1, rows.length)),
      { x: 'hour', y: 'value', stroke: 'var(--band)', strokeWidth: 1.5, strokeDasharray: '4,3' },
    ),
  ];
};

/** Marks of a date in progress: its last data, and the expected values of the rest, stronger than those before. */
const progressMarks = ({ until, actual, planned }: DayPicture) => {
  if (until === undefined) return [];
  const rest = planned ? pointsOf(planned.activity).filter(({ hour }) => hour > until) : [];
  const last = pointsOf(actual ?? []).findLast(({ value }) => !Number.isNaN(value));
  return [
    ruleX([until], { stroke: 'var(--muted)', strokeWidth: 1, strokeDasharray: '2,3' }),
    lineY(rest, { x: 'hour', y: 'value', stroke: 'var(--band)', strokeWidth: 2.5, strokeDasharray: '5,3' }),
    dot(last ? [last] : [], {
      ...{ x: 'hour', y: 'value', r: 3.5, fill: 'var(--actual)', stroke: 'var(--surface)', strokeWidth: 1.2 },
    }),
  ];
};

/** Marks of broken stretches: shaded hours, and a filled area beyond the bounds that a person gave. */
const brokenMarks = ({ broken, actual, planned, mark, usual }: DayPicture) => {
  const length = actual?.length ?? planned?.activity.length;
  if (length === undefined) return [];
  const shades = broken.map(({ from, to }) => ({ x1: hourOf(from, length), x2: hourOf(to, length) }));
  // A limit that is marked needs no area; where the bounds are not the band there is no line to begin it.
  const filled = mark || usual || !actual || !planned?.isCustom ? [] : broken;
  const beyond = filled.map(({ from, to, direction }) =>
    (actual ?? []).slice(from, to).map((value, index) => {
      const slice = from + index;
      const bound = (direction === 'over' ? planned?.top[slice] : planned?.bottom[slice]) ?? Number.NaN;
      const isBeyond = value !== null && (direction === 'over' ? value > bound : value < bound);
      return { hour: hourOf(slice + 0.5, length), value: isBeyond ? value : bound, bound };
    }),
  );
  return [
    rect(shades, { x1: 'x1', x2: 'x2', fill: 'var(--alert-3)', fillOpacity: 0.12 }),
    ...beyond.map(rows =>
      areaY(rows, {
        x: 'hour',
        y1: 'bound',
        y2: 'value',
        clip: true,
        fill: 'var(--alert-3)',
        fillOpacity: 0.45,
      }),
    ),
  ];
};

/** Stretches shorter than this get a dot, because they are easily overlooked. */
const shortHours = 0.75;

const spotMarks = ({ broken, actual, mark }: DayPicture) => {
  if (!actual || mark) return [];
  const short = broken.filter(({ from, to }) => hourOf(to - from, actual.length) < shortHours);
  const spots = short.map(({ from, to }) => {
    const slice = Math.floor((from + to - 1) / 2);
    return { hour: hourOf(slice + 0.5, actual.length), value: actual[slice] ?? Number.NaN };
  });
  return [
    dot(spots, {
      x: 'hour',
      y: 'value',
      r: 4,
      fill: 'var(--alert-3)',
      stroke: 'var(--surface)',
      strokeWidth: 1.2,
    }),
  ];
};

/** Marks of the broken limit: a line where it was broken, and a text above its middle. */
const limitMarks = ({ mark, actual, planned }: DayPicture, label: string | undefined) => {
  const length = actual?.length ?? planned?.activity.length;
  if (!mark || length === undefined) return [];
  // Steps that follow each other are one line.
  let run = 0;
  const edges = mark.steps.flatMap(({ from, to, bound }, index, steps) => {
    if (steps[index - 1]?.to !== from) run += 1;
    return [from, to].map(slice => ({ hour: hourOf(slice, length), bound, run }));
  });
  const [first = 0, last = 24] = [edges[0]?.hour, edges.at(-1)?.hour];
  const middle = (first + last) / 2;
  const [hour, textAnchor] =
    middle < 8
      ? ([first, 'start'] as const)
      : middle > 16
        ? ([last, 'end'] as const)
        : ([middle, 'middle'] as const);
  return [
    lineY(edges, { x: 'hour', y: 'bound', z: 'run', stroke: 'var(--alert-3)', strokeWidth: 2 }),
    text(label === undefined ? [] : [label], {
      ...{
        x: () => hour,
        text: words => String(words),
        frameAnchor: 'top',
        textAnchor,
        lineAnchor: 'bottom',
        dy: -4,
      },
      ...{ fill: 'var(--alert-3)', stroke: 'var(--surface)', strokeWidth: 4, fontWeight: 600 },
    }),
  ];
};

const tipMarks = (day: DayPicture, texts: DayTips) => {
  const profile = day.actual ?? day.planned?.activity;
  if (!profile) return [];
  const band = bandOf(day);
  const rows = profile.map((value, slice, { length }) => {
    const { planned, usual } = day;
    const [low, high] = [band?.low[slice], band?.high[slice]];
    const lines = [
      `${clockOf(hourOf(slice, length))}–${clockOf(hourOf(slice + 1, length))}`,
      ...(day.actual && value !== null ? [`${texts.actual}  ${texts.number(value)}`] : []),
      ...(planned ? [`${texts.expected}  ${texts.number(planned.activity[slice] ?? 0)}`] : []),
      ...(low == null || high == null
        ? []
        : [`${usual ? texts.usual : texts.bounds}  ${texts.number(low)} – ${texts.number(high)}`]),
    ];
    const y = value ?? planned?.activity[slice] ?? 0;
    return { hour: hourOf(slice + 0.5, length), y, title: lines.join('\n') };
  });
  return hourTips(rows);
};

/** One day over the band of its planned model, with broken stretches shaded. */
export const dayChart = (day: DayPicture, options: DayChartOptions): Drawing => {
  const { width, height, tips, others = [], markText, scale = 1, document } = options;
  const range = rangeOf([...profilesOf(day), ...others.map(({ profile }) => profile)]);
  const narrow = width < 480 * scale;
  return drawn({
    width,
    height,
    marginLeft: dayMargins.left * scale,
    marginRight: dayMargins.right * scale,
    // The text behind numbers is above the axis.
    marginTop: (options.suffix === '' && markText === undefined ? 14 : 28) * scale,
    marginBottom: 26 * scale,
    x: { domain: [0, 24] },
    y: { domain: range, nice: true },
    marks: [
      gridY({ stroke: 'var(--line)', strokeOpacity: 1 }),
      valueAxis(options, { ticks: 5, tickPadding: 8 }),
      axisX({
        ticks:
          width < 240 * scale ? [0, 12, 24] : narrow ? [0, 6, 12, 18, 24] : [0, 3, 6, 9, 12, 15, 18, 21, 24],
        tickSize: 0,
        tickPadding: 8,
        label: null,
        tickFormat: clockOf,
      }),
      ...brokenMarks(day),
      ...bandMarks(day),
      ...others.map(({ profile, color = 'var(--muted)', dashed = false }) =>
        lineY(pointsOf(profile), {
          x: 'hour',
          y: 'value',
          stroke: color,
          strokeOpacity: dashed ? 1 : 0.4,
          strokeWidth: dashed ? 1.75 : 1,
          ...(dashed && { strokeDasharray: '1,3', strokeLinecap: 'round' }),
        }),
      ),
      ...(day.actual
        ? [lineY(pointsOf(day.actual), { x: 'hour', y: 'value', stroke: 'var(--actual)', strokeWidth: 2 })]
        : []),
      ...progressMarks(day),
      ...spotMarks(day),
      ...limitMarks(day, markText),
      ...(range[0] === 0 ? [ruleY([0], { stroke: 'var(--line-strong)' })] : []),
      ...(tips ? tipMarks(day, tips) : []),
    ],
    ...(document && { document }),
  });
};

/** Ends of the axis, for pictures side by side; and whether the band is drawn. */
export type SparkOptions = {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly band?: boolean | undefined;
};

/** A day as a small picture without axes: the band if wanted, the day, and its broken stretches. */
export const sparkline = (
  day: DayPicture,
  { width, height, max, min, band = true }: SparkOptions & { width: number; height: number },
): Drawing => {
  const own = rangeOf(profilesOf(day));
  const range = [min ?? own[0], max ?? own[1]] as const;
  return drawn({
    width,
    height,
    margin: 1,
    axis: null,
    x: { domain: [0, 24] },
    y: { domain: range },
    marks: [
      ...brokenMarks(day),
      ...bandMarks(day).slice(band ? 0 : 1),
      ...(day.actual
        ? [lineY(pointsOf(day.actual), { x: 'hour', y: 'value', stroke: 'var(--actual)', strokeWidth: 1.5 })]
        : []),
    ],
  });
};
