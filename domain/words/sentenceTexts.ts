import type { MonthDay } from '../planning/dayCycles.js';
import type { ReasonTexts } from '../planning/reasonTexts.js';
import type { Deviation, PlannedAs } from '../alerts/findings.js';
import type { Silence } from '../alerts/silence.js';

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

/** Words of the sentence of an incident, around that of its most critical alert. */
export type IncidentTexts = {
  /** A date with its year. */
  readonly date: (date: string) => string;
  readonly sources: (first: string, others: number) => string;
  readonly oneDate: (date: string) => string;
  readonly dates: (alerts: number, since: string, until: string) => string;
};

/** Words of the sentence of a change that stays. */
export type ChangeTexts = {
  /** `size` is a share, such as −0.25. */
  readonly level: (size: number) => string;
  readonly clock: (duration: string, isLater: boolean) => string;
  readonly opening: (stretch: string, isOpen: boolean) => string;
  readonly shape: string;
  readonly daylightSaving: string;
  readonly since: (date: string) => string;
  readonly duration: (hours: number, minutes: number) => string;
};

/** Words of a loss, over the loss that the limits of a day allow. */
export type LossWords = {
  readonly part: (percent: string) => string;
  readonly all: string;
  readonly times: (number: string) => string;
};

/** Words of the names of learned models, by the English words of the stored names. */
export type ModelNameTexts = {
  /** Monday to Sunday, as they begin a name. */
  readonly weekdays: readonly string[];
  /** January to December, in short. */
  readonly months: readonly string[];
  readonly everyDay: string;
  readonly everyDayExcept: (weekday: string) => string;
  readonly daysExcept: (weekdays: string, weekday: string) => string;
  readonly exceptMonth: (month: string) => string;
  readonly holidays: string;
  readonly only: (dates: string) => string;
  readonly dayOfMonth: (day: number, month: string) => string;
  readonly enumeration: (parts: readonly string[]) => string;
  /** One of several models of a name: `lower`, `higher`, `lowest`, `middle`, `highest`. */
  readonly places: Readonly<Record<'lower' | 'higher' | 'lowest' | 'middle' | 'highest', string>>;
  readonly level: (place: number, count: number) => string;
  readonly pattern: (number: number) => string;
  /** A date of the month, such as "last working day of the month". */
  readonly monthDay: (day: MonthDay) => string;
  /** Days of a cycle by their numbers from 1, such as "days 1–4 of 8". */
  readonly cycleDays: (days: string, isOne: boolean, length: number) => string;
  readonly someOfCycle: (count: number, length: number) => string;
  readonly ofWeek: (weekdays: string, week: number) => string;
  /** Weekdays of some weeks of a cycle of `count` weeks. */
  readonly ofWeeks: (weeks: string, count: number) => string;
};

/** A loss in words. */
export type Lost = { readonly loss: string; readonly isWorst: boolean };

/** Words of mails and messages. A text with parts is a function; names are on one line, and not escaped. */
export type MessageTexts = {
  /** Title of a message about an alert, by its change. */
  readonly alert: (source: string, sentence: string, change: MessageChange) => string;
  /** A sentence as it follows the name of its source. */
  readonly afterName: (sentence: string) => string;
  /** `criticity` is a percentage. */
  readonly detail: (date: string, criticity: string) => string;
  /** The same of an alert with a loss, which is that of the day or of the worst one of several days. */
  readonly lossDetail: (date: string, criticity: string, lost: Lost) => string;
  /** A title with its loss in a list. */
  readonly titleWithLoss: (title: string, loss: string) => string;
  /** Meaning of a loss and of a criticity. */
  readonly lossKey: string;
  readonly newModels: (source: string) => string;
  readonly newModelsDetail: string;
  readonly analysisFailed: (source: string) => string;
  /** `reason` is the message of the error, in English. */
  readonly analysisFailedDetail: (reason: string) => string;
  readonly test: string;
  readonly testDetail: string;
  /** The same in messages that are no mails. */
  readonly testArrived: string;
  readonly digest: (count: number, first: string) => string;
  /** Last line of a list that is cut. */
  readonly more: (count: number) => string;
  readonly pictureKey: string;
  readonly pictureText: (title: string) => string;
  readonly open: string;
  readonly footer: (webhookId: string) => string;
};

