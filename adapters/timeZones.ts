import { LRUCache } from 'lru-cache';
import { localClock, tomorrowOf, utcClock, type LocalClock } from '../application/ports/localClock.js';
import { shown } from '../application/requests/imports/faults.js';
import { dateOf } from '../domain/dates.js';

/** Longest name that is looked up. */
export const timeZoneLengthMax = 64;

/** Names whose clocks are kept, also names that no zone has: looking one up makes a formatter. */
const clocksMax = 500;
const clocks = new LRUCache<string, LocalClock | 'unknown'>({ max: clocksMax });

/** Release of the IANA data in this runtime, such as 2025b. */
const zoneData = process.versions['tz'] ?? 'unknown';

/** Offset in seconds by instant, from the time-zone data of the runtime. */
const offsetsOf = (timeZone: string): ((at: number) => number) => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return at => {
    const parts = Object.fromEntries(
      format.formatToParts(at * 1000).map(({ type, value }) => [type, value]),
    ) as Record<Intl.DateTimeFormatPartTypes, string>;
    const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
    const local = new Date(0);
    local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return local.getTime() / 1000 - at;
  };
};

/** The name as the runtime knows it, in its spelling; undefined for unknown names and for fixed offsets. */
const knownName = (name: string): string | undefined => {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions();
    // An alias is kept as the client gave it.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return undefined;
  }
};

const newClock = (name: string): LocalClock | 'unknown' => {
  const known = knownName(name);
  if (known === undefined) return 'unknown';
  return known === 'UTC' ? utcClock : localClock(known, zoneData, offsetsOf(known));
};

/** The clock of an IANA time zone or an alias of one; `undefined` for an unknown name. */
export const clockOf = (name: string): LocalClock | undefined => {
  if (name === 'UTC') return utcClock;
  if (name.length > timeZoneLengthMax) return undefined;
  const clock = clocks.get(name) ?? newClock(name);
  clocks.set(name, clock);
  return clock === 'unknown' ? undefined : clock;
};

/** Date of tomorrow at an instant by the clock of a zone, by that of UTC for an unknown zone. */
export const tomorrowIn = (timeZone: string, at: string): string =>
  dateOf(tomorrowOf(clockOf(timeZone) ?? utcClock, at));

/** Names of zones that are similar to an unknown one. */
const similarNames = (name: string): readonly string[] => {
  const asked = name.toLowerCase().replaceAll(/[^a-z]+/g, '_');
  return Intl.supportedValuesOf('timeZone')
    .filter(known => asked.length > 2 && asked.includes((known.split('/').at(-1) ?? known).toLowerCase()))
    .slice(0, 3);
};

/** The reason why a name is not a time zone, with advice. */
export const timeZoneFault = (name: string): string => {
  const got = `got "${shown(name)}", expected the IANA name of a time zone`;
  if (/^(?:UTC|GMT)?[+\-\u2212]?\d/i.test(name))
    return `${got}, such as Europe/Paris: a fixed offset does not know when clocks change`;
  const similar = similarNames(name);
  return similar.length > 0 ? `${got}: ${similar.join(' or ')}` : `${got}, such as Europe/Paris`;
};
