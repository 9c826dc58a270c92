import Type, { type Static, type TSchema } from '../typebox.js';
import { lineCharacter, linePattern } from '../../../domain/harmlessText.js';
import { nameLengthMax } from '../../../domain/planning/models.js';
import {
  addressLengthMax,
  labelKeyLengthMax,
  labelsMax,
  labelValueLengthMax,
  patchedDescription,
  type DescriptionPatch,
} from '../../../domain/source/sourceDescription.js';
import { nullable, strict } from './common.js';
import { explainedByQuerySchema, explainedBySchema } from './covariate.js';
import { InvalidInput, shown } from '../../../application/requests/imports/faults.js';
import { Rejection } from '../../../domain/rejection.js';
import { describedAtCreation } from '../../../domain/source/sourceState.js';
import type { Label } from '../../../projections/sources/sourceQueries.js';

const labelKeyPattern = `[A-Za-z][A-Za-z0-9_.-]{0,${labelKeyLengthMax - 1}}`;

export const sourceNameSchema = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: linePattern,
  examples: ['Entrance hall'],
});

const labelValueSchema = Type.String({
  minLength: 1,
  maxLength: labelValueLengthMax,
  pattern: linePattern,
  examples: ['Lyon'],
});

/** Values by key; `propertyNames` reports a separate fault for each invalid key. */
const labelsSchema = <Value>(value: TSchema, type: 'object' | readonly ['object', 'null']) =>
  Type.Unsafe<Value>({
    type,
    propertyNames: { type: 'string', pattern: `^${labelKeyPattern}$` },
    additionalProperties: value,
    maxProperties: 2 * labelsMax,
    description: `Values by key, to group sources; at most ${labelsMax}.`,
    examples: [{ site: 'Lyon', floor: '2' }],
  });
const givenLabelsSchema = labelsSchema<Readonly<Record<string, string>>>(labelValueSchema, 'object');

const latitudeSchema = Type.Number({
  minimum: -90,
  maximum: 90,
  description: 'Degrees, WGS 84.',
  examples: [45.7578],
});
const longitudeSchema = Type.Number({ minimum: -180, maximum: 180, examples: [4.832] });
const addressSchema = Type.String({
  minLength: 1,
  maxLength: addressLengthMax,
  pattern: linePattern,
  examples: ['1 quai Rambaud, Lyon'],
});
const placeFields = {
  latitude: nullable(latitudeSchema),
  longitude: nullable(longitudeSchema),
  address: nullable(addressSchema),
};
const intervalSchema = Type.String({
  maxLength: 20,
  description: 'Usual time between two imports, an ISO 8601 duration from PT1M to P366D.',
  examples: ['P1D'],
});

/** Description of a source in answers. */
export const describedFields = {
  name: Type.String({ examples: ['Entrance hall'] }),
  labels: givenLabelsSchema,
  place: nullable(Type.Object(placeFields, { ...strict, title: 'Place' })),
  expectedInterval: nullable(intervalSchema),
  explainedBy: explainedBySchema,
};

const placePatchSchema = Type.Object(
  {
    latitude: Type.Optional(placeFields.latitude),
    longitude: Type.Optional(placeFields.longitude),
    address: Type.Optional(placeFields.address),
  },
  { ...strict, title: 'PlacePatch' },
);

/** Description of a new source in JSON, without its name. */
export const descriptionFields = {
  labels: Type.Optional(givenLabelsSchema),
  place: Type.Optional(nullable(placePatchSchema)),
  expectedInterval: Type.Optional(nullable(intervalSchema)),
  explainedBy: Type.Optional(explainedBySchema),
};

/** JSON merge patch of a description. */
export const descriptionPatchSchema = Type.Object(
  {
    name: Type.Optional(sourceNameSchema),
    labels: Type.Optional(
      labelsSchema<Readonly<Record<string, string | null>> | null>(nullable(labelValueSchema), [
        'object',
        'null',
      ]),
    ),
    place: Type.Optional(nullable(placePatchSchema)),
    expectedInterval: Type.Optional(nullable(intervalSchema)),
    explainedBy: Type.Optional(nullable(explainedBySchema)),
  },
  { ...strict, title: 'SourcePatch', description: 'Absent fields stay, null removes.' },
);

/** One label in a query, `key:value`. */
const labelTextSchema = Type.String({
  maxLength: labelKeyLengthMax + 1 + labelValueLengthMax,
  pattern: `^${labelKeyPattern}:${lineCharacter}+$`,
  examples: ['site:Lyon'],
});

/** Description of a new source as the parameters of a query, without its name. */
export const descriptionQuery = {
  label: Type.Optional(
    Type.Array(labelTextSchema, {
      maxItems: labelsMax,
      description: 'A label `key:value`; may be repeated.',
    }),
  ),
  latitude: Type.Optional(latitudeSchema),
  longitude: Type.Optional(longitudeSchema),
  address: Type.Optional(addressSchema),
  expectedInterval: Type.Optional(intervalSchema),
  explainedBy: Type.Optional(explainedByQuerySchema),
};
const descriptionQuerySchema = Type.Object(descriptionQuery, strict);
export type DescriptionQuery = Static<typeof descriptionQuerySchema>;

/** Whether a name that another source of the tenant has is accepted. */
export const allowDuplicateSchema = Type.Optional(
  Type.Boolean({ description: 'Accepts a name that another source has.', examples: [false] }),
);

/** Labels that the sources of a list have. */
export const labelFilter = Type.Optional(
  Type.Array(labelTextSchema, {
    maxItems: labelsMax,
    description: 'Sources with the label `key:value`; may be repeated, then with all of them.',
  }),
);

/** A label from its text `key:value`; values may contain colons. */
export const labelOf = (text: string): Label => {
  const at = text.indexOf(':');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
};

/** Parameters that the faults of a description are about. */
const parameters: Readonly<Record<string, string>> = {
  '/labels': 'label',
  '/place': 'latitude',
  '/expectedInterval': 'expectedInterval',
  '/explainedBy': 'explainedBy',
};

/** The first part of a JSON Pointer. */
const firstOf = (pointer: string): string => `/${pointer.split('/')[1] ?? ''}`;

/**
 * The description of a new source from the parameters of a query.
 * @throws InvalidInput with a pointer to each parameter at fault
 */
export const descriptionOf = (
  name: string,
  { label = [], latitude, longitude, address, expectedInterval, explainedBy }: DescriptionQuery,
): DescriptionPatch & { readonly name: string } => {
  const labels = label.map(labelOf);
  const repeated = labels.find(({ key }, index) => labels.findIndex(other => other.key === key) < index);
  if (repeated)
    throw new InvalidInput('parametersInvalid', 'the query is not valid', [
      {
        code: 'labelRepeated',
        pointer: '/query/label',
        detail: `got two labels "${repeated.key}", expected one value for each key`,
        value: shown(`${repeated.key}:${repeated.value}`),
      },
    ]);
  const description = {
    name,
    labels: Object.fromEntries(labels.map(({ key, value }) => [key, value])),
    place: { latitude: latitude ?? null, longitude: longitude ?? null, address: address ?? null },
    expectedInterval: expectedInterval ?? null,
    ...(explainedBy !== undefined && { explainedBy: explainedBy.split(',').map(Number) }),
  };
  try {
    patchedDescription(describedAtCreation({ name }), description);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw new InvalidInput(
      'parametersInvalid',
      'the query is not valid',
      error.faults.map(fault => ({
        ...fault,
        pointer: `/query/${parameters[firstOf(fault.pointer)] ?? ''}`,
      })),
    );
  }
  return description;
};
