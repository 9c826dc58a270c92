/** Limits of a JSON body with days. */
export type DaysBodyLimits = {
  readonly bytesMax: number;
  /** Bytes of one element of `days`. */
  readonly elementBytesMax: number;
  /** Bytes outside the elements of `days`. */
  readonly envelopeBytesMax: number;
  /** Objects and arrays inside each other. */
  readonly depthMax: number;
};

export const daysBodyLimits: DaysBodyLimits = {
  bytesMax: 200_000_000,
  elementBytesMax: 262_144,
  envelopeBytesMax: 65_536,
  depthMax: 8,
};
