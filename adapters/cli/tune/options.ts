import { parseArgs } from 'node:util';
import { isCalendarCode } from '../../../analysis/calendar/holidays.js';
import { modelCountMax } from '../../../domain/models.js';
import { acceptedLengths, aggregations, interpolationMethods } from '../../../domain/day.js';
import { analysisSeed } from '../../service.js';
import { SettingsError } from '../../settings.js';
import { plain } from '../terminal/text.js';
import type { Parameters } from './bundle.js';
import { keptSize } from './files.js';

/** Levels that a range stands for, those of them that lie in it. */
export const levelGrid: readonly number[] = [0.9, 0.95, 0.98, 0.99, 0.995];

/** Least and most that a level may be. */
const levelMin = 0.9;
const levelMax = 0.995;

/** Where the days come from. */
export type From =
  | { readonly kind: 'files'; readonly reference: string; readonly recent: string | null }
  | { readonly kind: 'store'; readonly folder: string; readonly sourceId: number };

/** What the user asks for. */
export type Wish = {
  readonly from: From;
  readonly print: 'text' | 'json' | 'csv';
} & (
  | { readonly kind: 'replay'; readonly bundle: string }
  | {
      readonly kind: 'tune';
      readonly parameters: Parameters;
      /** The setting whose models are written, by its name; null for the recommended one. */
      readonly pick: string | null;
      /** null for `./tune-<name>`. */
      readonly out: string | null;
    }
);

const wrong = (option: string, got: string, expected: string): SettingsError =>
  new SettingsError(`${option}: got "${plain(got)}", expected ${expected}`);

/** A range `a..b` or a list with commas, as numbers; a single number is a list of one. */
const numbersOf = (
  option: string,
  text: string,
  expected: string,
  inRange: (from: number, to: number) => readonly number[],
): number[] => {
  const number = (part: string): number => {
    if (!/^\d+(\.\d+)?$/.test(part)) throw wrong(option, text, expected);
    return Number(part);
  };
  const ends = text.split('..');
  const found =
    ends.length === 2
      ? inRange(number(ends[0] ?? ''), number(ends[1] ?? ''))
      : text.split(',').map(part => number(part.trim()));
  if (found.length === 0) throw wrong(option, text, expected);
  return [...new Set(found)].sort((a, b) => a - b);
};

/** Numbers of models: `2..12`, `4,6,8`, `6`. @throws SettingsError */
export const countsOf = (text: string): number[] => {
  const expected = `numbers from 1 to ${modelCountMax}: 2..12, or 4,6,8`;
  const fits = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= modelCountMax;
  const counts = numbersOf('--models', text, expected, (from, to) =>
    fits(from) && fits(to)
      ? Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
      : [],
  );
  if (!counts.every(fits)) throw wrong('--models', text, expected);
  return counts;
};

/** Levels: those of the grid in a range `0.9..0.995`, or a list `0.93,0.97` of any. @throws SettingsError */
export const levelsOf = (text: string): number[] => {
  const expected = `levels from ${levelMin} to ${levelMax}: 0.9..0.995, or 0.93,0.97`;
  const fits = (level: number): boolean => level >= levelMin && level <= levelMax;
  const levels = numbersOf('--level', text, expected, (from, to) =>
    fits(from) && fits(to) ? levelGrid.filter(level => level >= from && level <= to) : [],
  );
  if (!levels.every(fits)) throw wrong('--level', text, expected);
  return levels;
};

const oneOf = <Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | null => {
  if (text === undefined) return null;
  const found = choices.find(choice => choice === text);
  if (found === undefined) throw wrong(option, text, choices.join(' or '));
  return found;
};

/** The code of a calendar whose holidays are known, or `none`. @throws SettingsError */
export const calendarCodeOf = (text: string): string => {
  if (text === 'none') return text;
  const code = text.toUpperCase();
  if (!isCalendarCode(code))
    throw wrong('--calendar', text, 'a country such as FR, a region such as DE-NW, or none');
  return code;
};

const integerOf = (option: string, text: string, least: number, most: number): number => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw wrong(option, text, `an integer from ${least} to ${most}`);
  return value;
};

const options = {
  models: { type: 'string' },
  level: { type: 'string' },
  cross: { type: 'boolean' },
  calendar: { type: 'string' },
  seed: { type: 'string' },
  'activity-size': { type: 'string' },
  interpolation: { type: 'string' },
  aggregation: { type: 'string' },
  pick: { type: 'string' },
  out: { type: 'string' },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
  replay: { type: 'string' },
  'from-store': { type: 'string' },
  source: { type: 'string' },
} as const;

/** What a replay takes from the bundle: given beside it, they could only contradict it. */
const decided = [
  'models',
  'level',
  'cross',
  'calendar',
  'seed',
  'activity-size',
  'interpolation',
  'aggregation',
  'pick',
  'out',
] as const;

/** Reads the command line. @throws SettingsError, and parseArgs' own TypeError */
export const readWish = (args: readonly string[]): Wish => {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const from = fromOf(positionals, values['from-store'], values.source);
  if (values.json && values.csv) throw new SettingsError('--json and --csv: got both, expected one');
  const print = values.json ? 'json' : values.csv ? 'csv' : 'text';
  if (values.replay !== undefined) {
    const given = decided.find(option => values[option] !== undefined);
    if (given !== undefined || print !== 'text')
      throw new SettingsError(`--replay: got --${given ?? print} too, expected none: the bundle decides`);
    return { kind: 'replay', from, print, bundle: values.replay };
  }
  const size = values['activity-size'];
  if (size !== undefined && !(acceptedLengths as readonly number[]).map(String).includes(size))
    throw wrong('--activity-size', size, acceptedLengths.join(', '));
  const reading = (['activity-size', 'interpolation', 'aggregation'] as const).find(
    option => values[option] !== undefined,
  );
  if (from.kind === 'store' && reading !== undefined)
    throw new SettingsError(`--from-store: got --${reading} too, expected none: the source decides`);
  const pick = values.pick ?? null;
  const parameters: Parameters = {
    counts: countsOf(values.models ?? '2..12'),
    levels: levelsOf(values.level ?? `${levelMin}..${levelMax}`),
    cross: values.cross === true,
    calendar: values.calendar === undefined ? null : calendarCodeOf(values.calendar),
    seed: values.seed === undefined ? analysisSeed : integerOf('--seed', values.seed, 0, 999_999_999),
    activitySize: keptSize(size === undefined ? null : Number(size)) ?? null,
    interpolation: oneOf('--interpolation', values.interpolation, interpolationMethods),
    aggregation: oneOf('--aggregation', values.aggregation, aggregations),
  };
  return { kind: 'tune', from, print, parameters, pick, out: values.out ?? null };
};

const fromOf = (files: readonly string[], folder: string | undefined, source: string | undefined): From => {
  if ((folder === undefined) !== (source === undefined))
    throw new SettingsError('--from-store and --source: got one of them, expected both or neither');
  if (folder !== undefined && source !== undefined) {
    if (files.length > 0) throw new SettingsError('--from-store: got files too, expected one or the other');
    return { kind: 'store', folder, sourceId: integerOf('--source', source, 1, 999_999_999_999_999) };
  }
  const [reference, recent] = files;
  if (reference === undefined || files.length > 2)
    throw new SettingsError(`got ${files.length} files, expected one or two: reference, recent`);
  return { kind: 'files', reference, recent: recent ?? null };
};
