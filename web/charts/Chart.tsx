import { useRef, useState, type KeyboardEvent, type ReactNode, useEffect, useCallback, useId } from 'react';
import type { Model } from '../api/client.js';
import type { Messages } from '../messages/en.js';
import { type Formats, modelNameOf, useFormats } from '../messages/formats.js';
import { useMessages } from '../messages/messages.js';
import { dayMargins, dayChart, sparkline, type DayChartOptions, type SparkOptions } from './dayChart.js';
import { bandOf, clockOf, hourOf, slicesOf, type DayPicture, markWords } from './dayPicture.js';
import type { Drawing } from './chartParts.js';
import { profileChart } from './profileChart.js';
import { isOfBrowser } from '../parts/shortcuts.js';

type Numbers = {
  readonly formats: Pick<Formats, 'number'>;
  /** Text behind numbers of the source. */
  readonly suffix: string;
};

/** Values of a slice in words, the time first. */
const wordsOf = (
  day: DayPicture,
  slice: number,
  slices: number,
  { formats, suffix, texts }: Numbers & { readonly texts: Messages['day'] },
): { readonly time: string; readonly values: readonly string[] } => {
  const { actual, planned, usual } = day;
  const band = bandOf(day);
  const number = (value: number): string => formats.number(value) + suffix;
  const own = actual?.[slice];
  const [low, high] = [band?.low[slice], band?.high[slice]];
  const expected = planned?.activity[slice];
  return {
    time: `${clockOf(hourOf(slice, slices))}–${clockOf(hourOf(slice + 1, slices))}`,
    values: [
      own == null ? texts.unobserved : `${texts.actual} ${number(own)}`,
      ...(expected === undefined ? [] : [`${texts.expected} ${number(expected)}`]),
      ...(low == null || high == null
        ? []
        : [`${usual ? texts.usual : texts.bounds} ${formats.number(low)} – ${number(high)}`]),
    ],
  };
};

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/** The slice after a key; undefined for keys that choose none. */
const sliceAfter = (key: string, slice: number | undefined, slices: number): number | undefined => {
  if (key === 'Home') return 0;
  if (key === 'End') return slices - 1;
  const step = steps[key] ?? (key === 'PageDown' ? slices / 24 : key === 'PageUp' ? -slices / 24 : undefined);
  if (step === undefined) return undefined;
  const by = Math.sign(step) * Math.max(1, Math.round(Math.abs(step)));
  return Math.min(slices - 1, Math.max(0, (slice ?? (by > 0 ? -1 : slices)) + by));
};

/** Shows the values of the slice under the pointer or the finger, or at arrow keys, below a chart of a day. */
const DayReader = ({
  day,
  children,
  ...numbers
}: Numbers & { readonly day: DayPicture; readonly children: ReactNode }) => {
  const { day: texts } = useMessages();
  const place = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<number>();
  const slices = slicesOf(day);
  const slice = chosen === undefined ? undefined : Math.min(chosen, slices - 1);
  const words = slice === undefined ? undefined : wordsOf(day, slice, slices, { ...numbers, texts });
  const point = (clientX: number): void => {
    const box = place.current?.getBoundingClientRect();
    if (!box) return;
    const scale = remScale();
    const [left, right] = [dayMargins.left * scale, dayMargins.right * scale];
    const share = (clientX - box.left - left) / (box.width - left - right);
    setChosen(Math.min(slices - 1, Math.max(0, Math.floor(share * slices))));
  };
  const press = (event: KeyboardEvent): void => {
    if (isOfBrowser(event)) return;
    const next = event.key === 'Escape' ? undefined : sliceAfter(event.key, slice, slices);
    if (next === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    setChosen(next);
  };
  const middle = slice === undefined ? 0 : (slice + 0.5) / slices;
  return (
    <div className="day-reader">
      <div
        ref={place}
        className="day-plot"
        role="slider"
        tabIndex={0}
        aria-label={texts.valuesAt}
        aria-valuemin={0}
        aria-valuemax={slices - 1}
        aria-valuenow={slice ?? 0}
        aria-valuetext={words ? `${words.time}: ${words.values.join(', ')}` : texts.noneChosen}
        onKeyDown={press}
        onPointerDown={({ clientX }) => point(clientX)}
        onPointerMove={({ clientX }) => point(clientX)}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setChosen(undefined)}
      >
        {children}
        {words && (
          <span
            className="day-rule"
            style={{
              insetInlineStart: `calc(${dayMargins.left / 16}rem + ${middle} * (100% - ${(dayMargins.left + dayMargins.right) / 16}rem))`,
            }}
          />
        )}
      </div>
      <div className="day-values" aria-hidden>
        {words && (
          <>
            <strong>{words.time}</strong>
            {words.values.map(value => (
              <span key={value}>{value}</span>
            ))}
          </>
        )}
      </div>
    </div>
  );
};

/** Width of paper between its margins, in pixels of CSS. */
const paperWidth = 680;

/** Pixels of a rem over the 16 that sizes of charts are given for. */
const remScale = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/**
 * Puts a drawing into the page and draws it again when its size or its data change.
 * @param draw stable while the data are the same (useCallback); `scale` is the size of text over 16 pixels
 * @param height in pixels on a page with text of 16 pixels; grows with larger text, as on a wall display.
 *   Absent: the chart fills the element around it, which is positioned.
 */
