import { InvalidInput, shown } from '../../application/imports/faults.js';
import { Rejection } from '../../domain/rejection.js';
import { describedAtCreation } from '../../domain/source/sourceFacts.js';
import { patchedDescription, type DescriptionPatch } from '../../domain/source/sourceDescription.js';
import type { Label } from '../../projections/sources/sourceLists.js';
import type { DescriptionQuery } from './schemas/description.js';

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
