import { SettingsError } from '../../settings/settingsError.js';
import { parsedArguments } from '../terminal/parsedArguments.js';
import { integerOption } from '../terminal/arguments.js';

/** Options that become parameters of a creation, by their names. */
const choices = {
  'time-zone': 'timeZone',
  calendar: 'calendar',
  'activity-size': 'activitySize',
  aggregation: 'aggregation',
  interpolation: 'interpolationMethod',
  coverage: 'coverage',
  'expected-interval': 'expectedInterval',
} as const;

/** Options about the form of CSV files. */
const forms = {
  separator: 'separator',
  decimal: 'decimal',
  'date-format': 'dateFormat',
  'date-column': 'dateColumn',
  'value-column': 'valueColumn',
  clock: 'clock',
} as const;

const text = { type: 'string' } as const;
const textsOf = <Names extends object>(names: Names) =>
  Object.fromEntries(Object.keys(names).map(name => [name, text])) as Record<keyof Names, typeof text>;

/** Options of an import of a folder. */
export type FolderOptions = {
  readonly folder: string;
  readonly address: string;
  readonly token: string;
  /** File that records the created sources. */
  readonly stateFile: string | undefined;
  readonly atOnce: number;
  /** Labels `key:value`. */
  readonly labels: readonly string[];
  readonly allowDuplicate: boolean;
  /** Parameters of the API. */
  readonly choices: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
};

const atOnceMax = 16;

/** Options of arguments and environment. @throws SettingsError, WrongArguments */
export const folderOptions = (args: readonly string[], env: NodeJS.ProcessEnv): FolderOptions => {
  const { values, positionals } = parsedArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...textsOf(choices),
      ...textsOf(forms),
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      token: text,
      state: text,
      'at-once': { type: 'string', default: '4' },
      label: { type: 'string', multiple: true, default: [] },
      'allow-duplicate': { type: 'boolean', default: false },
    },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw new SettingsError(`got ${positionals.length} folders, expected: daybook import-folder <folder>`);
  const token = values.token ?? env['DAYBOOK_TOKEN'];
  if (!token)
    throw new SettingsError(
      '--token: got none, expected a token with the scope import, also in DAYBOOK_TOKEN',
    );
  if (!URL.canParse(values.url) || !/^https?:/.test(values.url))
    throw new SettingsError(
      `--url: got "${values.url}", expected the address of a service: http://host:port`,
    );
  const given = (names: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(names).flatMap(([option, parameter]) => {
        const value = (values as Readonly<Record<string, unknown>>)[option];
        return typeof value === 'string' ? [[parameter, value]] : [];
      }),
    );
  return {
    ...{ folder, token, address: values.url.replace(/\/$/, ''), stateFile: values.state },
    atOnce: integerOption('--at-once', values['at-once'], 1, atOnceMax),
    labels: values.label,
    allowDuplicate: values['allow-duplicate'],
    choices: given(choices),
    form: given(forms),
  };
};
