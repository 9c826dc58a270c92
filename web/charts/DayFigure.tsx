import { useCallback, useId } from 'react';
import { useFormats } from '../messages/formats.js';
import type { Messages } from '../messages/en.js';
import { useMessages } from '../messages/messages.js';
import { Chart } from './Chart.js';
import { dayChart, type DayChartOptions } from './dayChart.js';
import { clockOf, hourOf, type DayPicture } from './dayPicture.js';

const meanOf = (values: readonly (number | null)[]): number | undefined => {
  const seen = values.filter(value => value !== null);
  return seen.length === 0 ? undefined : seen.reduce((sum, value) => sum + value, 0) / seen.length;
};

/** Text of the chart: actual and expected values, and broken limits. */
const describeDay = (
  { actual, planned, broken }: DayPicture,
  { day: texts }: Messages,
  number: (value: number) => string,
): string => {
  const slices = actual?.length ?? planned?.activity.length ?? 24;
  const parts = [
    actual ? texts.actualMean(number(meanOf(actual) ?? 0)) : texts.noData,
    planned ? texts.expectedMean(planned.name, number(meanOf(planned.activity) ?? 0)) : texts.notPlanned,
    ...broken.map(({ from, to, direction }) => {
      const was = meanOf(actual?.slice(from, to) ?? []);
      const usual = meanOf(planned?.activity.slice(from, to) ?? []);
      return texts.broken({
        direction,
        from: clockOf(hourOf(from, slices)),
        to: clockOf(hourOf(to, slices)),
        was: was === undefined ? '–' : number(was),
        usual: usual === undefined ? '–' : number(usual),
      });
    }),
    ...(actual && planned && broken.length === 0 ? [texts.nothingBroken] : []),
  ];
  return parts.join(' ');
};

/** A day as a figure: a chart, and its facts as text for screen readers. */
export const DayFigure = ({
  day,
  height = 300,
  options,
}: {
  readonly day: DayPicture;
  readonly height?: number;
  /** Stable while it is the same (useMemo). */
  readonly options?: Pick<DayChartOptions, 'others' | 'limits' | 'max' | 'min'>;
}) => {
  const messages = useMessages();
  const formats = useFormats();
  const id = useId();
  const draw = useCallback(
    (width: number, tall: number) =>
      dayChart(day, {
        width,
        height: tall,
        compact: formats.compact,
        tips: {
          number: formats.number,
          actual: messages.day.actual,
          expected: messages.day.expected,
          bounds: messages.day.bounds,
        },
        ...options,
      }),
    [day, formats, messages, options],
  );
  return (
    <figure aria-label={messages.day.title(day.date)} aria-describedby={id} className="day-figure">
      <Chart draw={draw} height={height} />
      <p id={id} className="hidden">
        {describeDay(day, messages, formats.number)}
      </p>
    </figure>
  );
};
