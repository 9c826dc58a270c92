import type { TObject } from './typebox.js';
import { InvalidInput, shown, type InputFault } from '../../application/imports/faults.js';
import { Problem } from './problem.js';
import { schemaChecker } from './schemaChecker.js';

const integer = /^-?\d{1,16}$/;
const decimal = /^-?\d{1,16}(\.\d{1,16})?$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

type Wanted = { readonly type?: string; readonly enum?: readonly unknown[] } | undefined;

/**
 * A text as its schema wants it: a number, a boolean, or a list for a parameter that may occur once or several times.
 */
const valueOf = (wanted: Wanted, text: unknown): unknown => {
  if (typeof text !== 'string') return text;
  if (wanted?.type === 'array') return [text];
  if (wanted?.type === 'boolean') return booleans.get(text) ?? text;
  const isInteger = wanted?.type === 'integer' || wanted?.enum?.some(value => typeof value === 'number');
  if (isInteger) return integer.test(text) ? Number(text) : text;
  return wanted?.type === 'number' && decimal.test(text) ? Number(text) : text;
};

/** The texts of a path or query as values of their schema; invalid texts stay. */
const valuesOf = (schema: TObject, texts: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, valueOf(schema.properties[name] as Wanted, text)]),
  );

/** The fault of a range whose beginning is after its end: dates, instants or sizes. */
const orderFaults = ({ from, to }: Readonly<Record<string, unknown>>): InputFault[] => {
  const isReversed =
    (typeof from === 'string' && typeof to === 'string' && from > to) ||
    (typeof from === 'number' && typeof to === 'number' && from > to);
  if (!isReversed) return [];
  const detail = `got from ${from} and to ${to}, expected a from that is not after to`;
  return [{ code: 'order', pointer: '/query/to', value: shown(String(to)), detail }];
};

/**
 * Returns a function that reads the parameters of a path or query by a schema.
 * @throws InvalidInput with all faults; Problem 404 for an invalid source id
 */
export const parameterReader = (schema: TObject, place: 'path' | 'query') => {
  const check = schemaChecker(schema);
  return (texts: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const values = valuesOf(schema, texts);
    const faults = check(values).map(({ pointer = '', ...fault }): InputFault => {
      const got = texts[pointer.slice(1)];
      // A parameter that occurs several times is a list.
      const repeated = fault.code === 'type' && Array.isArray(got);
      return {
        ...fault,
        ...(repeated && { detail: `got ${got.length} values, expected one` }),
        pointer: `/${place}${pointer}`,
        // The value of an unknown parameter is not repeated: it may be a token.
        ...(typeof got === 'string' && fault.code !== 'unknownField' ? { value: shown(got) } : {}),
      };
    });
    if (place === 'query' && faults.length === 0) faults.push(...orderFaults(values));
    if (faults.some(fault => fault.pointer === '/path/source_id'))
      throw new Problem('sourceNotFound', 'no such source');
    if (faults.length > 0) throw new InvalidInput('parametersInvalid', `the ${place} is not valid`, faults);
    return values;
  };
};
