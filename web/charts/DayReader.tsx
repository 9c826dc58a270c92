import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Formats } from '../messages/formats.js';
import type { Messages } from '../messages/en.js';
import { useMessages } from '../messages/messages.js';
import { dayMargins } from './dayChart.js';
import { bandOf, clockOf, hourOf, slicesOf, type DayPicture } from './dayPicture.js';

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
export const DayReader = ({
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
    const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const [left, right] = [dayMargins.left * scale, dayMargins.right * scale];
    const share = (clientX - box.left - left) / (box.width - left - right);
    setChosen(Math.min(slices - 1, Math.max(0, Math.floor(share * slices))));
  };
  const press = (event: KeyboardEvent): void => {
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
