import { covariatesMax } from './covariates.js';
import { minutesPerDay, durationMinutes } from '../dates.js';
import { minChangeFaults, patchedMinChange, type MinChange, type MinChangePatch } from './minChange.js';
import { feedTagsMax, patchedFeed, type Feed, type FeedPatch } from './feed.js';
import { Rejection, type Fault } from '../rejection.js';
import { isSameJson } from '../sameJson.js';

/** Where a source is: WGS 84 degrees, both or neither, and an address. */
export type Place = {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly address: string | null;
};

/** Facts of a source that people give and may change. CONTRIBUTING.md says how to add one. */
export type SourceDescription = {
  readonly name: string;
  /** Values by key, in the order of the keys; sources are grouped by them. */
  readonly labels: Readonly<Record<string, string>>;
  readonly place: Place | null;
  /** Usual time between two imports, an ISO 8601 duration (dates.ts). */
  readonly expectedInterval: string | null;
  /** Ids of the sources that explain this one, in the given order. */
  readonly explainedBy: readonly number[];
  /** Unit of the values, such as kWh. */
  readonly unit: string | null;
  /** How long a slice and a date are waited for after their end, an ISO 8601 duration (dates.ts). */
  readonly lateness: string;
  /** The series that the source takes its points from. */
  readonly feed: Feed | null;
  /** The smallest change that raises an alert; null for none. */
  readonly minChange: MinChange | null;
};

/** Names of the fields of a description. */
export type DescriptionField = keyof SourceDescription;

type TextField = {
  [Field in DescriptionField]: SourceDescription[Field] extends string | null ? Field : never;
}[DescriptionField];

/** Patches of fields that are not replaced as a whole, or not removed. */
type OwnPatches = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string | null>> | null;
  readonly place: Partial<Place> | null;
  readonly minChange: MinChangePatch | null;
  readonly feed: FeedPatch | null;
};

type PatchOf<Field extends DescriptionField> = Field extends keyof OwnPatches
  ? OwnPatches[Field]
  : SourceDescription[Field] | null;

/** A JSON merge patch (RFC 7396) of a description: absent fields stay, null removes. */
export type DescriptionPatch = { readonly [Field in DescriptionField]?: PatchOf<Field> };

/** A description in `SourceCreated`: fields without a value are absent. */
export type DescriptionFacts = Pick<SourceDescription, 'name'> & {
  readonly [Field in keyof SourceDescription as Exclude<Field, 'name'>]?: NonNullable<
    SourceDescription[Field]
  >;
};

/** Fields that `SourceDescribed` always has. Later fields are absent without a value, so that its version stays. */
const firstFields = ['name', 'labels', 'place', 'expectedInterval'] as const;

/** A description in `SourceDescribed`: the whole one after a change. */
export type DescribedFacts = Pick<SourceDescription, (typeof firstFields)[number]> &
  Omit<DescriptionFacts, (typeof firstFields)[number]>;

/** Fields that are texts behind each number of the source. They go with its numbers where its description does not. */
export const numberFields = ['unit'] as const satisfies readonly TextField[];
type NumberField = (typeof numberFields)[number];

/** Texts behind numbers of a source; absent without a value. */
export type NumberTexts = Pick<DescriptionFacts, NumberField>;

/** Largest number of labels of a source, and longest key, value, address and unit. */
export const labelsMax = 32;
export const labelKeyLengthMax = 63;
export const labelValueLengthMax = 100;
export const addressLengthMax = 300;
export const unitLengthMax = 16;

/** A fault of a field; `pointer` is relative to it. */
type FieldFault = Omit<Fault, 'pointer'> & { readonly pointer?: string };

/** How a field behaves. */
type FieldRule<Value, Patch> = {
  /** Value of a source that was given none. */
  readonly none: Value;
  readonly patched: (before: Value, patch: Patch) => Value;
  readonly faults?: (value: Value) => readonly FieldFault[];
};

/** A field that a patch replaces as a whole. */
const replaced = <Value>(
  none: Value,
  faults: (value: Value) => readonly FieldFault[] = () => [],
): FieldRule<Value, Value | null> => ({ none, patched: (_, patch) => patch ?? none, faults });

const emptyPlace: Place = { latitude: null, longitude: null, address: null };

