import type { LocalClock } from '../../application/ports/localClock.js';
import { shown } from '../../application/requests/imports/faults.js';
import { dateOf, dayNumber, secondsPerDay } from '../../domain/dates.js';
import { clockOf, timeZoneFault } from '../timeZones.js';
import { LineFault, properties, type Property } from './contentLines.js';
import { dateValue, type DateWindow } from './recurrence.js';

/** IANA time zones of the names of Windows that most calendars of Outlook and Exchange have as TZID. */
export const windowsZones: Readonly<Record<string, string | undefined>> = {
  'AUS Eastern Standard Time': 'Australia/Sydney',
  'Alaskan Standard Time': 'America/Anchorage',
  'Arabian Standard Time': 'Asia/Dubai',
  'Argentina Standard Time': 'America/Argentina/Buenos_Aires',
  'Atlantic Standard Time': 'America/Halifax',
  'Cen. Australia Standard Time': 'Australia/Adelaide',
  'Central Europe Standard Time': 'Europe/Budapest',
  'Central European Standard Time': 'Europe/Warsaw',
  'Central Standard Time': 'America/Chicago',
  'Central Standard Time (Mexico)': 'America/Mexico_City',
  'China Standard Time': 'Asia/Shanghai',
  'E. Australia Standard Time': 'Australia/Brisbane',
  'E. South America Standard Time': 'America/Sao_Paulo',
  'Eastern Standard Time': 'America/New_York',
  'FLE Standard Time': 'Europe/Kiev',
  'GMT Standard Time': 'Europe/London',
  'GTB Standard Time': 'Europe/Bucharest',
  'Greenwich Standard Time': 'Atlantic/Reykjavik',
  'Hawaiian Standard Time': 'Pacific/Honolulu',
  'India Standard Time': 'Asia/Calcutta',
  'Israel Standard Time': 'Asia/Jerusalem',
  'Korea Standard Time': 'Asia/Seoul',
  'Morocco Standard Time': 'Africa/Casablanca',
  'Mountain Standard Time': 'America/Denver',
  'New Zealand Standard Time': 'Pacific/Auckland',
  'Newfoundland Standard Time': 'America/St_Johns',
  'Pacific Standard Time': 'America/Los_Angeles',
  'Romance Standard Time': 'Europe/Paris',
  'Russian Standard Time': 'Europe/Moscow',
  'SE Asia Standard Time': 'Asia/Bangkok',
  'Singapore Standard Time': 'Asia/Singapore',
  'South Africa Standard Time': 'Africa/Johannesburg',
  'Tokyo Standard Time': 'Asia/Tokyo',
  'Turkey Standard Time': 'Europe/Istanbul',
  'US Mountain Standard Time': 'America/Phoenix',
  'W. Australia Standard Time': 'Australia/Perth',
  'W. Europe Standard Time': 'Europe/Berlin',
};

/** Most time zones of a file. */
const zonesMax = 50;

/** A time of a file: seconds of a local clock since 1970. A date is its midnight, a floating time is of the place. */
export type Time = { readonly local: number; readonly isDate: boolean; readonly clock: LocalClock };

/** A fault of a property. */
const expected = ({ line, name, value }: Property, what: string): LineFault =>
  new LineFault(line, 'value', `got ${name}:${shown(value)}, expected ${what}`);

/** The clock of the place of a file, and of the time zones that its properties name. */
export type FileClocks = {
  readonly place: LocalClock;
  /** @throws LineFault for an unknown time zone */
  readonly zoneOf: (property: Property) => LocalClock | undefined;
  /** Whether a time by any clock may be of an event in the window. Converting other times would take long. */
  readonly isNear: (time: Time) => boolean;
};

/** Most days between the dates of two clocks, and of an event. */
export const clockDays = 2;
export const eventDaysMax = 400;
/** Most times of a property that lists them, and of those near the window of an event. */
export const listedTimesMax = 1000;

/** Time zones that the components VTIMEZONE of a file name in X-LIC-LOCATION, by TZID. */
const statedZones = (text: string): ReadonlyMap<string, string> => {
  const zones = new Map<string, string>();
  if (!/X-LIC-LOCATION/i.test(text)) return zones;
  let id: string | undefined;
  let location: string | undefined;
  try {
    for (const { name, value } of properties(text)) {
      const shownValue = value.trim();
      if (name === 'BEGIN' && shownValue.toUpperCase() === 'VTIMEZONE')
        [id, location] = [undefined, undefined];
      else if (name === 'TZID') id = shownValue;
      else if (name === 'X-LIC-LOCATION') location = shownValue;
      if (id !== undefined && location !== undefined) zones.set(id, location);
    }
  } catch (error) {
    // The reading of the events reports the line.
    if (!(error instanceof LineFault)) throw error;
  }
  return zones;
};

