import type { Decimal, Separator } from '../csvForm.js';
import type { DateFormat } from '../stampFormats.js';

/** A column of a CSV and what it seems to hold. */
export type SeenColumn = {
  /** From 1. */
  readonly number: number;
  readonly name: string | null;
  readonly kind: 'date' | 'value' | 'other';
  readonly example: string;
};

/** Probable form of a CSV body, from its beginning. */
export type Inspection = {
  readonly separator: Separator;
  /** null when no column has values. */
  readonly decimal: Decimal | null;
  /** null when no column has dates of a known format. */
  readonly dateFormat: DateFormat | null;
  readonly header: readonly string[] | null;
  readonly columns: readonly SeenColumn[];
  /** Rows of data that were looked at. */
  readonly rows: number;
  /** Median of the seconds between two rows; null when there are fewer than two dates. */
  readonly stepSeconds: number | null;
  /** The first dates, as the file writes them, each with the number of its rows. */
  readonly days: readonly { readonly date: string; readonly rows: number }[];
  /** The latest date, as the file writes it; null without dates. */
  readonly lastDate: string | null;
  /** Least and largest value, read by `decimal`; null without values. */
  readonly range: { readonly min: number; readonly max: number } | null;
  /** Value such as `70,952` when all decimals look like thousands, else null. */
  readonly thousands: string | null;
  readonly isUtf8: boolean;
  /** Fault of a file that is not text, with advice; null for text. */
  readonly notText: string | null;
  readonly unread: UnreadRows;
};

/** Inspected rows that an import would refuse. */
export type UnreadRows = {
  /** Numbers of rows with an unreadable date, and with an unreadable value. */
  readonly dates: number;
  readonly values: number;
  /** The first unreadable value. */
  readonly value: string;
  /** Rows with an earlier time than the row before, and the largest such step in seconds. */
  readonly backwards: number;
  readonly backSeconds: number;
  /** Whether the first line is `sep=;`, for Excel. It is not among the rows. */
  readonly separatorLine: boolean;
};
