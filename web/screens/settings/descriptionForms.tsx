import { useId, type ComponentType } from 'react';
import type { Source } from '../../api/client.js';
import type { SourcePatch } from '../../api/mutations.js';
import type { Messages } from '../../messages/en.js';
import { useMessages } from '../../messages/messages.js';
import { Field, SelectField, TextField } from '../../parts/Field.js';
import { PairsArea, pairsOf } from '../../parts/PairsArea.js';
import { Covariates } from './Covariates.js';

/** Names of the fields of a description. */
export type DescriptionField = keyof SourcePatch;

type InputsOf<Typed> = {
  readonly source: Source;
  readonly typed: Typed;
  readonly onChange: (typed: Typed) => void;
};

/** Texts of values in words. */
type Words = { readonly messages: Messages; readonly nameOf: (sourceId: number) => string };

/** A field in the settings of a source. */
type FieldForm<Field extends DescriptionField, Typed> = {
  /** The stored value as it is typed. */
  readonly typed: (source: Source) => Typed;
  /** The value that is typed. */
  readonly value: (typed: Typed) => SourcePatch[Field];
  readonly Inputs: ComponentType<InputsOf<Typed>>;
  /** Labels and values for people who may not change them; values may be empty. */
  readonly words: (source: Source, words: Words) => readonly (readonly [label: string, value: string])[];
};

/** A form whose content only its own functions know. */
const form = <Field extends DescriptionField, Typed>(one: FieldForm<Field, Typed>) =>
  one as unknown as FieldForm<Field, unknown>;

const nameForm = form<'name', string>({
  typed: ({ name }) => name,
  value: typed => typed.trim(),
  Inputs: ({ typed, onChange }) => {
    const { settings: texts } = useMessages();
    return (
      <TextField dir="auto" label={texts.name} maxLength={100} required value={typed} onChange={onChange} />
    );
  },
  words: ({ name }, { messages }) => [[messages.settings.name, name]],
});

/** A label as it is typed; `row` identifies it while its key changes. */
type LabelRow = { readonly row: number; readonly key: string; readonly value: string };

const labelsMax = 32;

/** Keys of labels; one that a row above has is none, since the later row would take its place. */
const keyPattern = '[A-Za-z][A-Za-z0-9_.\\-]*';
const noKeyPattern = '(?!)';

