import Type, {
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
} from '../typebox.js';
import { lineCharacter, namePattern } from '../../../domain/text.js';
import { nameLengthMax } from '../../../domain/planning/models.js';
import {
  addressLengthMax,
  descriptionFields,
  descriptionIn,
  labelKeyLengthMax,
  labelsMax,
  labelValueLengthMax,
  numberFields,
  patchedDescription,
  patchIn,
  unitLengthMax,
  type DescriptionField,
  type DescriptionPatch,
  type NumberTexts,
} from '../../../domain/source/sourceDescription.js';
import { absoluteMax, percentMax } from '../../../domain/source/minChange.js';
import { feedNameLengthMax, feedTagsMax, type Feed, type FeedPatch } from '../../../domain/source/feed.js';
import { nullable, strict, number, text, named, flag, described, object } from './common.js';
import { explainedByQuerySchema, explainedBySchema } from './covariate.js';
import { shown, queryFault } from '../../../application/requests/imports/faults.js';
import { Rejection } from '../../../domain/rejection.js';
import type { Label } from '../../../projections/sources/sourceQueries.js';

const labelKeyCharacters = `[A-Za-z][A-Za-z0-9_.-]{0,${labelKeyLengthMax - 1}}`;
/** Pattern of the key of a label. */
export const labelKeyPattern = `^${labelKeyCharacters}$`;
/** Pattern of a label in a query, `key:value`. */
export const labelTextPattern = `^${labelKeyCharacters}:${lineCharacter}+$`;
/** Pattern of a tag of a feed in a query, `key:value`. */
export const feedTagPattern = `^${lineCharacter}+:${lineCharacter}+$`;

const sourceNameSchema = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: namePattern,
  examples: ['Entrance hall'],
});

const labelValueSchema = Type.String({
  minLength: 1,
  maxLength: labelValueLengthMax,
  pattern: namePattern,
  examples: ['Lyon'],
});

/** Values by key; `propertyNames` reports a separate fault for each invalid key. */
const labelsSchema = <Value>(value: TSchema, type: 'object' | readonly ['object', 'null']) =>
  Type.Unsafe<Value>({
    type,
    propertyNames: { type: 'string', pattern: labelKeyPattern },
    additionalProperties: value,
    maxProperties: 2 * labelsMax,
    description: `Values by key, to group sources; at most ${labelsMax}.`,
    examples: [{ site: 'Lyon', floor: '2' }],
  });
/** Labels that a client gives. */
export const givenLabelsSchema = labelsSchema<Readonly<Record<string, string>>>(labelValueSchema, 'object');

const latitudeSchema = number('Degrees, WGS 84.', 45.7578, { minimum: -90, maximum: 90 });
const longitudeSchema = Type.Number({ minimum: -180, maximum: 180, examples: [4.832] });
const addressSchema = Type.String({
  minLength: 1,
  maxLength: addressLengthMax,
  pattern: namePattern,
  examples: ['1 quai Rambaud, Lyon'],
});
const placeFields = {
  latitude: nullable(latitudeSchema),
  longitude: nullable(longitudeSchema),
  address: nullable(addressSchema),
};
const unitSchema = text('Unit of the values; shown behind them.', 'kWh', {
  minLength: 1,
  maxLength: unitLengthMax,
  pattern: namePattern,
});
const latenessSchema = text(
  'How long slices and dates are waited for after their end, an ISO 8601 duration from PT1M to P7D; PT15M by default.',
  'PT15M',
  { maxLength: 20 },
);
const intervalSchema = text(
  'Usual time between two imports, an ISO 8601 duration from PT1M to P366D.',
  'P1D',
  { maxLength: 20 },
);

const placePatchSchema = named('PlacePatch', Type.Partial(object(placeFields)).properties);

/** Key of a label. */
export const labelKeySchema = Type.String({ pattern: labelKeyPattern, examples: ['site'] });

/** One label in a query, `key:value`. */
const labelTextSchema = Type.String({
  maxLength: labelKeyLengthMax + 1 + labelValueLengthMax,
  pattern: labelTextPattern,
  examples: ['site:Lyon'],
});

/** Labels in a query. */
export const labelParameter = (description: string) =>
  Type.Optional(Type.Array(labelTextSchema, { maxItems: labelsMax, description }));

/** Whether a name that another source of the tenant has is accepted. */
export const allowDuplicateSchema = Type.Optional(flag('Accepts a name that another source has.', false));

/** Labels that the sources of a list have. */
export const labelFilter = labelParameter(
  'Sources with the label `key:value`; may be repeated, then with all of them.',
);

/** A label from its text `key:value`; values may contain colons. */
export const labelOf = (text: string): Label => {
  const at = text.indexOf(':');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
};

