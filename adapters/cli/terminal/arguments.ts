import { SettingsError } from '../../settings/settingsError.js';
import { plain } from './text.js';
import { parsedArguments } from './parsedArguments.js';

/** The option for the data folder, in place of DATA_DIR. */
export const dataDirOption = { 'data-dir': { type: 'string' } } as const;

/** The environment with the settings that options give. */
export const envWith = (
  env: NodeJS.ProcessEnv,
  { 'data-dir': dataDir, port }: { readonly 'data-dir'?: string; readonly port?: string },
): NodeJS.ProcessEnv => ({
  ...env,
  ...(dataDir !== undefined && { DATA_DIR: dataDir }),
  ...(port !== undefined && { PORT: port }),
});

/**
 * Checks the arguments of a command that takes none.
 * @throws WrongArguments
 */
export const expectNoArguments = (args: readonly string[]): void => {
  parsedArguments({ args: [...args], options: {} });
};

/** The error for a value that an option does not accept. */
export const wrongOption = (option: string, got: string, expected: string): SettingsError =>
  new SettingsError(`${option}: got "${plain(got)}", expected ${expected}`);

/**
 * An integer from `min` to `max`, both inclusive.
 * @throws SettingsError
 */
export const integerOption = (option: string, text: string, min: number, max: number): number => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw wrongOption(option, text, `an integer from ${min} to ${max}`);
  return value;
};

/**
 * One of a list of words; null when the option is not given.
 * @throws SettingsError
 */
export const choiceOption = <Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | null => {
  if (text === undefined) return null;
  const found = choices.find(choice => choice === text);
  if (found === undefined) throw wrongOption(option, text, choices.join(' or '));
  return found;
};

/**
 * An instant in UTC, with milliseconds.
 * @throws SettingsError
 */
export const instantOption = (option: string, text: string): string => {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T.*Z$/.test(text) || Number.isNaN(at.getTime()))
    throw wrongOption(option, text, 'an instant like 2026-01-31T12:00:00Z');
  return at.toISOString();
};
