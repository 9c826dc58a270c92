import {
  faultsMax,
  InvalidInput,
  shown,
  type InputFault,
} from '../../application/requests/imports/faults.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { ruleDatesMax } from '../../domain/planning/calendarRules.js';
import { LineFault, properties, utf8Text, type Property } from './contentLines.js';
import {
  dateValue,
  parseRecurrence,
  recurrenceDates,
  RecurrenceInvalid,
  type DateWindow,
  type Recurrence,
} from './recurrence.js';

/** Limits of a file: bytes, events, events with a rule, days of an event, dates of a list, all days, nesting. */
export const fileLimits = {
  bytesMax: 1_000_000,
  eventsMax: 5000,
  recurringMax: 50,
  daysMax: 400,
  listedMax: 1000,
  touchedMax: 200_000,
  depthMax: 8,
} as const;

/** How the dates of a file are computed. */
export type FileRule = {
  readonly window: DateWindow;
  /** The date on which rules without a start go on. */
  readonly today: string;
  /** The local date of an instant, in ms since 1970: times in UTC belong to the date of the place. */
  readonly localDate: (ms: number) => string;
  readonly yieldToEventLoop: () => Promise<void> | undefined;
};

/** An event of a file: its first date, the number of its dates, and what repeats and leaves out. */
type FileEvent = {
  readonly line: number;
  readonly uid: string | undefined;
  readonly isCancelled: boolean;
  /** The date of the repetition that this event takes the place of. */
  readonly instead: string | undefined;
  readonly start: string;
  readonly days: number;
  readonly rule: { readonly line: number; readonly recurrence: Recurrence } | undefined;
  readonly added: readonly string[];
  readonly leftOut: readonly string[];
};

const expected = ({ line, name, value }: Property, what: string): LineFault =>
  new LineFault(line, 'value', `got ${name}:${shown(value)}, expected ${what}`);

/** A time of a property: its local date, its local time of day in seconds; a date has no time. */
type Time = { readonly date: string; readonly seconds: number | undefined; readonly ms: number };

const timeText = 'a date such as 20261224 or a time such as 20261224T080000Z';

const timeOf = (property: Property, text: string, { localDate }: Pick<FileRule, 'localDate'>): Time => {
  const date = dateValue(text);
  if (date === undefined) throw expected(property, timeText);
  const [, hours, minutes, seconds, utc] = /T(\d\d)(\d\d)(\d\d)(Z?)$/.exec(text) ?? [];
  if (hours === undefined) return { date, seconds: undefined, ms: dayNumber(date) * 86_400_000 };
  const ofDay = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const ms = dayNumber(date) * 86_400_000 + ofDay * 1000;
  return utc === 'Z' ? { date: localDate(ms), seconds: ofDay, ms } : { date, seconds: ofDay, ms };
};

/** Whole days and seconds of a DURATION (RFC 5545 §3.3.6). */
const durationOf = (property: Property): number => {
  const [, weeks, days, hours, minutes, seconds] =
    /^\+?P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?)$/.exec(
      property.value.trim().toUpperCase(),
    ) ?? [];
  const parts = [weeks, days, hours, minutes, seconds];
  if (parts.every(part => part === undefined)) throw expected(property, 'a duration such as P1D');
  const [w = 0, d = 0, h = 0, m = 0, s = 0] = parts.map(part => Number(part ?? 0));
  return (7 * w + d) * 86_400 + h * 3600 + m * 60 + s;
};

/** The number of dates that an event touches. */
const daysOf = (
  start: Time,
  end: Property | undefined,
  duration: Property | undefined,
  rule: FileRule,
): number => {
  let last = start.date;
  if (end) {
    const time = timeOf(end, end.value.trim().toUpperCase(), rule);
    if (time.ms < start.ms) throw expected(end, 'an end after the start');
    // The end is exclusive: an event until midnight does not touch the next date.
    const isUtc = end.value.trim().toUpperCase().endsWith('Z');
    if (time.seconds === undefined) last = dateOf(dayNumber(time.date) - 1);
    else if (isUtc) last = rule.localDate(time.ms - 1);
    else last = dateOf(Math.floor((time.ms - 1) / 86_400_000));
  } else if (duration) {
    const ms = durationOf(duration) * 1000;
    last = dateOf(
      Math.floor((dayNumber(start.date) * 86_400_000 + (start.seconds ?? 0) * 1000 + ms - 1) / 86_400_000),
    );
  }
  const days = Math.max(1, dayNumber(last) - dayNumber(start.date) + 1);
  const property = end ?? duration;
  if (property && days > fileLimits.daysMax)
    throw expected(property, `an event of at most ${fileLimits.daysMax} days`);
  return days;
};

