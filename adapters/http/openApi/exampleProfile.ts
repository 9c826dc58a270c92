/** Passages of an entrance on a working day, by hour. */
const passages = [
  0, 0, 0, 0, 0, 2, 12, 48, 96, 110, 104, 98, 120, 112, 101, 95, 99, 118, 84, 40, 15, 6, 2, 0,
];

/** A day profile for examples. `share` changes each value: −0.2 is a fifth less. */
export const exampleProfile = (share = 0): number[] => passages.map(value => Math.round(value * (1 + share)));