/** Change of an alert that a message is about. */
export type MessageChange =
  'raised' | 'acknowledged' | 'reopened' | 'resolved' | 'invalidated' | 'ended' | 'merged';

/** The day that a day was compared with; without `planned` the planned model of older events. */
export type ExpectedDay = {
  readonly date: string;
  readonly planned: PlannedAs | undefined;
  readonly comparedWith: Deviation['comparedWith'];
};

/**
 * All words of one language, first those of the sentences of alerts. Numbers come as texts, with `decimal` and the unit
 * of the source; times are `HH:MM`, dates `YYYY-MM-DD`. Phrases that follow others begin with a space or a comma.
 */
export type SentenceTexts = {
  /** Locale of dates with their weekday, such as en-GB. */
  readonly locale: string;
  /** The first day of a month in dates. */
  readonly firstOfMonth: string;
  readonly incident: IncidentTexts;
  readonly change: ChangeTexts;
  readonly loss: LossWords;
  readonly modelName: ModelNameTexts;
  readonly reason: ReasonTexts;
  readonly message: MessageTexts;
  /** A number with a decimal point as readers of the language write it. */
  readonly decimal: (number: string) => string;
  readonly list: (parts: readonly string[]) => string;
  readonly share: (percent: string, side: 'over' | 'under', expected: ExpectedDay) => string;
  /** At least twice what was expected. */
  readonly times: (number: string, expected: ExpectedDay) => string;
  /** `value` is the expected one. */
  readonly instead: (actual: string, value: string, expected: ExpectedDay) => string;
  readonly allDay: string;
  /** The same of a day with a gap. */
  readonly restOfDay: string;
  readonly stretch: (from: string, to: string) => string;
  /** A stretch that lasts at the end of what is known of a date in progress. */
  readonly since: (from: string) => string;
  /** Other stretches outside the limits; `since` is the start of one that lasts. */
  readonly others: (count: number, since: string | undefined) => string;
  /** All stretches of a date in progress are over, or its data are; `to` is the end, unless it is known. */
  readonly over: (to: string | undefined, isNormal: boolean) => string;
  readonly drift: (deviation: string | undefined) => string;
  readonly outside: string;
  /** A day with another course; `deviation` says where it differs most. */
  readonly shape: (deviation: string) => string;
  /** A day whose shape has a name, which is `clock`, `noise` or `repeated`. */
  readonly unlike: (name: string) => string;
  /** The same after what else is unusual. */
  readonly also: (name: string) => string;
  readonly clock: (duration: string, isLater: boolean) => string;
  readonly noise: string;
  readonly repeated: (value: string, when: string) => string;
  readonly gap: (when: string) => string;
  readonly rest: (deviation: string) => string;
  readonly observed: (day: string, usual: string) => string;
  readonly lessThanHalf: string;
  readonly noDay: string;
  readonly frozen: (value: string | undefined, when: string) => string;
  /** Flatline of a source without a reference, compared with the four weeks before. */
  readonly frozenSoFar: (value: string | undefined, when: string) => string;
  readonly onDate: (date: string) => string;
  readonly duration: (parts: readonly DurationPart[]) => string;
  /** `since` is `YYYY-MM-DD HH:MM` in UTC. */
  readonly silence: (
    silence: Pick<Silence, 'lastDate' | 'origin'> & { readonly since: string; readonly within: string },
  ) => string;
  readonly explained: (change: string, values: string) => string;
  readonly notAdjusted: (names: string) => string;
};
