import { faultsMax } from '../../domain/rejection.js';
import { InvalidInput, shown, type InputFault } from '../../application/requests/imports/faults.js';
import type { LocalClock } from '../../application/ports/localClock.js';
import { runSteps } from '../../application/ports/sharing/turns.js';
import { dateOf, dayNumber, secondsPerDay, dateAfter } from '../../domain/dates.js';
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
import {
  clockDays,
  dateBy,
  eventDaysMax,
  fileClocks,
  lengthOf,
  listedTimes,
  listedTimesMax,
  localBy,
  timeOf,
  timeOfDay,
  type FileClocks,
  type Time,
} from './times.js';

/** Limits of a file: bytes, events, events with a rule, days of an event, dates of a list, all days, nesting. */
export const fileLimits = {
  bytesMax: 1_000_000,
  eventsMax: 5000,
  recurringMax: 50,
  daysMax: eventDaysMax,
  listedMax: listedTimesMax,
  touchedMax: 200_000,
  depthMax: 8,
} as const;

/** Starts of an event whose dates are computed in one turn. */
const startsInTurn = 100;

/** How the dates of a file are computed. */
export type FileRule = {
  readonly window: DateWindow;
  /** The date on which rules without a start go on. */
  readonly today: string;
  /** The clock of the place, whose dates times of other time zones belong to. */
  readonly clock: LocalClock;
  readonly yieldToEventLoop: () => Promise<void> | undefined;
};

/** An event of a file: its start, how long it lasts, and what repeats and leaves out. */
type FileEvent = {
  readonly line: number;
  readonly uid: string | undefined;
  readonly isCancelled: boolean;
  /** The date at the place of the repetition that this event takes the place of. */
  readonly instead: string | undefined;
  /** Dates of the rule and of `leftOut` are those of its clock. */
  readonly start: Time;
  /** Seconds of the clock of the start. */
  readonly length: number;
  readonly rule: { readonly line: number; readonly recurrence: Recurrence } | undefined;
  readonly added: readonly Time[];
  readonly leftOut: readonly Time[];
};

/** The event of the properties of a VEVENT. @throws LineFault */
const eventOf = (line: number, found: readonly Property[], clocks: FileClocks): FileEvent => {
  const one = (name: string): Property | undefined => {
    const all = found.filter(property => property.name === name);
    if (all[1]) throw new LineFault(all[1].line, 'propertyRepeated', `got ${name} twice, expected it once`);
    return all[0];
  };
  const time = (property: Property): Time => timeOf(property, property.value.trim().toUpperCase(), clocks);
  const begin = one('DTSTART');
  if (!begin) throw new LineFault(line, 'startMissing', 'got an event without DTSTART, expected one');
  const start = time(begin);
  const times = (name: string): readonly Time[] =>
    listedTimes(
      found.filter(property => property.name === name),
      start,
      clocks,
    );
  const [repeat, instead] = [one('RRULE'), one('RECURRENCE-ID')];
  return {
    line,
    uid: one('UID')?.value.trim(),
    isCancelled: one('STATUS')?.value.trim().toUpperCase() === 'CANCELLED',
    instead: instead && dateBy(clocks.place, time(instead)),
    start,
    length: lengthOf(start, one('DTEND'), one('DURATION'), clocks),
    rule: repeat && { line: repeat.line, recurrence: recurrenceAt(repeat, start, clocks) },
    added: times('RDATE'),
    leftOut: times('EXDATE'),
  };
};

/** The rule of an event, for dates of the clock of its start. */
const recurrenceAt = (property: Property, start: Time, clocks: FileClocks): Recurrence => {
  const untilDate = (text: string): string | undefined => {
    if (dateValue(text) === undefined) return undefined;
    const until = timeOf(property, text, clocks, start.clock);
    const isBeforeStart =
      !until.isDate && timeOfDay({ local: localBy(start.clock, until) }) < timeOfDay(start);
    const date = dateBy(start.clock, until);
    return isBeforeStart ? dateAfter(date, -1) : date;
  };
  try {
    return parseRecurrence(property.value, dateBy(start.clock, start), untilDate);
  } catch (error) {
    throw errorAt(property.line, error);
  }
};