/** The clocks of a file for a place and a window. */
export const fileClocks = (text: string, place: LocalClock, window: DateWindow): FileClocks => {
  const from = (dayNumber(window.from) - eventDaysMax - clockDays) * secondsPerDay;
  const to = (dayNumber(window.to) + clockDays) * secondsPerDay;
  const stated = statedZones(text);
  const found = new Map<string, LocalClock>();
  // Some programs write /example.org/Europe/Paris.
  const known = (name: string): LocalClock | undefined =>
    clockOf(stated.get(name) ?? windowsZones[name] ?? name.replace(/^\/.*?([^/]+\/[^/]+)$/, '$1'));
  const zoneOf = ({ line, name, params }: Property): LocalClock | undefined => {
    const zone = params.get('TZID');
    if (zone === undefined) return undefined;
    const kept = found.get(zone);
    if (kept) return kept;
    const clock = known(zone);
    if (!clock) throw new LineFault(line, 'timeZone', `TZID of ${name}: ${timeZoneFault(zone)}`);
    if (found.size >= zonesMax)
      throw new LineFault(line, 'tooManyTimeZones', `got more than ${zonesMax} time zones, expected fewer`);
    found.set(zone, clock);
    return clock;
  };
  return { place, zoneOf, isNear: ({ local }) => from <= local && local < to };
};

const timeText = 'a date such as 20261224 or a time such as 20261224T080000Z';

/** The time of a text of a property (RFC 5545 §3.3.4, §3.3.5). @throws LineFault */
export const timeOf = (
  property: Property,
  text: string,
  { place, zoneOf }: FileClocks,
  floating = place,
): Time => {
  const date = dateValue(text);
  if (date === undefined) throw expected(property, timeText);
  const midnight = dayNumber(date) * secondsPerDay;
  const [, hours, minutes, seconds, utc] = /T(\d\d)(\d\d)(\d\d)(Z?)$/.exec(text) ?? [];
  if (hours === undefined) return { local: midnight, isDate: true, clock: place };
  // A leap second belongs to its date.
  const ofDay = Number(hours) * 3600 + Number(minutes) * 60 + Math.min(Number(seconds), 59);
  const clock = utc === 'Z' ? clockOf('UTC')! : (zoneOf(property) ?? floating);
  return { local: midnight + ofDay, isDate: false, clock };
};

/** The time of a clock at a time of another one; a skipped time is as long after the skip as after its start. */
export const localBy = (clock: LocalClock, time: Time): number => {
  if (time.isDate || clock.timeZone === time.clock.timeZone) return time.local;
  const at =
    time.clock.instantsOf(time.local)[0] ??
    time.local - time.clock.periodAt(time.local - secondsPerDay).offset;
  return at + clock.periodAt(at).offset;
};

/** The date of a clock at a time. */
export const dateBy = (clock: LocalClock, time: Time): string =>
  dateOf(Math.floor(localBy(clock, time) / secondsPerDay));

/** Seconds of a DURATION (RFC 5545 §3.3.6). @throws LineFault */
const durationOf = (property: Property): number => {
  const [, weeks, days, hours, minutes, seconds] =
    /^\+?P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?)$/.exec(
      property.value.trim().toUpperCase(),
    ) ?? [];
  const parts = [weeks, days, hours, minutes, seconds];
  if (parts.every(part => part === undefined)) throw expected(property, 'a duration such as P1D');
  const [w = 0, d = 0, h = 0, m = 0, s = 0] = parts.map(part => Number(part ?? 0));
  return (7 * w + d) * secondsPerDay + h * 3600 + m * 60 + s;
};

/** Seconds of the day of a time. */
export const timeOfDay = ({ local }: Pick<Time, 'local'>): number =>
  local - Math.floor(local / secondsPerDay) * secondsPerDay;

/** Seconds of the local clock that an event lasts. */
export const lengthOf = (
  start: Time,
  end: Property | undefined,
  duration: Property | undefined,
  clocks: FileClocks,
): number => {
  let length = start.isDate ? secondsPerDay : 0;
  if (end) {
    const time = timeOf(end, end.value.trim().toUpperCase(), clocks, start.clock);
    length = localBy(start.clock, time) - start.local;
    if (length < 0) throw expected(end, 'an end after the start');
  } else if (duration) length = durationOf(duration);
  const property = end ?? duration;
  if (property && length > eventDaysMax * secondsPerDay)
    throw expected(property, `an event of at most ${eventDaysMax} days`);
  return length;
};

/**
 * Times near the window of properties that list them. A time without a zone has the clock of the start, a date also its
 * time of the day.
 */
export const listedTimes = (found: readonly Property[], start: Time, clocks: FileClocks): readonly Time[] => {
  const times: Time[] = [];
  for (const property of found) {
    const texts = property.value.trim().toUpperCase().split(',');
    const all = texts.map(text => {
      const time = timeOf(property, text.split('/')[0] ?? '', clocks, start.clock);
      return time.isDate ? { ...start, local: time.local + timeOfDay(start) } : time;
    });
    times.push(...all.filter(clocks.isNear));
    if (Math.max(texts.length, times.length) > listedTimesMax)
      throw expected(property, `at most ${listedTimesMax} dates`);
  }
  return times;
};
