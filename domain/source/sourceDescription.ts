import { covariatesMax } from './covariates.js';
import { durationMinutes } from '../duration.js';
import { Rejection, type Fault } from '../rejection.js';

/** Where a source is: WGS 84 degrees, both or neither, and an address. */
export type Place = {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly address: string | null;
};

/** Facts of a source that people give and may change. */
export type SourceDescription = {
  readonly name: string;
  /** Values by key, in the order of the keys; sources are grouped by them. */
  readonly labels: Readonly<Record<string, string>>;
  readonly place: Place | null;
  /** Usual time between two imports, an ISO 8601 duration (duration.ts); null when it is not given. */
  readonly expectedInterval: string | null;
  /** Ids of the sources that explain this one, in the given order; absent without such sources. */
  readonly explainedBy?: readonly number[];
};

/** A JSON merge patch (RFC 7396) of a description: absent fields stay, null removes. */
export type DescriptionPatch = {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly place?: Partial<Place> | null;
  readonly expectedInterval?: string | null;
  readonly explainedBy?: readonly number[] | null;
};

/** Largest number of labels of a source, and longest key, value and address. */
export const labelsMax = 32;
export const labelKeyLengthMax = 63;
export const labelValueLengthMax = 100;
export const addressLengthMax = 300;

const emptyPlace: Place = { latitude: null, longitude: null, address: null };

const patchedLabels = (
  labels: SourceDescription['labels'],
  patch: DescriptionPatch['labels'],
): SourceDescription['labels'] => {
  if (patch === undefined) return labels;
  const merged = patch === null ? {} : { ...labels, ...patch };
  return Object.fromEntries(
    Object.entries(merged)
      .filter((label): label is [string, string] => label[1] !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

const patchedPlace = (place: Place | null, patch: DescriptionPatch['place']): Place | null => {
  if (patch === undefined) return place;
  if (patch === null) return null;
  const { latitude, longitude, address } = { ...emptyPlace, ...place, ...patch };
  return latitude === null && longitude === null && address === null
    ? null
    : { latitude, longitude, address };
};

const faultsOf = ({ labels, place, expectedInterval, explainedBy = [] }: SourceDescription): Fault[] => {
  const faults: Fault[] = [];
  const count = Object.keys(labels).length;
  if (count > labelsMax)
    faults.push({
      code: 'labels',
      pointer: '/labels',
      detail: `got ${count} labels, expected at most ${labelsMax}`,
    });
  if (((place?.latitude ?? null) === null) !== ((place?.longitude ?? null) === null))
    faults.push({
      code: 'coordinates',
      pointer: '/place',
      detail: 'got one of latitude and longitude, expected both or neither',
    });
  if (expectedInterval !== null && durationMinutes(expectedInterval) === undefined)
    faults.push({
      code: 'interval',
      pointer: '/expectedInterval',
      detail: `got "${expectedInterval}", expected an ISO 8601 duration from PT1M to P366D, such as P1D or PT6H`,
    });
  if (explainedBy.length > covariatesMax)
    faults.push({
      code: 'explainedBy',
      pointer: '/explainedBy',
      detail: `got ${explainedBy.length} sources, expected at most ${covariatesMax}`,
    });
  explainedBy.forEach((id, index) => {
    if (explainedBy.indexOf(id) < index)
      faults.push({
        code: 'explainedBy',
        pointer: `/explainedBy/${index}`,
        detail: `got source ${id} twice, expected each source once`,
      });
  });
  return faults;
};

/**
 * Applies a merge patch.
 * @throws Rejection `descriptionInvalid` with a JSON Pointer to each fault of the result
 */
export const patchedDescription = (
  description: SourceDescription,
  patch: DescriptionPatch,
): SourceDescription => {
  const { explainedBy = description.explainedBy } = patch;
  const patched = {
    name: patch.name ?? description.name,
    labels: patchedLabels(description.labels, patch.labels),
    place: patchedPlace(description.place, patch.place),
    expectedInterval:
      patch.expectedInterval === undefined ? description.expectedInterval : patch.expectedInterval,
    ...(explainedBy && explainedBy.length > 0 && { explainedBy }),
  };
  const faults = faultsOf(patched);
  if (faults.length > 0)
    throw new Rejection('descriptionInvalid', 'the description of the source is not valid', faults);
  return patched;
};

/** Whether two descriptions say the same. */
export const isSameDescription = (a: SourceDescription, b: SourceDescription): boolean =>
  JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

const canonical = ({
  name,
  labels,
  place,
  expectedInterval,
  explainedBy = [],
}: SourceDescription): readonly unknown[] => [
  name,
  Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)),
  place && [place.latitude, place.longitude, place.address],
  expectedInterval,
  explainedBy,
];