/** Dates of properties that list times. */
const listed = (found: readonly Property[], rule: FileRule): readonly string[] =>
  found.flatMap(property => {
    const texts = property.value.trim().toUpperCase().split(',');
    if (texts.length > fileLimits.listedMax)
      throw expected(property, `at most ${fileLimits.listedMax} dates`);
    return texts.map(text => timeOf(property, text.split('/')[0] ?? '', rule).date);
  });

/** The event of the properties of a VEVENT. @throws LineFault */
const eventOf = (line: number, found: readonly Property[], rule: FileRule): FileEvent => {
  const one = (name: string): Property | undefined => {
    const all = found.filter(property => property.name === name);
    if (all[1]) throw new LineFault(all[1].line, 'propertyRepeated', `got ${name} twice, expected it once`);
    return all[0];
  };
  const time = (property: Property): Time => timeOf(property, property.value.trim().toUpperCase(), rule);
  const begin = one('DTSTART');
  if (!begin) throw new LineFault(line, 'startMissing', 'got an event without DTSTART, expected one');
  const start = time(begin);
  const [repeat, instead] = [one('RRULE'), one('RECURRENCE-ID')];
  return {
    line,
    uid: one('UID')?.value.trim(),
    isCancelled: one('STATUS')?.value.trim().toUpperCase() === 'CANCELLED',
    instead: instead && time(instead).date,
    start: start.date,
    days: daysOf(start, one('DTEND'), one('DURATION'), rule),
    rule: repeat && { line: repeat.line, recurrence: recurrenceAt(repeat, start.date, rule) },
    added: listed(
      found.filter(({ name }) => name === 'RDATE'),
      rule,
    ),
    leftOut: listed(
      found.filter(({ name }) => name === 'EXDATE'),
      rule,
    ),
  };
};

const recurrenceAt = (property: Property, start: string, rule: FileRule): Recurrence => {
  const untilDate = (text: string): string | undefined =>
    dateValue(text) === undefined ? undefined : timeOf(property, text, rule).date;
  return atLine(property.line, () => parseRecurrence(property.value, start, untilDate));
};

/** Runs a function; a rule that cannot be used is a fault at a line. */
const atLine = <Result>(line: number, run: () => Result): Result => {
  try {
    return run();
  } catch (error) {
    if (error instanceof RecurrenceInvalid) throw new LineFault(line, error.code, error.message);
    throw error;
  }
};

/** Reads the events of a file; faults of single events are added to a list. @throws LineFault for the file */
const readEvents = (text: string, rule: FileRule, faults: InputFault[]): FileEvent[] => {
  const events: FileEvent[] = [];
  const open: string[] = [];
  let [count, begin, last] = [0, 0, 0];
  let found: Property[] = [];
  for (const property of properties(text)) {
    const { line, name, value } = property;
    last = line;
    const component = value.trim().toUpperCase();
    if (open.length === 0 && !(name === 'BEGIN' && component === 'VCALENDAR'))
      throw new LineFault(line, 'notACalendar', `got ${shown(`${name}:${value}`)}, expected BEGIN:VCALENDAR`);
    if (name === 'BEGIN') {
      open.push(component);
      if (open.length > fileLimits.depthMax)
        throw new LineFault(
          line,
          'nesting',
          `got components in ${open.length} others, expected at most ${fileLimits.depthMax}`,
        );
      if (open.length === 2 && component === 'VEVENT') [begin, found] = [line, []];
    } else if (name === 'END') {
      const opened = open.pop();
      if (opened !== component)
        throw new LineFault(
          line,
          'componentEnd',
          `got END:${shown(component)}, expected END:${shown(opened ?? '')}`,
        );
      if (open.length !== 1 || component !== 'VEVENT') continue;
      count += 1;
      if (count > fileLimits.eventsMax)
        throw new LineFault(
          begin,
          'tooManyEvents',
          `got event ${count}, expected at most ${fileLimits.eventsMax}`,
        );
      addEvent(events, faults, () => eventOf(begin, found, rule));
    } else if (open.length === 2 && open[1] === 'VEVENT') found.push(property);
  }
  const missing = last === 0 ? 'BEGIN:VCALENDAR' : `END:${open.at(-1) ?? ''}`;
  if (open.length > 0 || last === 0)
    throw new LineFault(
      Math.max(last, 1),
      'componentEnd',
      `got the end of the file, expected ${shown(missing)}`,
    );
  return events;
};

