import type { Deviation, PlannedAs } from '../alerts/findings.js';
import type { CycleOfDays, DayCycle, MonthDay } from '../planning/dayCycles.js';
import type { DayType } from '../planning/calendar.js';

/** Year, month from 0 and day of a date. */
export const datePartsOf = (date: string) => ({
  year: date.slice(0, 4),
  month: Number(date.slice(5, 7)) - 1,
  day: Number(date.slice(8)),
});

/** Largest distance of a share from a fraction that is named by its word. */
const near = 0.02;

/** Whether a change by a share, up or down, is named by the word of a fraction. */
export const isNear = (size: number, share: number): boolean => Math.abs(Math.abs(size) - share) <= near;

/** A part of a duration: a whole number of a unit. */
export type DurationPart = readonly [count: number, unit: 'day' | 'hour' | 'minute'];

/** A loss in words. */
export type Lost = { readonly loss: string; readonly isWorst: boolean };

/** Change of an alert that a message is about. */
export type MessageChange =
  'raised' | 'acknowledged' | 'reopened' | 'resolved' | 'invalidated' | 'ended' | 'merged';

/** The day that a day was compared with; without `planned` the planned model of older events. */
export type ExpectedDay = {
  readonly date: string;
  readonly planned: PlannedAs | undefined;
  readonly comparedWith: Deviation['comparedWith'];
};

/** Reference days that a reason counts: those of a kind, near the date in the season where the season counts. */
export type CountedDays =
  | { readonly by: 'weekday'; readonly weekday: number }
  | { readonly by: 'phase' | 'monthDay' | 'holiday' | 'bridge' | 'name' }
  | { readonly by: 'christmas'; readonly isWorking: boolean };

/** A smaller group of the counted days: those of the same name, or at most so many days away in the season. */
export type NearerDays = { readonly by: 'name' } | { readonly by: 'season'; readonly days: number };

/** Number of days that follow the model, of all of a group. */
export type Followed = { readonly following: number; readonly of: number };

/** Without days of a kind: similar days of the season, of other seasons, or none. */
export type Otherwise = 'others' | 'otherSeasons' | 'none';

/** Kind of a date besides its weekday and its season: a place in a cycle, or its type. */
export type DateKind =
  | { readonly type: 'phase'; readonly phase: number; readonly cycle: CycleOfDays }
  | { readonly type: 'monthDay'; readonly monthDay: MonthDay }
  | DayType;

/** Words of reasons and cycles in one language. Texts that follow others begin with a space, a comma or a semicolon. */
export type ReasonTexts = {
  /** The kind of a date, with a colon; empty for an ordinary date. */
  readonly intro: (kind: DateKind) => string;
  /** `days` names one day of the group, or several. */
  readonly follows: (counted: Followed, days: string, model: string) => string;
  /** The counted days, with "reference", or the only one of them. */
  readonly days: (days: CountedDays, date: string, isOne: boolean) => string;
  readonly nearer: (nearer: NearerDays, days: CountedDays, date: string, isOne: boolean) => string;
  /** The counts of all counted days after those of a smaller group. */
  readonly ofAll: (counted: Followed, days: CountedDays) => string;
  /** More of the counted days follow the model than any other one. */
  readonly more: string;
  /** Why a model is planned that fewer than half follow: it is nearest to their mean, or other days decide. */
  readonly despite: (why: 'mean' | 'others', counted: Followed, days: string, model: string) => string;
  readonly otherwise: (which: Otherwise, days: string, model: string) => string;
  readonly unknownHolidays: (from: number, to: number) => string;
  readonly noModel: string;
  readonly noModels: string;
  readonly setBy: (model: string, by: string, earlier: string | null) => string;
  /** A cycle and how it was found. */
  readonly cycle: (cycle: DayCycle) => string;
};
