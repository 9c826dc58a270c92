/** Longest time that tests wait for one thing, in ms: long, since a busy machine is no fault. */
export const longestMs = 90_000;
