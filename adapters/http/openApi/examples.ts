import type { TSchema } from '../typebox.js';
import { isDeepStrictEqual } from 'node:util';

/** Passages of an entrance on a working day, by hour. */
const passages = [
  0, 0, 0, 0, 0, 2, 12, 48, 96, 110, 104, 98, 120, 112, 101, 95, 99, 118, 84, 40, 15, 6, 2, 0,
];

/** A day profile for examples. `share` changes each value: −0.2 is a fifth less. */
export const exampleProfile = (share = 0): number[] => passages.map(value => Math.round(value * (1 + share)));

/** The keywords of JSON Schema that the schemas of the API use. */
export type SchemaKeywords = {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
};

/**
 * Example of a schema: its own, else one composed from its fields. Optional fields without an example are left out.
 * @returns undefined for a schema without an example, and for an object with a required field without one
 */
export const exampleOf = (schema: TSchema): unknown => {
  const { examples, const: only, enum: values, anyOf, properties, items } = schema as SchemaKeywords;
  if (examples) return examples[0];
  if (only !== undefined) return only;
  if (values) return values[0];
  if (anyOf?.[0]) return exampleOf(anyOf[0]);
  if (properties) return exampleOfFields(schema as SchemaKeywords);
  const item = items && exampleOf(items);
  return item === undefined ? undefined : [item];
};

const exampleOfFields = ({ properties = {}, required = [] }: SchemaKeywords): object | undefined => {
  const fields = Object.entries(properties)
    .map(([name, field]) => [name, exampleOf(field)] as const)
    .filter(([, value]) => value !== undefined);
  const names = fields.map(([name]) => name);
  return required.every(name => names.includes(name)) ? Object.fromEntries(fields) : undefined;
};

/** Keywords whose values are data, not schemas. */
const dataKeywords = ['examples', 'example', 'default', 'enum', 'const'];

/** Collects the schemas with a title as components of the description. */
export type Components = {
  /** The schema with references in place of schemas with a title. */
  readonly referenced: (schema: unknown) => unknown;
  /** The components by title. */
  readonly schemas: () => Readonly<Record<string, unknown>>;
};

/** @throws RangeError of `referenced` when two schemas have one title */
export const components = (): Components => {
  const originals = new Map<string, unknown>();
  const schemas = new Map<string, unknown>();

  const inner = (schema: object): unknown =>
    Object.fromEntries(
      Object.entries(schema).map(([name, value]: [string, unknown]) => [
        name,
        dataKeywords.includes(name) ? value : referenced(value),
      ]),
    );

  const referenced = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(referenced);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title } = schema as SchemaKeywords;
    if (typeof title !== 'string') return inner(schema);
    if (!originals.has(title)) {
      originals.set(title, schema);
      schemas.set(title, inner(schema));
    } else if (!isDeepStrictEqual({ ...originals.get(title)! }, { ...schema }))
      throw new RangeError(`two schemas have the title ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  };

  return {
    referenced,
    schemas: () => Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
};
