import { isCalendarCode } from '../../../analysis/calendar/holidays.js';
import { firstSettings, settingName } from '../../../analysis/tuning/tune.js';
import type { Asked } from '../../../analysis/tuning/trySetting.js';
import { acceptedLengths, aggregations, interpolationMethods } from '../../../domain/day.js';
import { modelCountMax } from '../../../domain/planning/models.js';
import { analysisSeed } from '../../../application/followUps/analyses.js';
import {
  decimals,
  defaultForm,
  isOneColumn,
  separatorNames,
  type SeparatorName,
  dateFormats,
} from '../../csv/csvForm.js';
import { stampClocks } from '../../csv/readings.js';
import { tableFormats, type TableFormat } from '../../tables.js';
import { SettingsError } from '../../settings/values.js';
import { clockOf, timeZoneFault } from '../../timeZones.js';
import { inputOf } from '../audit/logInput.js';
import { csvOptions, textOptions } from '../terminal/inputFiles.js';
import { parsedArguments, choiceOption, integerOption, wrongOption } from '../terminal/arguments.js';
import { covariateFilesOf, type CovariateFile } from './covariates.js';
import type { Parameters } from './facts.js';
import { keptSize } from './files.js';

/** Coverages that a range selects from. */
const coverageGrid: readonly number[] = [0.9, 0.95, 0.98, 0.99, 0.995];

const coverageMin = 0.9;
const coverageMax = 0.995;
const sourceIdMax = 999_999_999_999_999;
const seedMax = 999_999_999;

/** Where the days come from. */
export type From =
  | {
      readonly kind: 'files';
      readonly reference: string;
      readonly recent: string | null;
      readonly explainedBy: readonly CovariateFile[];
    }
  | { readonly kind: 'store'; readonly folder: string; readonly sourceId: number };

/** The source of a running service that gets a setting. */
export type ApplyTo = {
  readonly sourceId: number;
  /** Whether the setting is applied without a question. */
  readonly yes: boolean;
};

/** Options of `daybook tune`. */
export type TuneOptions = {
  readonly from: From;
  readonly print: 'text' | 'json' | 'csv';
} & (
  | { readonly kind: 'replay'; readonly bundle: string }
  | {
      readonly kind: 'tune';
      readonly parameters: Parameters;
      /** The setting whose models are written; null for the recommended one. */
      readonly pick: Asked | null;
      /** Output folder; null for `./tune-<name>`. */
      readonly out: string | null;
      /** Format of the file of days. */
      readonly days: TableFormat;
      /** The source of a running service that gets the setting; null for none. */
      readonly applyTo: ApplyTo | null;
    }
);

/** Numbers of a range `a..b` or a list with commas, ascending, each once. @throws SettingsError */
const numbersOf = (
  option: string,
  text: string,
  expected: string,
  inRange: (from: number, to: number) => readonly number[],
): number[] => {
  const number = (part: string): number => {
    if (!/^\d+(\.\d+)?$/.test(part)) throw wrongOption(option, text, expected);
    return Number(part);
  };
  const ends = text.split('..');
  const found =
    ends.length === 2
      ? inRange(number(ends[0] ?? ''), number(ends[1] ?? ''))
      : text.split(',').map(part => number(part.trim()));
  if (found.length === 0) throw wrongOption(option, text, expected);
  return [...new Set(found)].sort((a, b) => a - b);
};

/** The setting of `--pick`: `7`, `7@0.95` or `chosen`. @throws SettingsError */
const pickOf = (text: string): Asked => {
  const [, count = '', coverage] = /^(chosen|\d+)(?:@([\d.]+))?$/.exec(text) ?? [];
  const isChosen = count === 'chosen' && coverage === undefined;
  if (!isChosen && !/^\d/.test(count))
    throw wrongOption('--pick', text, 'a number of models (7), one with a coverage (7@0.95), or chosen');
  return {
    modelCount: isChosen ? null : (countsOf(count, '--pick')[0] ?? null),
    coverage: coverage === undefined ? null : (coveragesOf(coverage, '--pick')[0] ?? null),
  };
};

/** Numbers of models: `2..12`, `4,6,8` or `6`. @throws SettingsError */
export const countsOf = (text: string, option = '--models'): number[] => {
  const expected = `numbers from 1 to ${modelCountMax}: 2..12, or 4,6,8`;
  const fits = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= modelCountMax;
  const counts = numbersOf(option, text, expected, (from, to) =>
    fits(from) && fits(to)
      ? Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
      : [],
  );
  if (!counts.every(fits)) throw wrongOption(option, text, expected);
  return counts;
};

