import { isDeepStrictEqual } from 'node:util';
import type { SchemaKeywords } from './examples.js';

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