const labelsRule: FieldRule<SourceDescription['labels'], OwnPatches['labels']> = {
  none: {},
  patched: (labels, patch) =>
    Object.fromEntries(
      Object.entries(patch === null ? {} : { ...labels, ...patch })
        .filter((label): label is [string, string] => label[1] !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  faults: labels => {
    const count = Object.keys(labels).length;
    return count > labelsMax
      ? [{ code: 'labels', detail: `got ${count} labels, expected at most ${labelsMax}` }]
      : [];
  },
};

const placeRule: FieldRule<SourceDescription['place'], OwnPatches['place']> = {
  none: null,
  patched: (place, patch) => {
    if (patch === null) return null;
    const { latitude, longitude, address } = { ...emptyPlace, ...place, ...patch };
    return latitude === null && longitude === null && address === null
      ? null
      : { latitude, longitude, address };
  },
  faults: place =>
    ((place?.latitude ?? null) === null) === ((place?.longitude ?? null) === null)
      ? []
      : [
          {
            code: 'coordinates',
            detail: 'got one of latitude and longitude, expected both or neither',
          },
        ],
};

const intervalFaults = (interval: string | null): readonly FieldFault[] =>
  interval === null || durationMinutes(interval) !== undefined
    ? []
    : [
        {
          code: 'interval',
          detail: `got "${interval}", expected an ISO 8601 duration from PT1M to P366D, such as P1D or PT6H`,
        },
      ];

/** Lateness of a source whose description has none. */
export const latenessDefault = 'PT15M';
/** The longest one, in minutes. */
const latenessMinutesMax = 7 * minutesPerDay;

const latenessFaults = (lateness: string): readonly FieldFault[] => {
  const minutes = durationMinutes(lateness);
  return minutes !== undefined && minutes <= latenessMinutesMax
    ? []
    : [
        {
          code: 'lateness',
          detail: `got "${lateness}", expected an ISO 8601 duration from PT1M to P7D, such as PT15M or P1D`,
        },
      ];
};

const explainedByFaults = (ids: readonly number[]): readonly FieldFault[] => {
  const code = 'explainedBy';
  const repeated = ids.flatMap((id, index) =>
    ids.indexOf(id) < index
      ? [{ code, pointer: `/${index}`, detail: `got source ${id} twice, expected each source once` }]
      : [],
  );
  return ids.length > covariatesMax
    ? [{ code, detail: `got ${ids.length} sources, expected at most ${covariatesMax}` }, ...repeated]
    : repeated;
};

const feedRule: FieldRule<SourceDescription['feed'], FeedPatch | null> = {
  none: null,
  patched: patchedFeed,
  faults: feed => {
    const count = Object.keys(feed?.tags ?? {}).length;
    return [
      ...(feed && (feed.measurement === '' || feed.field === '')
        ? [{ code: 'feed', detail: 'got a feed without measurement or field, expected both' }]
        : []),
      ...(count > feedTagsMax
        ? [{ code: 'feed', detail: `got ${count} tags, expected at most ${feedTagsMax}` }]
        : []),
    ];
  },
};

type FieldRules = {
  readonly [Field in DescriptionField]: FieldRule<SourceDescription[Field], PatchOf<Field>>;
};

/**
 * The form of a name: without spaces at its ends, in NFC (UAX 15). Names that differ in that alone look the same;
 * events of earlier builds may have others.
 */
export const nameForm = (name: string): string => name.trim().normalize('NFC');

/** The rule of each field, in the order in which events and answers have them. */
const rules: FieldRules = {
  name: { none: '', patched: (_, patch) => nameForm(patch) },
  labels: labelsRule,
  place: placeRule,
  expectedInterval: replaced<SourceDescription['expectedInterval']>(null, intervalFaults),
  explainedBy: replaced<SourceDescription['explainedBy']>([], explainedByFaults),
  unit: replaced<SourceDescription['unit']>(null),
  lateness: replaced<SourceDescription['lateness']>(latenessDefault, latenessFaults),
  feed: feedRule,
  minChange: { none: null, patched: patchedMinChange, faults: minChangeFaults },
};

/** Names of the fields, in the order in which events and answers have them. */
export const descriptionFields = Object.keys(rules) as readonly DescriptionField[];

type AnyRule = FieldRule<unknown, unknown>;

/** A value for each field. */
const eachField = <Result>(valueOf: (field: DescriptionField, rule: AnyRule) => unknown): Result =>
  Object.fromEntries(
    descriptionFields.map(field => [field, valueOf(field, rules[field] as AnyRule)]),
  ) as Result;

/** The fields that have a value. */
const withValue = (description: SourceDescription): object =>
  Object.fromEntries(
    descriptionFields
      .filter(field => !isSameJson(description[field], rules[field].none))
      .map(field => [field, description[field]]),
  );

/** The description in the data of an event or a request: absent fields have no value, other data are left out. */
export const descriptionIn = (data: DescriptionFacts | DescribedFacts): SourceDescription =>
  eachField((field, { none }) => data[field] ?? none);

/** The patch in the data of a request: other data are left out. */
export const patchIn = <Data extends DescriptionPatch>(data: Data): Pick<Data, DescriptionField> =>
  Object.fromEntries(
    descriptionFields.flatMap(field => (data[field] === undefined ? [] : [[field, data[field]]])),
  ) as Pick<Data, DescriptionField>;

/** A description as data of `SourceCreated`. */
export const descriptionFacts = (description: SourceDescription): DescriptionFacts => ({
  name: description.name,
  ...withValue(description),
});

/** A description as data of `SourceDescribed`. */
export const describedFacts = (description: SourceDescription): DescribedFacts => {
  const { name, labels, place, expectedInterval } = description;
  return { name, labels, place, expectedInterval, ...withValue(description) };
};

/** The texts behind numbers of a source with a description. */
export const numberTexts = (description: SourceDescription): NumberTexts =>
  Object.fromEntries(
    numberFields.flatMap(field => (description[field] === null ? [] : [[field, description[field]]])),
  );

/** The texts behind a number in one, with a space before each; empty without texts. */
export const numberSuffix = (texts: NumberTexts | SourceDescription): string =>
  numberFields.map(field => (texts[field] ? ` ${texts[field]}` : '')).join('');

/**
 * Applies a merge patch.
 * @throws Rejection `descriptionInvalid` with a JSON Pointer to each fault of the result
 */
export const patchedDescription = (
  description: SourceDescription,
  patch: DescriptionPatch,
): SourceDescription => {
  const patched = eachField<SourceDescription>((field, rule) =>
    patch[field] === undefined ? description[field] : rule.patched(description[field], patch[field]),
  );
  const faults = descriptionFields.flatMap(field =>
    ((rules[field] as AnyRule).faults?.(patched[field]) ?? []).map(({ pointer = '', ...fault }) => ({
      ...fault,
      pointer: `/${field}${pointer}`,
    })),
  );
  if (faults.length > 0)
    throw new Rejection('descriptionInvalid', 'the description of the source is not valid', faults);
  return patched;
};
