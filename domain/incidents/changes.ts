/**
 * Types of changes of a source that stay. `level`: everything more or less; `clock`: everything earlier or later;
 * `opening`: a stretch at one end of the active time is closed or open now; `shape`: another course of the day.
 */
export const changeTypes = ['level', 'clock', 'opening', 'shape'] as const;
export type ChangeType = (typeof changeTypes)[number];

/** Fewest like days from which a change is seen, and the largest number that is looked at. */
export const likeDaysMin = 3;
export const likeDaysMax = 14;

/** A change of a source, as an incident names it. */
export type Change = {
  readonly type: ChangeType;
  /**
   * `level`: share more, negative for less; `clock`: minutes later, negative for earlier; `opening`: minutes of the
   * stretch, negative when it is closed now; `shape`: mean distance from the expected course, as a share of its mean.
   */
  readonly size: number;
  /** First of the like days. */
  readonly from: string;
  /** For `opening`: its stretch in minutes after midnight, `to` exclusive. */
  readonly minutes?: readonly [from: number, to: number];
  /** For `clock`: whether the clock of the source changed by an hour just before. */
  readonly daylightSaving?: true;
};

/** A change with what it makes expected. */
export type MeasuredChange = Change & {
  /** For `opening`: values of its stretch by slice; for `shape`: those of the whole day. */
  readonly values?: readonly number[];
  /** For `shape`: the planned model that it replaces. */
  readonly modelId?: number;
};

/** A change of one source of an incident. */
export type SourceChange = Change & { readonly sourceId: number };

/** Smallest difference of sizes, as a share, that makes another change of the same type. */
const sameShare = 0.5;

/** Whether a change is one that was recognised before, seen on more days. */
export const isSameChange = (one: Change, other: Change): boolean =>
  one.type === other.type &&
  Math.sign(one.size) === Math.sign(other.size) &&
  Math.abs(one.size - other.size) <= sameShare * Math.abs(other.size);

/**
 * A change found now, with the date of the one before if they are the same: the days that are looked at move on.
 */
export const continued = (found: Change, before: Change | undefined): Change =>
  before && isSameChange(found, before) && before.from < found.from ? { ...found, from: before.from } : found;

/** The change of the source of the most critical alert of an incident, else the first; null without one. */
export const mainChange = ({
  changes = [],
  mainAlertId,
}: {
  readonly changes?: readonly SourceChange[];
  readonly mainAlertId: string;
}): SourceChange | null =>
  changes.find(({ sourceId }) => mainAlertId.startsWith(`${sourceId}-`)) ?? changes[0] ?? null;
