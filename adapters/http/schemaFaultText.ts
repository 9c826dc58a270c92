import { linePattern, linesPattern } from '../../domain/harmlessText.js';
import { shown } from '../../application/imports/faults.js';

/** An error of a validator, as typebox reports it. */
export type SchemaError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
};

type Params = {
  readonly type?: string;
  readonly limit?: number;
  readonly format?: string;
  readonly pattern?: string | RegExp;
  readonly allowedValues?: readonly unknown[];
  readonly requiredProperties?: readonly string[];
};

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

const patternNames: ReadonlyMap<string, string> = new Map([
  [linePattern, 'one line without control characters and changes of direction'],
  [linesPattern, 'text without control characters and changes of direction'],
]);

const formatNames: Readonly<Record<string, string>> = {
  date: 'a date of the calendar, YYYY-MM-DD',
  'date-time': 'an instant such as 2026-01-31T12:00:00Z',
};

/** The value at a JSON Pointer. */
const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], value);

const gotText = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(shown(value));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

/** Size of a text or a list. */
const sizeText = (value: unknown): string =>
  typeof value === 'string'
    ? `${[...value].length} characters`
    : `${(value as readonly unknown[]).length} entries`;

const allowedText = (values: readonly unknown[]): string =>
  `one of ${values.map(value => JSON.stringify(value)).join(', ')}`;

/** The expected value; undefined for a keyword whose message says it. */
const expectedText = (
  keyword: string,
  { limit, format, pattern, allowedValues }: Params,
): string | undefined => {
  switch (keyword) {
    case 'minimum':
    case 'minLength':
    case 'minItems':
      return `at least ${limit}`;
    case 'maximum':
    case 'maxLength':
    case 'maxItems':
      return `at most ${limit}`;
    case 'exclusiveMinimum':
      return `more than ${limit}`;
    case 'exclusiveMaximum':
      return `less than ${limit}`;
    case 'format':
      return formatNames[format ?? ''] ?? `the format ${format}`;
    case 'pattern':
      return patternNames.get(String(pattern)) ?? `the pattern ${String(pattern)}`;
    case 'enum':
      return allowedValues && allowedText(allowedValues);
    case 'uniqueItems':
      return 'each entry once';
    default:
      return undefined;
  }
};

/**
 * Says what a value is and what a schema expects.
 * @param error of one place
 * @param all   all errors: those of other branches of a union have other types of the same place
 */
export const schemaFaultText = (error: SchemaError, all: readonly SchemaError[], body: unknown): string => {
  const { keyword, instancePath, message } = error;
  const params = error.params as Params;
  if (params.requiredProperties) return `missing: ${params.requiredProperties.join(', ')}`;
  const value = valueAt(body, instancePath);
  if (keyword === 'type') {
    const types = all
      .filter(other => other.instancePath === instancePath && other.keyword === 'type')
      .map(other => (other.params as Params).type ?? '');
    return `got ${gotText(value)}, expected ${[...new Set(types)].map(name => typeNames[name] ?? name).join(' or ')}`;
  }
  const expected = expectedText(keyword, params);
  if (expected === undefined) return message;
  const isSize = /^(min|max)(Length|Items)$/.test(keyword);
  return `got ${isSize ? sizeText(value) : gotText(value)}, expected ${expected}`;
};
