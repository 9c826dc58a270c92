import { windowMax, type HourRows } from './hours.js';

/** Smallest share of rises among the steps that change the value: the others are resets. */
const risesMin = 0.9;
/** Fewest rises, and fewest days with data, of a stretch. */
const risesCountMin = 12;
const daysMin = 3;

/** Steps that change values which hardly ever fall: a register read as an activity. */
export type Register = { readonly days: number; readonly rises: number; readonly falls: number };

/** The steps of the rows `from` (inclusive) to `to` (exclusive). */
const stepsOf = ({ parts, values }: HourRows, from: number, to: number): Register => {
  let rises = 0;
  let falls = 0;
  let last = NaN;
  for (let index = from * parts; index < to * parts; index += 1) {
    const value = values[index] ?? NaN;
    if (Number.isNaN(value)) continue;
    if (value > last) rises += 1;
    else if (value < last) falls += 1;
    last = value;
  }
  return { days: to - from, rises, falls };
};

/** The stretches of four weeks from a day number on that look like a register; undefined without any. */
export const registerIn = (rows: HourRows, begun: number): Register | undefined => {
  const { length } = rows.dayNumbers;
  const first = rows.dayNumbers.findIndex(day => day >= begun);
  if (first < 0) return undefined;
  let all: Register | undefined;
  for (let from = first; from < length; from += windowMax) {
    const { days, rises, falls } = stepsOf(rows, from, Math.min(length, from + windowMax));
    if (days < daysMin || rises < risesCountMin || rises < risesMin * (rises + falls)) continue;
    all = {
      days: days + (all?.days ?? 0),
      rises: rises + (all?.rises ?? 0),
      falls: falls + (all?.falls ?? 0),
    };
  }
  return all;
};
