import { type ReactNode, useMemo } from 'react';
import type { Model, OverviewSource } from '../api/client.js';
import { modelNameOf, useFormats } from '../messages/formats.js';
import { useMessages } from '../messages/messages.js';

/** Values of a choice with their texts. */
export type Options = readonly (readonly [value: string, text: string])[];

/** A choice of one text out of some, such as a filter; it has a label for screen readers, or one next to it by `id`. */
export const Select = ({
  id,
  label,
  hintId,
  value,
  options = [],
  onChange,
  children,
}: {
  readonly id?: string;
  readonly label?: string;
  /** Id of a text that describes it. */
  readonly hintId?: string | undefined;
  readonly value: string;
  readonly options?: Options;
  readonly onChange: (value: string) => void;
  /** Options before the others. */
  readonly children?: ReactNode;
}) => (
  <select
    id={id}
    className="select"
    aria-label={label}
    aria-describedby={hintId}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  >
    {children}
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

/** A choice of one model, none at first; its label is next to it, by `id`. */
export const ModelSelect = ({
  id,
  models,
  value,
  onChange,
}: {
  readonly id: string;
  readonly models: readonly Pick<Model, 'id' | 'name' | 'names'>[];
  /** Id of the model, empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => {
  const { chooseModel } = useMessages().alert;
  const formats = useFormats();
  const named = models.map(model => [String(model.id), modelNameOf(model, formats)] as const);
  return <Select id={id} value={value} options={[['', chooseModel], ...named]} onChange={onChange} />;
};

/** Whether a source has a label `key:value`. */
export const hasLabel = ({ labels }: Pick<OverviewSource, 'labels'>, label: string): boolean => {
  const at = label.indexOf(':');
  return labels[label.slice(0, at)] === label.slice(at + 1);
};

/** A choice of sources by one of their labels; nothing when no source has one. */
export const LabelFilter = ({
  sources,
  value,
  onChange,
}: {
  readonly sources: readonly OverviewSource[];
  readonly value: string | undefined;
  readonly onChange: (label: string | undefined) => void;
}) => {
  const { labelFilter: texts } = useMessages();
  const known = useMemo(() => {
    const all = sources.flatMap(({ labels }) => Object.entries(labels).map(label => label.join(':')));
    return [...new Set(value === undefined ? all : [...all, value])].sort();
  }, [sources, value]);
  if (known.length === 0) return null;
  return (
    <Select
      label={texts.label}
      value={value ?? ''}
      options={[['', texts.any], ...known.map(label => [label, label.replace(':', ': ')] as const)]}
      onChange={next => onChange(next || undefined)}
    />
  );
};
