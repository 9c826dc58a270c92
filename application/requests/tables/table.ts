import type { StoredDay } from '../../../projections/days/storedDays.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';

/** A value of a row; null for no value. Dates are YYYY-MM-DD, instants ISO 8601 in UTC. */
export type Value = string | number | boolean | null;

export type ColumnKind = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'instant';

/** Dates of the rows: from `from` (inclusive) to `to` (exclusive). */
export type DateRange = { readonly from: string; readonly to: string };

/** All dates: `to` sorts after each of them. */
export const allDates: DateRange = { from: '', to: '~' };

/** A table of facts about sources. Rows have one value for each column. */
export type DataTable = {
  /** Kinds of the values by the name of the column, in the order of the columns. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Number of rows of a source at most, from counts of the read models. */
  readonly rowsMax: (models: ReadModels, source: SourceSetup, range: DateRange) => number;
  /**
   * Rows of a source, read when they are taken: the read models must stay as they are until then.
   * Tables without dates ignore the range.
   */
  readonly rows: (models: ReadModels, source: SourceSetup, range: DateRange) => Iterable<readonly Value[]>;
};

/** Stored days of a range, reference days first, read when they are taken. */
export function* daysOf(
  { days }: Pick<ReadModels, 'days'>,
  { id }: Pick<SourceSetup, 'id'>,
  { from, to }: DateRange,
): Generator<StoredDay> {
  for (const kind of ['reference', 'recent'] as const) yield* days.each(id, kind, from, to);
}

/** Number of slices of the stored days of a range. */
export const slicesOf = (
  { days }: Pick<ReadModels, 'days'>,
  { id, activitySize }: Pick<SourceSetup, 'id' | 'activitySize'>,
  { from, to }: DateRange,
): number => activitySize * (days.count(id, 'reference', from, to) + days.count(id, 'recent', from, to));

/** Rows of a table in groups, so that other work can run in between. */
export type RowGroups = AsyncIterable<readonly (readonly Value[])[]>;

const groupRows = 1000;

/** Groups of rows. `yieldToEventLoop` is awaited after each of them. */
export async function* groupsOf(
  rows: Iterable<readonly Value[]>,
  yieldToEventLoop: () => Promise<void> | undefined,
): AsyncGenerator<readonly (readonly Value[])[]> {
  let group: (readonly Value[])[] = [];
  for (const row of rows) {
    group.push(row);
    if (group.length < groupRows) continue;
    yield group;
    group = [];
    await yieldToEventLoop();
  }
  if (group.length > 0) yield group;
}
