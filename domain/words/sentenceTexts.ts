import type { Deviation, PlannedAs } from '../alerts/findings.js';

/** Year, month from 0 and day of a date. */
export const datePartsOf = (date: string) => ({
  year: date.slice(0, 4),
  month: Number(date.slice(5, 7)) - 1,
  day: Number(date.slice(8)),
});

/** Largest distance of a share from a fraction that is named by its word. */
const near = 0.02;

/** Whether a change by a share, up or down, is named by the word of a fraction. */
export const isNear = (size: number, share: number): boolean => Math.abs(Math.abs(size) - share) <= near;

/** A part of a duration: a whole number of a unit. */
export type DurationPart = readonly [count: number, unit: 'day' | 'hour' | 'minute'];

/** A loss in words. */
export type Lost = { readonly loss: string; readonly isWorst: boolean };

/** Change of an alert that a message is about. */
export type MessageChange =
  'raised' | 'acknowledged' | 'reopened' | 'resolved' | 'invalidated' | 'ended' | 'merged';

/** The day that a day was compared with; without `planned` the planned model of older events. */
export type ExpectedDay = {
  readonly date: string;
  readonly planned: PlannedAs | undefined;
  readonly comparedWith: Deviation['comparedWith'];
};
