import { useMemo } from 'react';
import type { OverviewSource } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Select } from './Select.js';

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
    <Select label={texts.label} value={value ?? ''} onChange={next => onChange(next || undefined)}>
      <option value="">{texts.any}</option>
      {known.map(label => (
        <option key={label} value={label}>
          {label.replace(':', ': ')}
        </option>
      ))}
    </Select>
  );
};
