/** Cures of warnings by their codes, one sentence each. */
const cures: Readonly<Record<string, string>> = {
  clockShifted:
    'Check the offsets of the time stamps, import stamps of a local clock with the time zone of the source and clock=local, and import these days again.',
  correctionsWait: 'Nothing needs to be done: the points are durable, and reads show them from then on.',
  counterJump: 'Correct the reading, or take back the days after it, and import them again.',
  counterReset: 'Nothing needs to be done: the interval has no amount, since its use cannot be known.',
  counterRollOver: 'Nothing needs to be done if the meter has so many digits; else correct the reading.',
  dayMonthSwapped:
    'Write the dates as YYYY-MM-DD, or day first with dateFormat=DD/MM/YYYY HH:mm, import the file again, and take the wrong days back.',
  daysMissing: 'Import the missing dates if the source has data of them.',
  duplicate: 'Nothing needs to be done if the repeated rows are copies; else correct their times.',
  futureDays: 'Check the year and the order of day and month, and take back days that are wrong.',
  latePoint: 'Nothing needs to be done if all points of these slices were sent; else send them together.',
  lessThanAYear: 'Learn the source again when it has data of a whole year.',
  localStamps:
    'Write the stamps with their offset from UTC if the order of the rows does not tell which hour is meant.',
  looksCumulative:
    'If the values are readings of a register, import them into a source with aggregation=counter, which takes their differences.',
  moreWarnings: 'Correct what the listed warnings have in common, and import again.',
  notCumulative:
    'Create a source with aggregation=sum if the values are amounts, or with aggregation=mean if they are levels.',
  oneRowADay:
    'Import the values of the hours or slices of each day: a total for a day has no profile to learn.',
  repeatedBlock: 'Find out which dates the values belong to, and import the right values of the other dates.',
  skippedHour: 'Check the time zone of the source, or send null for hours that its clock skips.',
  thousands: 'Import the file again with decimal=. if the comma separates thousands.',
  unitChanged:
    'Convert the values from that date on to the unit of the days before and import them again, or learn the source again if the new unit stays.',
};

/** Codes of all warnings. */
export const warningCodes: readonly string[] = Object.keys(cures);

/** The cure of a warning; codes of other versions have a general one. */
export const cureOf = (code: string): string =>
  cures[code] ?? 'Read the detail, and import corrected data if they are not what was meant.';

/** Warnings with their cures: those are not stored, so old imports have them, too. */
export const withCures = <Warning extends { readonly code: string }>(
  warnings: readonly Warning[],
): readonly (Warning & { readonly cure: string })[] =>
  warnings.map(warning => ({ ...warning, cure: cureOf(warning.code) }));
