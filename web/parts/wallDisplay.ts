/** A wall display. */
export const wall = '(min-width: 118.75em)';

/** Days of the overview on it; elsewhere the service decides. */
export const daysOnWall = 56;
