import type { Run } from '../../../domain/day.js';
import { eventLoopYielder } from '../../ports/sharing/eventLoopYielder.js';

/** A sampled day: `values` has a number for each slice, NaN for slices without points. */
export type SampledDay = {
  readonly dayNumber: number;
  readonly values: number[];
  /** Slices whose values are even parts of the rise of a register over a longer time; they count as filled. */
  readonly spread?: readonly Run[];
};

/** An observed slice: slices since 1970-01-01, and its value. */
type Point = { readonly at: number; readonly value: number };

/**
 * Fills every NaN by linear interpolation over time between the two nearest observed slices, also across midnight and
 * missing days. Before the first and after the last observed slice the nearest value is used. Without any observed
 * slice nothing changes.
 * @param days by ascending day number, each with `size` values; changed in place
 */
export const fillByLine = async (days: readonly SampledDay[], size: number): Promise<void> => {
  const yieldToEventLoop = eventLoopYielder();
  let left: Point | undefined;
  // The first slice that is not filled yet. All slices from it to the current one are NaN.
  let openDay = 0;
  let openSlice = 0;
  const fillUntil = (endDay: number, endSlice: number, right: Point | undefined): void => {
    const from = left ?? right;
    const to = right ?? left;
    if (from === undefined || to === undefined) return;
    const slope = to.at === from.at ? 0 : (to.value - from.value) / (to.at - from.at);
    for (let index = openDay; index <= endDay; index += 1) {
      const day = days[index];
      if (day === undefined) return;
      const last = index === endDay ? endSlice : size;
      for (let slice = index === openDay ? openSlice : 0; slice < last; slice += 1)
        day.values[slice] = from.value + slope * (day.dayNumber * size + slice - from.at);
    }
  };
  for (const [index, { dayNumber, values }] of days.entries()) {
    for (let slice = 0; slice < size; slice += 1) {
      const value = values[slice];
      if (value === undefined || Number.isNaN(value)) continue;
      const point = { at: dayNumber * size + slice, value };
      fillUntil(index, slice, point);
      left = point;
      openDay = index;
      openSlice = slice + 1;
    }
    await yieldToEventLoop();
  }
  fillUntil(days.length - 1, size, undefined);
};
