import { parseArgs, type ParseArgsConfig } from 'node:util';
import { parseInstant } from '../../../domain/dates.js';
import { expectedNames } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import { plain } from './text.js';

/** The arguments do not fit the options of a command; the message is one sentence. */
export class WrongArguments extends Error {
  readonly name = 'WrongArguments';
}

type Config = ParseArgsConfig & { readonly options: NonNullable<ParseArgsConfig['options']> };
type Option = {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
};

/** The fault of an option; undefined for a right one. */
const optionFault = (
  { name, rawName, value, inlineValue }: Option,
  { options }: Config,
): string | undefined => {
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!known || !rawName.startsWith('--')) {
    const names = [...Object.keys(options), 'help'].map(option => `--${option}`);
    return `got ${plain(rawName)}, ${expectedNames(rawName, names, 'an option')}`;
  }
  if (known.type === 'boolean')
    return value === undefined ? undefined : `${rawName}: got "${plain(value)}", expected no value`;
  if (value === undefined) return `${rawName}: got no value, expected one`;
  if (inlineValue === true || !/^-./.test(value)) return undefined;
  return /^-[^a-z-]/i.test(value)
    ? `${rawName}: got "${plain(value)}" as the next argument, expected a value, or ${rawName}=${plain(value)}`
    : `${rawName}: got no value before ${plain(value)}, expected one`;
};

/** Names of options that are given more often than once, although they are not `multiple`. */
const repeated = (given: readonly Option[], { options }: Config): string | undefined =>
  given.find(
    ({ name }, index) =>
      options[name]?.multiple !== true && given.findIndex(other => other.name === name) !== index,
  )?.rawName;

/**
 * Options and other arguments of a command, as parseArgs of Node.js gives them.
 * @throws WrongArguments for an option that is unknown, given twice, without its value or with one too many, and for
 *         another argument where none is expected
 */
export const parsedArguments = <Given extends Config>(config: Given): ReturnType<typeof parseArgs<Given>> => {
  // Without `strict` nothing is refused: messages of Node.js differ between its versions.
  const { tokens = [] } = parseArgs({
    ...config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: Option[] = [];
  for (const token of tokens) {
    if (token.kind === 'option') {
      const fault = optionFault(token, config);
      if (fault !== undefined) throw new WrongArguments(fault);
      given.push(token);
    }
    if (token.kind === 'positional' && config.allowPositionals !== true)
      throw new WrongArguments(`got "${plain(token.value)}", expected options only`);
  }
  const twice = repeated(given, config);
  if (twice !== undefined) throw new WrongArguments(`got ${twice} more than once, expected it once`);
  return parseArgs(config);
};

/** One command of the command line. */
export type Command = {
  /** Text of `--help`. */
  readonly usage: string;
  /**
   * Resolves to the exit code: 0 done, 1 a problem was found, 2 wrong usage, 3 undecided or something is unavailable.
   * Rejections with SettingsError, StoreUnavailable and system errors become a message and a code.
   */
  readonly run: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;
};

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
 * An instant in UTC, with milliseconds, of a text with `Z` or an offset from UTC.
 * @throws SettingsError
 */
export const instantOption = (option: string, text: string): string => {
  const at = parseInstant(text);
  if (at === undefined) throw wrongOption(option, text, 'an instant like 2026-01-31T12:00:00Z');
  return at;
};

/**
 * Labels `key:value` as an object.
 * @throws SettingsError also for a key that is given twice
 */
export const labelsOption = (texts: readonly string[]): Readonly<Record<string, string>> => {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf(':');
    const key = text.slice(0, at);
    if (at < 1 || at === text.length - 1) throw wrongOption('--label', text, 'key:value');
    if (labels.has(key)) throw wrongOption('--label', text, `the key ${plain(key)} once`);
    labels.set(key, text.slice(at + 1));
  }
  return Object.fromEntries(labels);
};

/** Columns of a help page, as many as a usual terminal has. */
const width = 80;
/** Narrowest column for the meaning of an option; below it the meaning begins on a line of its own. */
const meaningMin = 44;
/** Indentation of a meaning on a line of its own. */
const meaningIndent = 6;
/** Indentation of further lines of a usage. */
const usageIndent = 15;

/** A part of a page: its first line begins with `head`, further lines with `indent` spaces. */
type Block = { readonly head: string; readonly indent: number; readonly text: string[] };

/** Beginning of the second form of a usage. */
const usageStart = '       daybook ';
const usageLine = /^(usage: daybook \S+|usage: daybook| {7}daybook \S+) ?(.*)$/;
const optionLine = /^( {2}\S.*?)(?: {2,}(\S.*))?$/;

/** The words of a text; `[--option <value>]` and `<two words>` are one. */
const wordsOf = (text: string): string[] =>
  text.match(/\[[^\]]*\]\S*|<[^>]*>\S*|"[^" ]* [^" ]*"\S*|\S+/g) ?? [];

/** Fills lines of at most `width` columns with words, after a first line; a longer word has a line of its own. */
const filled = (first: string, words: readonly string[], indent: number): string[] => {
  const lines = [first];
  for (const word of words) {
    const last = lines[lines.length - 1] ?? '';
    const joined = last === '' || last.endsWith(' ') ? `${last}${word}` : `${last} ${word}`;
    if (joined.length <= width || last.trim() === '') lines[lines.length - 1] = joined;
    else lines.push(`${' '.repeat(indent)}${word}`);
  }
  return lines;
};

/** The lines of a block. A head without a column for the text has lines of its own. */
const linesOf = ({ head, indent, text }: Block): string[] => {
  const words = text.flatMap(wordsOf);
  if (head === '' || head.startsWith('usage') || head.endsWith(' ') || head.startsWith(usageStart))
    return filled(head, words, indent);
  const own = filled('  ', wordsOf(head), indent);
  return words.length === 0 ? own : [...own, ...filled(' '.repeat(indent), words, indent)];
};

/** The block that a line begins; undefined for a line that continues the block before it. */
const begun = (line: string, before: Block | undefined): Block | undefined => {
  const [, command, rest = ''] = usageLine.exec(line) ?? [];
  if (command !== undefined) return { head: command, indent: usageIndent, text: [rest] };
  if (!line.startsWith(' ')) return before?.head === '' ? undefined : { head: '', indent: 0, text: [line] };
  const [, name, meaning] = optionLine.exec(line) ?? [];
  if (name === undefined) return undefined;
  const column = line.length - (meaning?.length ?? 0);
  if (meaning !== undefined && width - column >= meaningMin)
    return { head: line.slice(0, column), indent: column, text: [meaning] };
  return { head: name, indent: meaningIndent, text: meaning === undefined ? [] : [meaning] };
};

/**
 * Text of `--help` in lines of at most 80 columns. Paragraphs are filled again; options keep the column of their
 * meaning.
 * @param text paragraphs between empty lines; a line that begins with two spaces is an option and its meaning
 */
export const helpPage = (text: string): string => {
  const lines: string[] = [];
  for (const paragraph of text.trimEnd().split('\n\n')) {
    const blocks: Block[] = [];
    for (const line of paragraph.split('\n')) {
      const block = begun(line, blocks.at(-1));
      if (block) blocks.push(block);
      else blocks.at(-1)?.text.push(line);
    }
    lines.push(...blocks.flatMap(linesOf), '');
  }
  return lines.join('\n');
};
