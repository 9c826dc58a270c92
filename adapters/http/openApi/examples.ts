import type { TSchema } from '../typebox.js';

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
