import { faultsMax, InvalidInput, type InputFault } from '../../application/imports/faults.js';
import { schemaFaultText } from './schemaFaultText.js';
import { Compile, Settings, type TSchema, type Validator } from './typebox.js';

// The default of typebox is 8 errors. Several of its errors can be one fault.
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
    const errors = [...validator.Errors(value)];
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
    if (faults.length > 0) throw new InvalidInput('bodyInvalid', 'the body is not valid', faults);
    return value;
  };
};

/** Half of a surrogate pair has no UTF-8, so an event with one could be neither hashed nor exported. */
const surrogateFaults = (value: unknown, pointer = ''): InputFault[] => {
  if (typeof value === 'string')
    return /\p{Surrogate}/u.test(value)
      ? [{ code: 'textEncoding', pointer, detail: 'expected Unicode, got half of a surrogate pair' }]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'number' ? [] : surrogateFaults(field, `${pointer}/${name}`),
  );
};

const unknownDetail = (pointer: string, fields: readonly string[]): string => {
  const present = renamed[pointer];
  if (present !== undefined && fields.includes(present))
    return `unknown field: ${pointer.slice(1)} is now named ${present}, with the same meaning`;
  const isTopLevel = !pointer.slice(1).includes('/');
  return isTopLevel ? `unknown field, expected ${fields.join(', ') || 'none'}` : 'unknown field';
};