/** Coverages: those of the grid in a range `0.9..0.995`, or a list such as `0.93,0.97`. @throws SettingsError */
export const coveragesOf = (text: string, option = '--coverage'): number[] => {
  const expected = `coverages from ${coverageMin} to ${coverageMax}: 0.9..0.995, or 0.93,0.97`;
  const fits = (coverage: number): boolean => coverage >= coverageMin && coverage <= coverageMax;
  const coverages = numbersOf(option, text, expected, (from, to) =>
    fits(from) && fits(to) ? coverageGrid.filter(coverage => coverage >= from && coverage <= to) : [],
  );
  if (!coverages.every(fits)) throw wrongOption(option, text, expected);
  return coverages;
};

/** The code of a known calendar, or `none`. @throws SettingsError */
export const calendarCodeOf = (text: string): string => {
  if (text === 'none') return text;
  const code = text.toUpperCase();
  if (!isCalendarCode(code))
    throw wrongOption('--calendar', text, 'a country such as FR, a region such as DE-NW, or none');
  return code;
};

const options = {
  models: { type: 'string' },
  coverage: { type: 'string' },
  cross: { type: 'boolean' },
  calendar: { type: 'string' },
  seed: { type: 'string' },
  'activity-size': { type: 'string' },
  interpolation: { type: 'string' },
  aggregation: { type: 'string' },
  'time-zone': { type: 'string' },
  ...textOptions(csvOptions),
  'explained-by': { type: 'string', multiple: true },
  pick: { type: 'string' },
  out: { type: 'string' },
  days: { type: 'string' },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
  replay: { type: 'string' },
  log: { type: 'string' },
  source: { type: 'string' },
  'apply-to': { type: 'string' },
  yes: { type: 'boolean' },
} as const;

const parse = (args: readonly string[]) =>
  parsedArguments({ args: [...args], options, allowPositionals: true });
type Values = ReturnType<typeof parse>['values'];

/** Options that the source decides with `--source`. */
const decidedBySource = [
  'activity-size',
  'interpolation',
  'aggregation',
  'time-zone',
  ...(Object.keys(csvOptions) as (keyof typeof csvOptions)[]),
] as const;

/** Options that the bundle decides in a replay. */
const decidedByBundle = [
  ...(['models', 'coverage', 'cross', 'calendar', 'seed'] as const),
  ...decidedBySource,
  ...(['pick', 'out', 'days', 'apply-to', 'yes'] as const),
] as const;

/** The form of the files that the options say; none without such an option. @throws SettingsError */
const formOf = (values: Values): Pick<Parameters, 'form'> => {
  const separators = Object.keys(separatorNames) as SeparatorName[];
  const separator = choiceOption('--separator', values.separator, separators);
  const decimal = choiceOption('--decimal', values.decimal, decimals);
  const dateFormat = choiceOption('--date-format', values['date-format'], dateFormats);
  const [dateColumn, valueColumn] = [values['date-column'], values['value-column']];
  const form = {
    ...(separator === null ? {} : { separator: separatorNames[separator] }),
    ...(decimal === null ? {} : { decimal }),
    ...(dateFormat === null ? {} : { dateFormat }),
    ...(dateColumn === undefined ? {} : { dateColumn }),
    ...(valueColumn === undefined ? {} : { valueColumn }),
  };
  if (isOneColumn({ ...defaultForm, ...form }))
    throw new SettingsError('--value-column: got the column of the dates, expected another one');
  return Object.keys(form).length === 0 ? {} : { form };
};

/** The options that say how local times are read; none of them without a choice. @throws SettingsError */
const clockOptions = (values: Values): Pick<Parameters, 'timeZone' | 'stamps'> => {
  const name = values['time-zone'];
  const timeZone = name === undefined ? undefined : clockOf(name)?.timeZone;
  if (name !== undefined && timeZone === undefined)
    throw new SettingsError(`--time-zone: ${timeZoneFault(name)}`);
  const stamps = choiceOption('--clock', values.clock, stampClocks);
  return { ...(timeZone === undefined ? {} : { timeZone }), ...(stamps === null ? {} : { stamps }) };
};

