/** Facts of a source and a covariate of it that decide which dates of an import of the covariate are noted. */
export type NoteFacts = {
  /** Whether a check of the source is pending: it may know a value between the recorded one and the present one. */
  readonly isCheckPending: boolean;
  readonly hasRecent: (date: string) => boolean;
  /** Value of the covariate that the last check of a date knew, and the present one; null for none. */
  readonly knownValue: (date: string) => number | null;
  readonly presentValue: (date: string) => number | null;
};

/**
 * Dates of an import of a covariate that are noted in the source: those with recent days whose check knew another value
 * or none, and all with recent days while a check of the source is pending.
 */
export const notedDates = (
  dates: readonly string[],
  { isCheckPending, hasRecent, knownValue, presentValue }: NoteFacts,
): string[] =>
  dates.filter(date => hasRecent(date) && (isCheckPending || knownValue(date) !== presentValue(date)));