/** Labels of the parameters `label`. @throws InvalidInput for two values of a key */
export const labelsOf = (texts: readonly string[]): Readonly<Record<string, string>> => {
  const labels = texts.map(labelOf);
  const repeated = labels.find(({ key }, index) => labels.findIndex(other => other.key === key) < index);
  if (repeated)
    throw queryFault({
      code: 'labelRepeated',
      pointer: '/query/label',
      detail: `got two labels "${repeated.key}", expected one value for each key`,
      value: shown(`${repeated.key}:${repeated.value}`),
    });
  return Object.fromEntries(labels.map(({ key, value }) => [key, value]));
};

/** Parameters of a field, the first of which its faults are about, and its value from them. */
const fromQuery = <Query extends TProperties, Value>(
  query: Query,
  queried: (given: Static<TObject<Query>>) => Value,
) => ({ query, queried });

/** A field with one value that may be absent. */
const optional = <Name extends DescriptionField, Schema extends TSchema>(name: Name, schema: Schema) => {
  const given = Type.Optional(nullable(schema));
  const query = { [name]: Type.Optional(schema) } as Record<Name, TOptional<Schema>>;
  const queried = (values: object) => (values as { readonly [name: string]: Static<Schema> })[name];
  return { shown: nullable(schema), given, patch: given, query, queried };
};

const feedNameSchema = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: feedNameLengthMax,
    pattern: namePattern,
    examples: [example],
  });
const feedTagNames = {
  propertyNames: { type: 'string', minLength: 1, maxLength: feedNameLengthMax, pattern: namePattern },
};
const feedSchema = described('Feed', 'The series of line protocol that the source takes its points from.', {
  measurement: feedNameSchema('energy'),
  field: feedNameSchema('value'),
  tags: Type.Unsafe<Feed['tags']>({
    type: 'object',
    ...feedTagNames,
    additionalProperties: feedNameSchema('hall'),
    maxProperties: feedTagsMax,
    description: `Tags that the series has, perhaps among others; at most ${feedTagsMax}.`,
    examples: [{ room: 'hall' }],
  }),
});
const feedPatchSchema = described('FeedPatch', 'A change of the feed: absent fields and tags stay.', {
  measurement: Type.Optional(feedNameSchema('energy')),
  field: Type.Optional(feedNameSchema('value')),
  tags: Type.Optional(
    Type.Unsafe<Exclude<FeedPatch['tags'], undefined>>({
      type: ['object', 'null'],
      ...feedTagNames,
      additionalProperties: nullable(feedNameSchema('hall')),
      // Tags that it removes count, too.
      maxProperties: 2 * feedTagsMax,
      description: 'Tags to add or change; null removes one, or all.',
      examples: [{ room: 'hall', floor: null }],
    }),
  ),
});
const feedTagSchema = Type.String({
  maxLength: 2 * feedNameLengthMax + 1,
  pattern: feedTagPattern,
  examples: ['room:hall'],
});

const floorAbsoluteSchema = number(
  'In the unit of the source: distance of the mean from the expected one; 0 asks for nothing.',
  5,
  { minimum: 0, maximum: absoluteMax },
);
const floorPercentSchema = number('Percent of what is expected; 0 asks for nothing.', 2, {
  minimum: 0,
  maximum: percentMax,
});
const floorTitle = {
  ...strict,
  description: 'The smallest change that raises an alert; a change must reach each number that is set.',
};
const floorPatchSchema = Type.Object(
  {
    absolute: Type.Optional(nullable(floorAbsoluteSchema)),
    percent: Type.Optional(nullable(floorPercentSchema)),
  },
  { ...floorTitle, title: 'MinChangePatch' },
);

