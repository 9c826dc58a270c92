// The default of typebox is 8 errors. Several of its errors can be one fault.
import { faultsMax } from '../../domain/rejection.js';
import { type InputFault, shown, bodyFault } from '../../application/requests/imports/faults.js';
import { Compile, Settings, type TSchema, type Validator } from './typebox.js';
import { feedTagPattern, labelKeyPattern, labelTextPattern } from './schemas/description.js';
import { linesPattern, namePattern } from '../../domain/text.js';

/** An error of a validator, as typebox reports it. */
type SchemaError = {
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

const labelKeyText = 'a letter and then letters, digits, "_", "." or "-"';

const patternNames: ReadonlyMap<string, string> = new Map([
  [namePattern, 'one line with more than spaces, without control characters and invisible ones'],
  [linesPattern, 'text without control characters and invisible ones'],
  [labelKeyPattern, `the key of a label: ${labelKeyText}`],
  [labelTextPattern, `key:value, whose key is ${labelKeyText}`],
  [feedTagPattern, 'key:value'],
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

const codePointsIn = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** Size of a text or a list. */
const sizeText = (value: unknown): string =>
  typeof value === 'string'
    ? `${codePointsIn(value)} characters`
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
const schemaFaultText = (error: SchemaError, all: readonly SchemaError[], body: unknown): string => {
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

Settings.Set({ maxErrors: 10 * faultsMax });

/** Former names of fields by pointer, and the present names. */
const renamed: Readonly<Record<string, string>> = { '/sensitivity': 'coverage' };

const validators = new WeakMap<TSchema, Validator>();

/** The validator of a schema, compiled at its first use: a start compiles none. */
const validatorOf = (schema: TSchema): Validator => {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
};

/** Returns a function that gives all faults of a value under a schema; none for a valid value. */
export const schemaChecker = (schema: TSchema): ((value: unknown) => InputFault[]) => {
  const fields = Object.keys((schema as { readonly properties?: object }).properties ?? {});
  return value => {
    const validator = validatorOf(schema);
    if (validator.Check(value)) return surrogateFaults(value);
    const faults: InputFault[] = [];
    const errors = [...validator.Errors(shortened(schema, value))];
    for (const error of errors) {
      // A union reports each of its branches, an unknown field or key is reported twice: the first error of a place
      // counts.
      const pointer = error.instancePath;
      if (error.keyword === 'additionalProperties' || error.keyword === 'propertyNames') continue;
      if (faults.some(fault => fault.pointer === pointer && error.keyword !== 'required')) continue;
      if (faults.length === faultsMax) break;
      const isUnknown = error.keyword === 'boolean';
      faults.push({
        code: isUnknown ? 'unknownField' : error.keyword,
        pointer,
        detail: isUnknown ? unknownDetail(pointer, fields) : schemaFaultText(error, errors, value),
      });
    }
    return faults.filter(fault => !isOfOtherBranch(fault, faults));
  };
};

/** Whether a fault is the type of another branch of a union: faults inside the value show which branch it is. */
const isOfOtherBranch = ({ code, pointer }: InputFault, faults: readonly InputFault[]): boolean =>
  (code === 'type' || code === 'anyOf') &&
  faults.some(inner => inner.pointer?.startsWith(`${pointer}/`) === true);

/**
 * Returns a function that returns a valid body unchanged.
 * @throws InvalidInput with all faults
 */
export const bodyChecker = (schema: TSchema) => {
  const check = schemaChecker(schema);
  return (value: unknown): unknown => {
    const faults = check(value);
    if (faults.length > 0) throw bodyFault(...faults);
    return value;
  };
};

/** Parts of a JSON Schema that say how much of a value is looked at. */
type Shape = {
  readonly maxItems?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
};

/** A value whose lists have at most one entry too many: errors are looked for in each entry, which takes long. */
const shortened = (schema: Shape, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const { items, properties, maxItems = Infinity } = schema;
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value.slice(0, maxItems + 1);
    return items ? entries.map(entry => shortened(items, entry)) : entries;
  }
  if (!properties) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, known ? shortened(known, field) : field];
  });
  return Object.fromEntries(fields);
};

const isHalf = (text: string): boolean => /\p{Surrogate}/u.test(text);

/**
 * Half of a surrogate pair has no UTF-8, so an event with one could be neither hashed nor exported. Fields that a
 * schema ignores are looked at, too, and may be large: only a faulty place or a container gets a pointer.
 */
const surrogateFaults = (value: unknown, pointer = '', faults: InputFault[] = []): InputFault[] => {
  if (faults.length === faultsMax) return faults;
  if (typeof value === 'string') {
    if (isHalf(value))
      faults.push({
        code: 'textEncoding',
        pointer,
        detail: 'expected Unicode, got half of a surrogate pair',
      });
    return faults;
  }
  const look = (field: unknown, name: string | number): void => {
    if (typeof field === 'string' ? isHalf(field) : typeof field === 'object' && field !== null)
      surrogateFaults(field, `${pointer}/${name}`, faults);
  };
  if (Array.isArray(value)) for (let index = 0; index < value.length; index += 1) look(value[index], index);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) look(field, name);
  return faults;
};

const unknownDetail = (pointer: string, fields: readonly string[]): string => {
  const present = renamed[pointer];
  if (present !== undefined && fields.includes(present))
    return `unknown field: ${pointer.slice(1)} is now named ${present}, with the same meaning`;
  const isTopLevel = !pointer.slice(1).includes('/');
  return isTopLevel ? `unknown field, expected ${fields.join(', ') || 'none'}` : 'unknown field';
};
