import { useRef } from 'react';
import type { OverviewSource } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { LabelFilter } from '../../parts/forms/LabelFilter.js';
import { Select } from '../../parts/forms/Select.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { Legend } from './Legend.js';
import { sorts, type Sort } from './sorted.js';

/** Parameters of the overview, all in the address. */
export type Asked = {
  readonly q: string;
  readonly label: string | undefined;
  readonly sort: Sort;
  /** End of the period, exclusive; undefined for the latest. */
  readonly to: string | undefined;
};

/** Search, filter and order of the sources, and the legend of their bars. */
export const OverviewTools = ({
  sources,
  asked: { q, label, sort },
  onChange,
}: {
  readonly sources: readonly OverviewSource[];
  readonly asked: Asked;
  readonly onChange: (next: Partial<Asked>) => void;
}) => {
  const { overview: texts } = useMessages();
  const search = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => search.current?.focus() });
  return (
    <div className="overview-tools">
      <input
        ref={search}
        type="search"
        className="input"
        placeholder={texts.search}
        aria-label={texts.search}
        value={q}
        onChange={({ target }) => onChange({ q: target.value })}
      />
      <LabelFilter sources={sources} value={label} onChange={next => onChange({ label: next })} />
      <Select label={texts.sort} value={sort} onChange={next => onChange({ sort: next as Sort })}>
        {sorts.map(name => (
          <option key={name} value={name}>
            {texts.sorts[name]}
          </option>
        ))}
      </Select>
      <Legend />
    </div>
  );
};