export const Chart = ({
  draw,
  height,
  width: fixed,
}: {
  readonly draw: (width: number, height: number, scale: number) => Drawing;
  readonly height?: number;
  /** Given for small charts of one size, which need no measuring. */
  readonly width?: number;
}) => {
  const place = useRef<HTMLDivElement>(null);
  const [measured, setMeasured] = useState({ width: 0, height: 0 });
  const [scale, setScale] = useState(remScale);
  const width = fixed === undefined ? measured.width : Math.round(fixed * scale);
  const tall = height === undefined ? measured.height : Math.round(height * scale);
  useEffect(() => {
    const element = place.current;
    if (!element || fixed !== undefined) return;
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      setMeasured({ width: Math.floor(width), height: Math.floor(height) });
      setScale(remScale());
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [fixed]);
  useEffect(() => {
    const show = (wide: number): void => place.current?.replaceChildren(draw(wide, tall, scale));
    if (width > 0 && tall > 0) show(width);
    // A chart of a wide screen would have tiny text on paper.
    const shrink = (): void => show(Math.min(width, paperWidth));
    const restore = (): void => show(width);
    addEventListener('beforeprint', shrink);
    addEventListener('afterprint', restore);
    return () => {
      removeEventListener('beforeprint', shrink);
      removeEventListener('afterprint', restore);
    };
  }, [draw, width, tall, scale]);
  return (
    <div
      ref={place}
      className="chart"
      data-fills={height === undefined || undefined}
      style={{ ...(height !== undefined && { minHeight: tall }), ...(fixed !== undefined && { width }) }}
    />
  );
};

const meanOf = (values: readonly (number | null)[]): number | undefined => {
  const seen = values.filter(value => value !== null);
  return seen.length === 0 ? undefined : seen.reduce((sum, value) => sum + value, 0) / seen.length;
};

/** Text of the chart: actual and expected values, and broken limits. */
const describeDay = (day: DayPicture, texts: Messages['day'], formats: Formats, suffix: string): string => {
  const { actual, planned, broken, until, mark, isUnlike, isNormal } = day;
  const number = (value: number): string => formats.number(value) + suffix;
  const slices = slicesOf(day);
  const known = until === undefined ? slices : Math.round((until * slices) / 24);
  const seen = meanOf(actual ?? []);
  const parts = [
    ...(until === undefined ? [] : [texts.soFar(clockOf(until))]),
    seen === undefined ? texts.noData : texts.actualMean(number(seen)),
    planned
      ? texts.expectedMean(
          modelNameOf(planned, formats),
          number(meanOf(planned.activity.slice(0, known || slices)) ?? 0),
        )
      : texts.notPlanned,
    ...broken.map(({ from, to, direction }) => {
      const times = { from: clockOf(hourOf(from, slices)), to: clockOf(hourOf(to, slices)) };
      if (isUnlike) return texts.unlike(times);
      const was = meanOf(actual?.slice(from, to) ?? []);
      if (was === undefined) return texts.missing(times);
      const usual = meanOf(planned?.activity.slice(from, to) ?? []);
      return texts.broken({
        direction,
        ...times,
        was: number(was),
        usual: usual === undefined ? '–' : number(usual),
      });
    }),
    ...(mark ? [texts.marked(markWords(mark, slices, { texts, formats, suffix }))] : []),
    ...(isNormal ? [texts.nothingBroken] : []),
  ];
  return parts.join(' ');
};

/** A day as a figure: a chart, its facts as text for screen readers, and the values of one slice at a time. */
export const DayFigure = ({
  day,
  suffix,
  height = 300,
  options,
}: {
  readonly day: DayPicture;
  /** Text behind numbers of the source. */
  readonly suffix: string;
  readonly height?: number;
  /** Stable while it is the same (useMemo). */
  readonly options?: Pick<DayChartOptions, 'others'>;
}) => {
  const messages = useMessages();
  const formats = useFormats();
  const id = useId();
  const draw = useCallback(
    (width: number, tall: number, scale: number) =>
      dayChart(day, {
        ...{ width, height: tall, scale, compact: formats.compact, suffix },
        ...(day.mark && {
          markText: markWords(day.mark, slicesOf(day), { texts: messages.day, formats, suffix }),
        }),
        ...options,
      }),
    [day, formats, messages, options, suffix],
  );
  return (
    <figure
      aria-label={messages.day.title(formats.nameDay(day.date))}
      aria-describedby={id}
      className="day-figure"
    >
      <DayReader day={day} formats={formats} suffix={suffix}>
        <Chart draw={draw} height={height} />
      </DayReader>
      <p id={id} className="hidden">
        {describeDay(day, messages.day, formats, suffix)}
      </p>
    </figure>
  );
};

/** A day as a small picture: see `sparkline`, and `Chart` for its size. */
export const DaySpark = ({
  picture,
  min,
  max,
  band,
  ...size
}: SparkOptions & { readonly picture: DayPicture; readonly width?: number; readonly height?: number }) => {
  const draw = useCallback(
    (width: number, height: number) => sparkline(picture, { width, height, min, max, band }),
    [picture, min, max, band],
  );
  return <Chart draw={draw} {...size} />;
};

/** A model in its band, small and without axes, in the colour `--model` of the page around it. */
export const ModelSpark = ({
  model: { activity, topTolerance: top, bottomTolerance: bottom },
  min,
  max,
  height: sparkHeight,
}: {
  readonly model: Pick<Model, 'activity' | 'topTolerance' | 'bottomTolerance'>;
  readonly min: number;
  readonly max: number;
  readonly height: number;
}) => {
  const { compact } = useFormats();
  const draw = useCallback(
    (width: number, height: number) =>
      profileChart({ activity, top, bottom }, { width, height, min, max, compact, suffix: '', bare: true }),
    [activity, top, bottom, min, max, compact],
  );
  return <Chart draw={draw} height={sparkHeight} />;
};