/** Error of a rule at a line: a rule that cannot be used is a fault. */
const errorAt = (line: number, error: unknown): unknown =>
  error instanceof RecurrenceInvalid ? new LineFault(line, error.code, error.message) : error;

/** Properties of an event that say its dates. Others are not kept: a file may have many. */
const usedProperties: ReadonlySet<string> = new Set([
  ...['UID', 'STATUS', 'DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID'],
]);

/** Properties of a file, read in short turns. */
async function* inTurns(text: string, { yieldToEventLoop }: FileRule): AsyncGenerator<Property> {
  for (const property of properties(text)) {
    await yieldToEventLoop();
    yield property;
  }
}

/** Reads the events of a file; faults of single events are added to a list. @throws LineFault for the file */
const readEvents = async (
  text: string,
  rule: FileRule,
  faults: InputFault[],
): Promise<readonly FileEvent[]> => {
  const clocks = fileClocks(text, rule.clock, rule.window);
  const events: FileEvent[] = [];
  const open: string[] = [];
  let [count, begin, last] = [0, 0, 0];
  let found: Property[] = [];
  for await (const property of inTurns(text, rule)) {
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
      addEvent(events, faults, () => eventOf(begin, found, clocks));
    } else if (open.length === 2 && open[1] === 'VEVENT' && usedProperties.has(name)) found.push(property);
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

/** Dates of the rule of an event; none without one. @throws LineFault */
const repeatedDates = async (
  { rule, length }: FileEvent,
  window: DateWindow,
  { today, yieldToEventLoop }: FileRule,
): Promise<readonly string[]> => {
  if (!rule) return [];
  // The dates around the window of the file are left out later.
  const most = ruleDatesMax + 1 + Math.ceil(length / secondsPerDay) + 2 * clockDays;
  try {
    return await runSteps(recurrenceDates(rule.recurrence, window, today, most), yieldToEventLoop);
  } catch (error) {
    throw errorAt(rule.line, error);
  }
};

/** Starts of an event in a window, without those that other events take the place of. */
const startsOf = async (
  event: FileEvent,
  replaced: ReadonlySet<string>,
  fileRule: FileRule,
): Promise<readonly Time[]> => {
  const { start, length, added, leftOut, uid, instead } = event;
  const { window, clock } = fileRule;
  // An event that begins before the window may reach into it, and its dates may be of another clock.
  const from = dateOf(dayNumber(window.from) - Math.ceil(length / secondsPerDay) - clockDays);
  const to = dateAfter(window.to, clockDays);
  const repeated = await repeatedDates(event, { from, to }, fileRule);
  const times = repeated.map(date => ({
    ...start,
    local: dayNumber(date) * secondsPerDay + timeOfDay(start),
  }));
  const left = new Set(leftOut.map(time => dateBy(start.clock, time)));
  const isReplaced = (time: Time): boolean =>
    left.has(dateBy(start.clock, time)) ||
    (instead === undefined && replaced.size > 0 && replaced.has(`${uid} ${dateBy(clock, time)}`));
  const [first, end] = [dayNumber(from) * secondsPerDay, (dayNumber(to) + 1) * secondsPerDay];
  return [start, ...times, ...added].filter(
    time => first <= time.local && time.local < end && !isReplaced(time),
  );
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
    for (const [index, start] of (await startsOf(event, replaced, rule)).entries()) {
      if (index > 0 && index % startsInTurn === 0) await rule.yieldToEventLoop();
      const end = { ...start, local: start.local + Math.max(event.length, 1) - 1 };
      const [first, last] = [dayNumber(dateBy(rule.clock, start)), dayNumber(dateBy(rule.clock, end))];
      touched += last - first + 1;
      for (let day = first; day <= last; day += 1) {
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
    const text = utf8Text(bytes);
    const events = await readEvents(text, rule, faults);
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
