import { useId, useState } from 'react';
import { ProblemError } from '../../../client/index.js';
import { useSourceChange, type SourcePatch } from '../../api/mutations.js';
import type { Source } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { useToast } from '../../parts/Toasts.js';
import { Covariates } from './Covariates.js';

/** Intervals between imports that the list offers. */
const intervals = ['PT1H', 'PT6H', 'PT12H', 'P1D', 'P2D', 'P1W', 'P31D'] as const;

/** Texts of the form fields until they are sent. */
type Typed = {
  readonly name: string;
  readonly labels: readonly LabelRow[];
  readonly address: string;
  readonly latitude: string;
  readonly longitude: string;
  readonly interval: string;
  readonly explainedBy: readonly number[];
};

const typedOf = ({ name, labels, place, expectedInterval, explainedBy }: Source): Typed => ({
  name,
  labels: Object.entries(labels).map(([key, value], row) => ({ row, key, value })),
  address: place?.address ?? '',
  latitude: place?.latitude == null ? '' : String(place.latitude),
  longitude: place?.longitude == null ? '' : String(place.longitude),
  interval: expectedInterval ?? '',
  explainedBy,
});

const numberOf = (text: string): number | null =>
  text.trim() === '' ? null : Number(text.replace(',', '.'));

/** The merge patch from the stored description to the typed one; removed labels become null. */
const patchOf = (source: Source, typed: Typed) => {
  const { name, labels, address, latitude, longitude, interval, explainedBy } = typed;
  const kept = Object.fromEntries(
    labels.flatMap(({ key, value }) => (key.trim() === '' ? [] : [[key.trim(), value.trim()]])),
  );
  const gone = Object.keys(source.labels).filter(key => !(key in kept));
  return {
    name: name.trim(),
    labels: { ...kept, ...Object.fromEntries(gone.map(key => [key, null])) },
    place: {
      address: address.trim() || null,
      latitude: numberOf(latitude),
      longitude: numberOf(longitude),
    },
    expectedInterval: interval || null,
    // A source that was archived since would be refused: only a change is sent.
    ...(String(explainedBy) !== String(source.explainedBy) && { explainedBy: [...explainedBy] }),
  } satisfies SourcePatch;
};

/** Name, labels, place, expected interval and explaining sources of a source. */
export const SourceForm = ({ source }: { readonly source: Source }) => {
  const { settings: texts, save } = useMessages();
  const tell = useToast();
  const { mutate, isPending, error } = useSourceChange(source.id);
  const [typed, setTyped] = useState(() => typedOf(source));
  const id = useId();
  const set = (next: Partial<Typed>): void => setTyped(now => ({ ...now, ...next }));
  const send = (allowDuplicate: boolean): void =>
    mutate(
      { patch: patchOf(source, typed), allowDuplicate },
      {
        onSuccess: saved => {
          setTyped(typedOf(saved));
          tell(texts.saved(saved.name));
        },
      },
    );
  const field = (name: 'name' | 'address', maxLength: number) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{texts[name]}</label>
      <input
        id={`${id}-${name}`}
        className="input"
        maxLength={maxLength}
        required={name === 'name'}
        dir="auto"
        value={typed[name]}
        onChange={({ target }) => set({ [name]: target.value })}
      />
    </div>
  );
  const degrees = (name: 'latitude' | 'longitude', max: number) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{texts[name]}</label>
      <input
        id={`${id}-${name}`}
        className="input"
        type="number"
        step="any"
        min={-max}
        max={max}
        value={typed[name]}
        onChange={({ target }) => set({ [name]: target.value })}
      />
    </div>
  );
  const { interval } = typed;
  const offered: readonly string[] =
    interval === '' || (intervals as readonly string[]).includes(interval)
      ? intervals
      : [...intervals, interval];
  const isTaken = error instanceof ProblemError && error.code === 'sourceNameTaken';
  return (
    <form
      className="card card-pad stack"
      onSubmit={event => {
        event.preventDefault();
        send(false);
      }}
    >
      {field('name', 100)}
      <Labels labels={typed.labels} onChange={labels => set({ labels })} />
      {field('address', 300)}
      <div className="choices">
        {degrees('latitude', 90)}
        {degrees('longitude', 180)}
      </div>
      <div className="field">
        <label htmlFor={`${id}-interval`}>{texts.interval}</label>
        <select
          id={`${id}-interval`}
          className="select"
          value={interval}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => set({ interval: target.value })}
        >
          <option value="">{texts.learned}</option>
          {offered.map(value => (
            <option key={value} value={value}>
              {texts.intervals[value] ?? value}
            </option>
          ))}
        </select>
        <p id={`${id}-hint`} className="hint">
          {texts.intervalHint}
        </p>
      </div>
      <Covariates source={source} ids={typed.explainedBy} onChange={explainedBy => set({ explainedBy })} />
      {error && <Faults error={error} />}
      <div className="row">
        <button className="button primary" disabled={isPending || typed.name.trim() === ''}>
          {save}
        </button>
        {isTaken && (
          <button type="button" className="button" disabled={isPending} onClick={() => send(true)}>
            {texts.allowDuplicate}
          </button>
        )}
      </div>
    </form>
  );
};

/** A label as it is typed; `row` identifies it while its key changes. */
type LabelRow = { readonly row: number; readonly key: string; readonly value: string };

const labelsMax = 32;

/** Labels of a source, which group sources: a key and a value each. */
const Labels = ({
  labels,
  onChange,
}: {
  readonly labels: readonly LabelRow[];
  readonly onChange: (labels: readonly LabelRow[]) => void;
}) => {
  const { settings: texts } = useMessages();
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
            pattern="[A-Za-z][A-Za-z0-9_.\-]*"
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