/** Labels of a source, which group sources: a key and a value each. */
const Labels = ({ typed: labels, onChange }: InputsOf<readonly LabelRow[]>) => {
  const { settings: texts } = useMessages();
  const isTaken = (key: string, index: number): boolean =>
    key.trim() !== '' && labels.slice(0, index).some(above => above.key.trim() === key.trim());
  const change = (row: number, next: Partial<LabelRow>): void =>
    onChange(labels.map(label => (label.row === row ? { ...label, ...next } : label)));
  return (
    <fieldset className="labels">
      <legend className="label">{texts.labels}</legend>
      {labels.map(({ row, key, value }, index) => (
        <div key={row} className="label-row">
          <input
            className="input"
            aria-label={texts.labelKey(index + 1)}
            placeholder={texts.keyExample}
            maxLength={63}
            pattern={isTaken(key, index) ? noKeyPattern : keyPattern}
            title={isTaken(key, index) ? texts.keyTaken : undefined}
            required={value.trim() !== ''}
            value={key}
            onChange={({ target }) => change(row, { key: target.value })}
          />
          <input
            className="input"
            aria-label={texts.labelValue(index + 1)}
            placeholder={texts.valueExample}
            maxLength={100}
            required={key.trim() !== ''}
            dir="auto"
            value={value}
            onChange={({ target }) => change(row, { value: target.value })}
          />
          <button
            type="button"
            className="button quiet icon"
            aria-label={texts.removeLabel(key || String(index + 1))}
            onClick={() => onChange(labels.filter(label => label.row !== row))}
          >
            ×
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button"
          disabled={labels.length >= labelsMax}
          onClick={() =>
            onChange([
              ...labels,
              { row: Math.max(-1, ...labels.map(({ row }) => row)) + 1, key: '', value: '' },
            ])
          }
        >
          {texts.addLabel}
        </button>
      </div>
    </fieldset>
  );
};
/** Removed labels become null. */
const labelsForm = form<'labels', readonly LabelRow[]>({
  typed: ({ labels }) => Object.entries(labels).map(([key, value], row) => ({ row, key, value })),
  value: labels =>
    Object.fromEntries(
      labels.flatMap(({ key, value }) => (key.trim() === '' ? [] : [[key.trim(), value.trim()]])),
    ),
  Inputs: Labels,
  words: ({ labels }, { messages }) => [
    [
      messages.settings.labels,
      Object.entries(labels)
        .map(label => label.join(': '))
        .join(', '),
    ],
  ],
});

const numberOf = (text: string): number | null =>
  text.trim() === '' ? null : Number(text.replace(',', '.'));

type PlaceTexts = { readonly address: string; readonly latitude: string; readonly longitude: string };

const PlaceInputs = ({ typed, onChange }: InputsOf<PlaceTexts>) => {
  const { settings: texts } = useMessages();
  const degrees = (name: 'latitude' | 'longitude', max: number) => (
    <TextField
      label={texts[name]}
      type="number"
      step="any"
      min={-max}
      max={max}
      value={typed[name]}
      onChange={next => onChange({ ...typed, [name]: next })}
    />
  );
  return (
    <>
      <TextField
        dir="auto"
        label={texts.address}
        maxLength={300}
        value={typed.address}
        onChange={address => onChange({ ...typed, address })}
      />
      <div className="choices">
        {degrees('latitude', 90)}
        {degrees('longitude', 180)}
      </div>
    </>
  );
};

const placeForm = form<'place', PlaceTexts>({
  typed: ({ place }) => ({
    address: place?.address ?? '',
    latitude: place?.latitude == null ? '' : String(place.latitude),
    longitude: place?.longitude == null ? '' : String(place.longitude),
  }),
  value: ({ address, latitude, longitude }) => ({
    address: address.trim() || null,
    latitude: numberOf(latitude),
    longitude: numberOf(longitude),
  }),
  Inputs: PlaceInputs,
  words: ({ place }, { messages }) => [[messages.settings.address, place?.address ?? '']],
});

/** Intervals between imports that the list offers. */
const intervals = ['PT1H', 'PT6H', 'PT12H', 'P1D', 'P2D', 'P1W', 'P31D'] as const;

/** The values that a list offers, and the present one. */
const offeredWith = (offered: readonly string[], present: string): readonly string[] =>
  present === '' || offered.includes(present) ? offered : [...offered, present];

const IntervalInput = ({ source, typed: interval, onChange }: InputsOf<string>) => {
  const { settings: texts } = useMessages();
  return (
    <SelectField
      label={texts.interval}
      hint={texts.intervalHint}
      value={interval}
      options={[
        ['', texts.learned],
        ...offeredWith(intervals, source.expectedInterval ?? '').map(
          value => [value, texts.intervals[value] ?? value] as const,
        ),
      ]}
      onChange={onChange}
    />
  );
};

const intervalForm = form<'expectedInterval', string>({
  typed: ({ expectedInterval }) => expectedInterval ?? '',
  value: interval => interval || null,
  Inputs: IntervalInput,
  words: ({ expectedInterval }, { messages: { settings: texts } }) => [
    [texts.interval, texts.intervals[expectedInterval ?? ''] ?? expectedInterval ?? ''],
  ],
});

const explainedByForm = form<'explainedBy', readonly number[]>({
  typed: ({ explainedBy }) => explainedBy,
  value: ids => [...ids],
  Inputs: ({ source, typed, onChange }) => <Covariates source={source} ids={typed} onChange={onChange} />,
  words: ({ explainedBy }, { messages, nameOf }) => [
    [messages.explained.title, explainedBy.map(nameOf).join(', ')],
  ],
});

const unitForm = form<'unit', string>({
  typed: ({ unit }) => unit ?? '',
  value: unit => unit.trim() || null,
  Inputs: ({ typed, onChange }) => {
    const { settings: texts } = useMessages();
    return <TextField dir="auto" label={texts.unit} maxLength={16} value={typed} onChange={onChange} />;
  },
  words: ({ unit }, { messages }) => [[messages.settings.unit, unit ?? '']],
});

/** Latenesses that the list offers. */
const latenesses = ['PT5M', 'PT15M', 'PT1H', 'PT6H', 'P1D', 'P3D', 'P7D'] as const;

const LatenessInput = ({ source, typed, onChange }: InputsOf<string>) => {
  const { settings: texts } = useMessages();
  return (
    <SelectField
      label={texts.lateness}
      hint={texts.latenessHint}
      value={typed}
      options={offeredWith(latenesses, source.lateness).map(value => [
        value,
        texts.latenesses[value] ?? value,
      ])}
      onChange={onChange}
    />
  );
};

const latenessForm = form<'lateness', string>({
  typed: ({ lateness }) => lateness,
  value: lateness => lateness,
  Inputs: LatenessInput,
  words: ({ lateness }, { messages: { settings: texts } }) => [
    [texts.lateness, texts.latenesses[lateness] ?? lateness],
  ],
});

/** A feed as it is typed: one tag `key=value` a line. */
type TypedFeed = { readonly measurement: string; readonly field: string; readonly tags: string };

const feedTyped = ({ feed }: Source): TypedFeed => ({
  measurement: feed?.measurement ?? '',
  field: feed?.field ?? '',
  tags: Object.entries(feed?.tags ?? {})
    .map(tag => tag.join('='))
    .join('\n'),
});

const FeedInputs = ({ typed, onChange }: InputsOf<TypedFeed>) => {
  const { settings: texts } = useMessages();
  return (
    <fieldset className="group">
      <legend className="label">{texts.feed}</legend>
      <TextField
        dir="auto"
        label={texts.feedMeasurement}
        maxLength={200}
        required={typed.field !== '' || typed.tags.trim() !== ''}
        value={typed.measurement}
        onChange={measurement => onChange({ ...typed, measurement })}
      />
      <TextField
        dir="auto"
        label={texts.feedField}
        maxLength={200}
        required={typed.measurement !== ''}
        value={typed.field}
        onChange={field => onChange({ ...typed, field })}
      />
      <Field label={texts.feedTags}>
        {id => (
          <PairsArea
            id={id}
            separator="="
            value={typed.tags}
            onChange={tags => onChange({ ...typed, tags })}
          />
        )}
      </Field>
    </fieldset>
  );
};

const feedForm = form<'feed', TypedFeed>({
  typed: feedTyped,
  value: ({ measurement, field, tags }) => {
    if (measurement === '') return null;
    return { measurement, field, tags: Object.fromEntries(pairsOf(tags, '=')) };
  },
  Inputs: FeedInputs,
  words: (source, { messages: { settings: texts } }) => {
    const { measurement, field, tags } = feedTyped(source);
    return [
      [texts.feedMeasurement, measurement],
      [texts.feedField, field],
      [texts.feedTags, tags.replaceAll('\n', ', ')],
    ];
  },
});

/** A floor as it is typed. */
type TypedFloor = { readonly absolute: string; readonly percent: string };

const floorTyped = ({ minChange }: Source): TypedFloor => ({
  absolute: String(minChange?.absolute ?? ''),
  percent: String(minChange?.percent ?? ''),
});

const FloorInputs = ({ source, typed, onChange }: InputsOf<TypedFloor>) => {
  const { settings: texts } = useMessages();
  const id = useId();
  const amount = (name: keyof TypedFloor, label: string, max?: number) => (
    <TextField
      label={label}
      type="number"
      step="any"
      min={0}
      max={max}
      value={typed[name]}
      onChange={next => onChange({ ...typed, [name]: next })}
    />
  );
  return (
    <fieldset className="group" aria-describedby={`${id}-hint`}>
      <legend className="label">{texts.floor}</legend>
      <div className="choices">
        {amount('absolute', texts.floorAbsolute)}
        {amount('percent', texts.floorPercent, 1000)}
      </div>
      <p id={`${id}-hint`} className="hint">
        {source.minChange?.proposed && `${texts.floorProposed} `}
        {texts.floorHint}
      </p>
    </fieldset>
  );
};

const floorForm = form<'minChange', TypedFloor>({
  typed: floorTyped,
  value: ({ absolute, percent }) => ({ absolute: numberOf(absolute), percent: numberOf(percent) }),
  Inputs: FloorInputs,
  words: (source, { messages: { settings: texts } }) => {
    const { absolute, percent } = floorTyped(source);
    return [
      [texts.floor, absolute],
      [`${texts.floor} (%)`, percent],
    ];
  },
});

/** The form of each field, in the order of the settings. */
export const descriptionForms: {
  readonly [Field in DescriptionField]-?: FieldForm<Field, unknown>;
} = {
  name: nameForm,
  labels: labelsForm,
  place: placeForm,
  expectedInterval: intervalForm,
  explainedBy: explainedByForm,
  unit: unitForm,
  lateness: latenessForm,
  feed: feedForm,
  minChange: floorForm,
};

/** Names of the fields in the order of the settings. */
export const descriptionFields = Object.keys(descriptionForms) as readonly DescriptionField[];