/** Schemas of each field: in answers, given at a creation in JSON, in a patch, and as parameters of a query. */
const fieldSchemas = {
  name: {
    shown: Type.String({ examples: ['Entrance hall'] }),
    given: sourceNameSchema,
    patch: Type.Optional(sourceNameSchema),
    ...fromQuery({ name: sourceNameSchema }, ({ name }) => name),
  },
  labels: {
    shown: givenLabelsSchema,
    given: Type.Optional(givenLabelsSchema),
    patch: Type.Optional(
      labelsSchema<Readonly<Record<string, string | null>> | null>(nullable(labelValueSchema), [
        'object',
        'null',
      ]),
    ),
    ...fromQuery({ label: labelParameter('A label `key:value`; may be repeated.') }, ({ label = [] }) =>
      labelsOf(label),
    ),
  },
  place: {
    shown: nullable(named('Place', placeFields)),
    given: Type.Optional(nullable(placePatchSchema)),
    patch: Type.Optional(nullable(placePatchSchema)),
    ...fromQuery(
      {
        latitude: Type.Optional(latitudeSchema),
        longitude: Type.Optional(longitudeSchema),
        address: Type.Optional(addressSchema),
      },
      ({ latitude = null, longitude = null, address = null }) => ({ latitude, longitude, address }),
    ),
  },
  expectedInterval: optional('expectedInterval', intervalSchema),
  explainedBy: {
    shown: explainedBySchema,
    given: Type.Optional(explainedBySchema),
    patch: Type.Optional(nullable(explainedBySchema)),
    ...fromQuery({ explainedBy: Type.Optional(explainedByQuerySchema) }, ({ explainedBy }) =>
      explainedBy?.split(',').map(Number),
    ),
  },
  unit: optional('unit', unitSchema),
  lateness: { ...optional('lateness', latenessSchema), shown: latenessSchema },
  feed: {
    shown: nullable(feedSchema),
    given: Type.Optional(nullable(feedSchema)),
    patch: Type.Optional(nullable(feedPatchSchema)),
    ...fromQuery(
      {
        feedMeasurement: Type.Optional(feedNameSchema('energy')),
        feedField: Type.Optional(feedNameSchema('value')),
        feedTag: Type.Optional(
          Type.Array(feedTagSchema, {
            maxItems: feedTagsMax,
            description: 'A tag `key:value` of the feed; may be repeated.',
          }),
        ),
      },
      ({ feedMeasurement = '', feedField = '', feedTag = [] }) =>
        feedMeasurement === '' && feedField === '' && feedTag.length === 0
          ? undefined
          : {
              measurement: feedMeasurement,
              field: feedField,
              tags: Object.fromEntries(feedTag.map(labelOf).map(({ key, value }) => [key, value])),
            },
    ),
  },
  minChange: {
    shown: nullable(
      Type.Object(
        {
          absolute: nullable(floorAbsoluteSchema),
          percent: nullable(floorPercentSchema),
          proposed: flag('Whether the service proposed it from the reference.', true),
        },
        { ...floorTitle, title: 'MinChange' },
      ),
    ),
    given: Type.Optional(nullable(floorPatchSchema)),
    patch: Type.Optional(nullable(floorPatchSchema)),
    ...fromQuery(
      {
        minChangeAbsolute: Type.Optional(floorAbsoluteSchema),
        minChangePercent: Type.Optional(floorPercentSchema),
      },
      ({ minChangeAbsolute: absolute = null, minChangePercent: percent = null }) =>
        absolute === null && percent === null ? undefined : { absolute, percent },
    ),
  },
} satisfies Record<DescriptionField, object>;

type FieldSchemas = typeof fieldSchemas;

/** One kind of schema of every field. */
const schemasOf = <Kind extends 'shown' | 'given' | 'patch'>(kind: Kind) =>
  Object.fromEntries(descriptionFields.map(field => [field, fieldSchemas[field][kind]])) as {
    [Field in DescriptionField]: FieldSchemas[Field][Kind];
  };

/** The parameters of some fields. */
const queriesOf = (fields: readonly DescriptionField[]): object =>
  Object.assign({}, ...fields.map(field => fieldSchemas[field].query)) as object;

/** Description of a source in answers. */
export const describedFields = schemasOf('shown');

/** Texts behind numbers of a source, where its description is not. */
export const numberTextFields = queriesOf(numberFields) as {
  [Field in keyof NumberTexts]-?: FieldSchemas[Field]['query'][Field];
};

/** Description of a new source in JSON. */
export const givenDescription = schemasOf('given');

/** JSON merge patch of a description. */
export const descriptionPatchSchema = described(
  'SourcePatch',
  'Absent fields stay, null removes.',
  schemasOf('patch'),
);

type Intersected<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? { [Name in keyof All]: All[Name] }
  : never;

/** Description of a new source as the parameters of a query. */
export const descriptionQuery = queriesOf(descriptionFields) as Intersected<
  FieldSchemas[DescriptionField]['query']
>;
const descriptionQuerySchema = object(descriptionQuery);
type DescriptionQuery = Static<typeof descriptionQuerySchema>;

/** The first parameter of the field that a JSON Pointer begins with. */
const parameterAt = (pointer: string): string => {
  const [, field = ''] = pointer.split('/');
  return Object.keys(fieldSchemas[field as DescriptionField].query)[0] ?? '';
};

/**
 * The description of a new source from the parameters of a query.
 * @throws InvalidInput with a pointer to each parameter at fault
 */
export const descriptionOf = (query: DescriptionQuery): DescriptionPatch & { readonly name: string } => {
  const { name } = query;
  const values = descriptionFields.map(field => {
    const { queried } = fieldSchemas[field] as { readonly queried: (given: DescriptionQuery) => unknown };
    return [field, queried(query)];
  });
  const description = { ...patchIn(Object.fromEntries(values) as DescriptionPatch), name };
  try {
    patchedDescription(descriptionIn({ name }), description);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw queryFault(
      ...error.faults.map(fault => ({ ...fault, pointer: `/query/${parameterAt(fault.pointer)}` })),
    );
  }
  return description;
};
