import { parseDate } from '../../../domain/dates.js';
import { SettingsError } from '../../settings/values.js';
import { plain } from '../terminal/text.js';

const shownMax = 80;

/** The error for a value of the file or of an option. */
export const wrongField = (place: string, got: unknown, expected: string): SettingsError => {
  const text = plain(typeof got === 'string' ? got : (JSON.stringify(got) ?? 'nothing')).slice(0, shownMax);
  return new SettingsError(
    `${place}: got ${typeof got === 'string' ? `"${text}"` : text}, expected ${expected}`,
  );
};

/** Reads the value of a field at a place. @throws SettingsError */
type Read<Value> = (given: unknown, place: string) => Value;

/** A text of 1 to `max` characters. */
export const text =
  (max: number): Read<string> =>
  (given, place) => {
    if (typeof given === 'string' && given !== '' && given.length <= max) return given;
    throw wrongField(place, given, `a text of 1 to ${max} characters`);
  };

/** An integer from `min` to `max`. */
export const integer =
  (min: number, max: number): Read<number> =>
  (given, place) => {
    if (Number.isInteger(given) && (given as number) >= min && (given as number) <= max)
      return given as number;
    throw wrongField(place, given, `an integer from ${min} to ${max}`);
  };

/** True or false. */
export const flag: Read<boolean> = (given, place) => {
  if (typeof given === 'boolean') return given;
  throw wrongField(place, given, 'true or false');
};

/** One of some words. */
export const oneOf =
  <Word extends string>(words: readonly Word[]): Read<Word> =>
  (given, place) => {
    const found = words.find(word => word === given);
    if (found !== undefined) return found;
    throw wrongField(place, given, words.join(' or '));
  };

/** A text or a number, as a text: the service checks it. */
export const choice: Read<string> = (given, place) => {
  if (typeof given === 'number') return String(given);
  return text(200)(given, place);
};

/** Texts by name, at most 50. */
export const texts: Read<Readonly<Record<string, string>>> = (given, place) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrongField(place, given, 'names with their texts');
  const entries = Object.entries(given);
  if (entries.length > 50) throw wrongField(place, `${entries.length} names`, 'at most 50');
  return Object.fromEntries(entries.map(([name, value]) => [name, choice(value, `${place}.${name}`)]));
};

/** The name of an environment variable. */
export const variable: Read<string> = (given, place) => {
  // A secret by mistake is not repeated.
  if (typeof given === 'string' && /^[A-Z_][A-Z0-9_]{0,99}$/.test(given)) return given;
  throw new SettingsError(`${place}: expected the name of an environment variable, such as PROMETHEUS_TOKEN`);
};

/** Names of header fields with the environment variables that have their values. */
export const headerVariables: Read<Readonly<Record<string, string>>> = (given, place) => {
  const entries = Object.entries(texts(given, place));
  for (const [field, name] of entries) {
    if (!/^[A-Za-z0-9-]{1,100}$/.test(field)) throw wrongField(place, field, 'the name of a header field');
    variable(name, `${place}.${field}`);
  }
  return Object.fromEntries(entries);
};

/** A date from 1970 on. */
export const date: Read<string> = (given, place) => {
  if (typeof given === 'string' && (parseDate(given) ?? -1) >= 0) return given;
  throw wrongField(place, given, 'a date from 1970-01-01 on, such as 2025-01-01');
};

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds of a duration such as 15s, 30m, 1h or 1d. */
export const seconds =
  (min: number, max: number): Read<number> =>
  (given, place) => {
    const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(typeof given === 'string' ? given : '') ?? [];
    const found = Number(count) * unitSeconds[(unit ?? 's') as keyof typeof unitSeconds];
    if (found >= min && found <= max) return found;
    throw wrongField(place, given, `a duration such as 30m, from ${min} to ${max} seconds`);
  };

/** The address of a server without credentials, and without a slash at its end. */
export const address: Read<string> = (given, place) => {
  const expected = 'an address such as http://127.0.0.1:9090';
  if (typeof given !== 'string' || !URL.canParse(given) || !/^https?:\/\//.test(given))
    throw wrongField(place, given, expected);
  const url = new URL(given);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new SettingsError(
      `${place}: got credentials or a query in the address, expected ${expected}; credentials are in the environment`,
    );
  return given.replace(/\/+$/, '').replace(/\/api\/v1(?:\/query_range)?$/, '');
};
