import { isDeepStrictEqual } from 'node:util';
import { authorKinds } from '../../../application/ports/people.js';
import { otherLanguages, type OtherLanguage } from '../../../domain/words/languages.js';
import { processManagerName } from '../../../domain/events.js';
import Type, {
  type TSchema,
  type TProperties,
  type TObject,
  type TSchemaOptions,
  type TStringOptions,
  type TNumberOptions,
} from '../typebox.js';

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

// A schema checks requests, gives the static type, and is part of the API description. A schema with a title is a named
// component of the description. `examples` of fields make up the examples of requests and answers.

/** Unknown fields are refused in requests and never part of answers. */
export const strict = { additionalProperties: false };

/** An object with these fields and no others. */
export const object = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, strict);

/** The same as a component of the API description, with its title, and with a description. */
export const named = <Fields extends TProperties>(title: string, fields: Fields) =>
  Type.Object(fields, { ...strict, title });
export const described = <Fields extends TProperties>(title: string, description: string, fields: Fields) =>
  Type.Object(fields, { ...strict, title, description });

/** Fields of one value, with a description, an example, and perhaps further keywords of JSON Schema. */
export const text = (description: string, example: string, more: TStringOptions = {}) =>
  Type.String({ ...more, description, examples: [example] });
export const number = (description: string, example: number, more: TNumberOptions = {}) =>
  Type.Number({ ...more, description, examples: [example] });
export const integer = (description: string, example: number, more: TNumberOptions = {}) =>
  Type.Integer({ ...more, description, examples: [example] });
export const flag = (description: string, example: boolean, more: TSchemaOptions = {}) =>
  Type.Boolean({ ...more, description, examples: [example] });

/** Parameters of a route that takes none. */
export const noFields = object({});

/** The schema, or null. */
export const nullable = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

export const dateSchema = text('A day in the time zone of its source.', '2026-03-02', {
  format: 'date',
  pattern: '^(?!0000|9999)\\d{4}-\\d{2}-\\d{2}$',
});
export const instantSchema = text('An instant in UTC.', '2026-03-03T06:00:12.402Z', { format: 'date-time' });

export const sourceIdSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [12] });
export const yearSchema = Type.Integer({ minimum: 1, maximum: 9998, examples: [2026] });

/** The author of an event. The kind of a sealed name is known when the answer is opened. */
export const authorFields = {
  by: text(
    `Subject of the token; "${processManagerName}" for the service, "erased" for an erased person: see byKind.`,
    processManagerName,
  ),
  byKind: text('A person, the service itself, or a person who was erased, whatever the name is.', 'service', {
    enum: [...authorKinds],
  }),
};

/** The event that a step of a history is, and its cause. */
export const stepFields = {
  cause: text('Event or request that caused it.', '0b7c0012-1f2e-5a3b-9c4d-0123456789ab'),
  eventId: Type.String({ examples: ['0b7c0013-1f2e-5a3b-9c4d-0123456789ab'] }),
};

/** `nextCursor` of a page, absent on the last one. */
export const nextCursorSchema = (example: string) =>
  Type.Optional(text('Send it as cursor for the next page.', example));

/** `asOf` of a query: the moment whose knowledge the answer shows. */
export const asOfSchema = Type.Optional(
  text(
    'Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC ' +
      'day), or a past instant (RFC 3339). The status of an analysis is never "running" there.',
    '2026-03-03T06:00:00Z',
    { maxLength: 40 },
  ),
);
/** Query of a read that can go back to a past moment. */
export const asOfQuery = object({ asOf: asOfSchema });

/** Path parameters of a source, of one date of it, and of one year of it. */
export const sourceParams = object({ source_id: sourceIdSchema });
export const dateParams = object({ source_id: sourceIdSchema, date: dateSchema });
export const yearParams = object({ source_id: sourceIdSchema, year: yearSchema });

/** A body whose days are read and checked as a stream: their reader leaves `days` empty. */
export const withStreamedDays = <Fields extends TProperties>({ properties }: TObject<Fields>) =>
  object({ ...properties, days: Type.Array(Type.Unknown()) });

/** Why a source is parked; absent for other sources. */
export const parkedMarkSchema = Type.Optional(
  Type.Object(
    {
      position: text('Position in the log of the event that cannot be handled.', '412'),
      type: Type.String({ examples: ['DaysImported'] }),
      cause: text('Name of the error; the log of the service has its message.', 'SQLITE_CONSTRAINT_NOTNULL'),
    },
    {
      ...strict,
      description:
        'Present when the source is parked: this build cannot handle an event of it, and requests about it get 503.',
      title: 'ParkedMark',
    },
  ),
);

/**
 * A text in the languages besides English, by tag.
 * @param examples by tag; a language without one has the French one
 */
export const otherLanguagesSchema = (
  examples: Readonly<Partial<Record<OtherLanguage, string>>> & { readonly fr: string },
  options: { readonly title: string; readonly description: string },
) =>
  Type.Object(
    Object.fromEntries(
      otherLanguages.map(tag => [tag, Type.String({ examples: [examples[tag] ?? examples.fr] })]),
    ) as Record<OtherLanguage, ReturnType<typeof Type.String>>,
    { ...strict, ...options },
  );
