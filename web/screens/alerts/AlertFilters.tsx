import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import { useMessages } from '../../messages/messages.js';
import { LabelFilter } from '../../parts/forms/LabelFilter.js';
import { Select } from '../../parts/forms/Select.js';

const states = ['unprocessed', 'acknowledged', 'resolved', 'ended', 'invalidated', 'all'] as const;
const kinds = ['activity', 'gap', 'frozen', 'drift', 'noData'] as const;

/** Filters of the list. They are in the address, so that a view can be bookmarked and shared. */
export const AlertFilters = () => {
  const { alerts: texts, kinds: kindNames } = useMessages();
  const search = useSearch({ from: '/alerts' });
  const navigate = useNavigate({ from: '/alerts' });
  const { data } = useQuery(queries.overview(undefined));
  const change = (next: Partial<Record<keyof typeof search, unknown>>): void => {
    const merged = Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined);
    void navigate({ search: Object.fromEntries(merged) as typeof search, replace: true });
  };
  const { state = 'unprocessed', kind, source, label, sort } = search;
  return (
    <div className="filters" role="group" aria-label={texts.filters}>
      <div className="segments" role="group" aria-label={texts.stateLabel}>
        {states.map(name => (
          <button
            key={name}
            className="button"
            aria-pressed={state === name}
            onClick={() => change({ state: name === 'unprocessed' ? undefined : name })}
          >
            {texts.states[name]}
          </button>
        ))}
      </div>
      <Select label={texts.kind} value={kind ?? ''} onChange={next => change({ kind: next || undefined })}>
        <option value="">{texts.anyKind}</option>
        {kinds.map(name => (
          <option key={name} value={name}>
            {kindNames[name]}
          </option>
        ))}
      </Select>
      <Select
        label={texts.source}
        value={String(source ?? '')}
        onChange={next => change({ source: next === '' ? undefined : Number(next) })}
      >
        <option value="">{texts.anySource}</option>
        {data?.sources.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <LabelFilter sources={data?.sources ?? []} value={label} onChange={next => change({ label: next })} />
      <Select label={texts.sort} value={sort ?? ''} onChange={next => change({ sort: next || undefined })}>
        <option value="">{texts.sorts.criticity}</option>
        <option value="newest">{texts.sorts.newest}</option>
      </Select>
    </div>
  );
};
