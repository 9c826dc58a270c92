import type { TObject } from 'typebox';
import { InvalidInput, shown, type InputFault } from '../../application/imports/faults.js';
import { Problem } from './problem.js';
import { schemaChecker } from './schemaChecker.js';

/** The texts of a path or query with numbers where the schema has numbers; invalid numbers stay texts. */
const withNumbers = (schema: TObject, texts: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const wanted = schema.properties[name] as { type?: string; enum?: readonly unknown[] } | undefined;
      const isInteger = wanted?.type === 'integer' || wanted?.enum?.some(value => typeof value === 'number');
      const form = isInteger
        ? /^-?\d{1,16}$/
        : wanted?.type === 'number'
          ? /^-?\d{1,16}(\.\d{1,16})?$/
          : undefined;
      return [name, typeof text === 'string' && form?.test(text) ? Number(text) : text];
    }),
  );

/**
 * Returns a function that reads the parameters of a path or query by a schema.
 * @throws InvalidInput with all faults; Problem 404 for an invalid source id
 */
export const parameterReader = (schema: TObject, place: 'path' | 'query') => {
  const check = schemaChecker(schema);
  return (texts: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const values = withNumbers(schema, texts);
    const faults = check(values).map(({ pointer = '', ...fault }): InputFault => {
      const got = texts[pointer.slice(1)];
      return {
        ...fault,
        pointer: `/${place}${pointer}`,
        // The value of an unknown parameter is not repeated: it may be a token.
        ...(typeof got === 'string' && fault.code !== 'unknownField' ? { value: shown(got) } : {}),
      };
    });
    if (faults.some(fault => fault.pointer === '/path/source_id'))
      throw new Problem('sourceNotFound', 'no such source');
    if (faults.length > 0) throw new InvalidInput('parametersInvalid', `the ${place} is not valid`, faults);
    return values;
  };
};