const addEvent = (events: FileEvent[], faults: InputFault[], read: () => FileEvent): void => {
  try {
    events.push(read());
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    faults.push({ line: error.line, code: error.code, detail: error.message });
    if (faults.length >= faultsMax) throw new TooManyFaults();
  }
};

class TooManyFaults extends Error {
  readonly name = 'TooManyFaults';
}

/** The first dates of an event in a window, without those that other events take the place of. */
const startsOf = (
  event: FileEvent,
  replaced: ReadonlySet<string>,
  { window, today }: FileRule,
): readonly string[] => {
  const { rule, start, added, leftOut, uid } = event;
  // An event that begins before the window may reach into it.
  const from = dateOf(dayNumber(window.from) - event.days);
  const repeated = rule
    ? atLine(rule.line, () => recurrenceDates(rule.recurrence, { from, to: window.to }, today))
    : [];
  const isReplaced = (date: string): boolean =>
    leftOut.includes(date) || (event.instead === undefined && replaced.has(`${uid} ${date}`));
  return [start, ...repeated, ...added].filter(date => !isReplaced(date));
};

const refusal = (faults: readonly InputFault[]): InvalidInput =>
  new InvalidInput(
    'calendarInvalid',
    `the calendar has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: nothing was stored`,
    faults,
  );

/** The dates of events in a window, ascending. */
const datesOf = async (events: readonly FileEvent[], rule: FileRule): Promise<readonly string[]> => {
  const { from, to } = rule.window;
  const replaced = new Set(
    events.flatMap(({ uid, instead }) => (instead === undefined ? [] : [`${uid} ${instead}`])),
  );
  const dates = new Set<string>();
  let touched = 0;
  for (const event of events) {
    await rule.yieldToEventLoop();
    if (event.isCancelled) continue;
    for (const start of startsOf(event, replaced, rule)) {
      const first = dayNumber(start);
      touched += event.days;
      for (let day = first; day < first + event.days; day += 1) {
        const date = dateOf(day);
        if (from <= date && date <= to) dates.add(date);
      }
      if (dates.size > ruleDatesMax || touched > fileLimits.touchedMax)
        throw new LineFault(
          event.line,
          'tooManyDates',
          `got more than ${ruleDatesMax} dates from ${from} to ${to}, expected at most ${ruleDatesMax}`,
        );
    }
  }
  return [...dates].sort();
};

const requireFewRules = (events: readonly FileEvent[]): void => {
  const { recurringMax } = fileLimits;
  const recurring = events.filter(({ rule }) => rule !== undefined);
  const extra = recurring[recurringMax];
  if (extra)
    throw new LineFault(
      extra.line,
      'tooManyRules',
      `got ${recurring.length} events with RRULE, expected at most ${recurringMax}`,
    );
};

/**
 * The dates that the events of an iCalendar file touch in a window: ascending, each once, at most 1,000.
 * @throws InvalidInput `calendarInvalid` with the lines of the first faults
 */
export const fileDates = async (bytes: Uint8Array, rule: FileRule): Promise<readonly string[]> => {
  const faults: InputFault[] = [];
  try {
    const events = readEvents(utf8Text(bytes), rule, faults);
    if (faults.length > 0) throw refusal(faults);
    requireFewRules(events);
    const dates = await datesOf(events, rule);
    if (dates.length > 0) return dates;
    const { from, to } = rule.window;
    throw new LineFault(
      1,
      'noDates',
      `got ${events.length} events and none from ${from} to ${to}, expected at least one`,
    );
  } catch (error) {
    if (error instanceof TooManyFaults) throw refusal(faults);
    if (error instanceof LineFault)
      throw refusal([...faults, { line: error.line, code: error.code, detail: error.message }]);
    throw error;
  }
};
