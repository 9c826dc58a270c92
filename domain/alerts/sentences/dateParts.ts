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