/** @throws SettingsError */
const parametersOf = (values: Values, from: From): Parameters => {
  const size = values['activity-size'];
  if (size !== undefined && !(acceptedLengths as readonly number[]).map(String).includes(size))
    throw wrongOption('--activity-size', size, acceptedLengths.join(', '));
  const decided = decidedBySource.find(option => values[option] !== undefined);
  if (from.kind === 'store' && decided !== undefined)
    throw new SettingsError(`--source: got --${decided} too, expected none: the source decides`);
  return {
    counts: countsOf(values.models ?? '2..12'),
    coverages: coveragesOf(values.coverage ?? `${coverageMin}..${coverageMax}`),
    cross: values.cross === true,
    calendar: values.calendar === undefined ? null : calendarCodeOf(values.calendar),
    seed: values.seed === undefined ? analysisSeed : integerOption('--seed', values.seed, 0, seedMax),
    activitySize: keptSize(size === undefined ? null : Number(size)) ?? null,
    interpolation: choiceOption('--interpolation', values.interpolation, interpolationMethods),
    aggregation: choiceOption('--aggregation', values.aggregation, aggregations),
    ...clockOptions(values),
    ...formOf(values),
  };
};

/** Reads the arguments. @throws SettingsError, WrongArguments */
export const readOptions = (args: readonly string[], env: NodeJS.ProcessEnv): TuneOptions => {
  if (args.some(arg => /^--level(=|$)/.test(arg)))
    throw new SettingsError('--level: got an option of an earlier version, expected --coverage');
  const { values, positionals } = parse(args);
  const from = fromOf(positionals, values, env);
  if (values.json && values.csv) throw new SettingsError('--json and --csv: got both, expected one');
  const print = values.json ? 'json' : values.csv ? 'csv' : 'text';
  if (values.replay !== undefined) {
    const given = decidedByBundle.find(option => values[option] !== undefined);
    if (given !== undefined || print !== 'text')
      throw new SettingsError(`--replay: got --${given ?? print} too, expected none: the bundle decides`);
    return { kind: 'replay', from, print, bundle: values.replay };
  }
  const pick = values.pick === undefined ? null : pickOf(values.pick);
  const sweep = parametersOf(values, from);
  const isFirst =
    pick === null || firstSettings(sweep).some(asked => settingName(asked) === settingName(pick));
  const parameters = isFirst ? sweep : { ...sweep, also: pick };
  const days = choiceOption('--days', values.days, tableFormats) ?? 'csv';
  const written = { pick, out: values.out ?? null, days };
  const applyTo = applyToOf(values);
  if (applyTo && parameters.seed !== analysisSeed)
    throw new SettingsError(
      `--seed: got ${parameters.seed} with --apply-to, expected ${analysisSeed}, that of the service`,
    );
  return { kind: 'tune', from, print, parameters, ...written, applyTo };
};

/** The source that gets the setting. @throws SettingsError */
const applyToOf = ({ 'apply-to': id, yes = false }: Values): ApplyTo | null => {
  if (id !== undefined) return { sourceId: integerOption('--apply-to', id, 1, sourceIdMax), yes };
  if (yes) throw new SettingsError('--yes: got no --apply-to, expected the id of a source');
  return null;
};

/** The log of the settings, as `--log` names it. @throws SettingsError */
const logOfSettings = (env: NodeJS.ProcessEnv): string => {
  const input = inputOf(undefined, env);
  return input.kind === 'eventstoredb' ? input.kind : input.file;
};

/** @throws SettingsError */
const fromOf = (
  files: readonly string[],
  { log, source, 'explained-by': explainedBy = [] }: Values,
  env: NodeJS.ProcessEnv,
): From => {
  if (log !== undefined && source === undefined)
    throw new SettingsError('--source: got none, expected the id of a source of the --log');
  if (source !== undefined) {
    if (files.length > 0) throw new SettingsError('--source: got files too, expected one or the other');
    if (explainedBy.length > 0)
      throw new SettingsError(
        '--source: got --explained-by too, expected none: the source names its covariates',
      );
    const sourceId = integerOption('--source', source, 1, sourceIdMax);
    return { kind: 'store', folder: log ?? logOfSettings(env), sourceId };
  }
  const [reference, recent] = files;
  if (reference === undefined || files.length > 2)
    throw new SettingsError(
      `got ${files.length} files, expected one or two: reference, recent; see daybook tune --help`,
    );
  return {
    ...{ kind: 'files', reference, recent: recent ?? null },
    explainedBy: covariateFilesOf(explainedBy),
  };
};
