import { parseArgs, type ParseArgsConfig } from 'node:util';
import { expectedNames } from '../../../application/texts/nearest.js';
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
