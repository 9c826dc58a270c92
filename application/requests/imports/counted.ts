/** A whole number with commas: `52,704`. */
export const counted = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** A count and its noun: `1 day`, `2,000 days`. */
export const plural = (count: number, noun: string): string =>
  `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;
