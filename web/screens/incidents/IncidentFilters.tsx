import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch, Link } from '@tanstack/react-router';
import { useId, useRef, useState } from 'react';
import { queries } from '../../api/queries.js';
import { useMessages } from '../../messages/messages.js';
import { LabelFilter, Select } from '../../parts/Select.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { phone, useMediaQuery } from '../../parts/useMediaQuery.js';

/** Filters of the list, which are in the address. */
export type IncidentSearch = ReturnType<typeof useListSearch>;
const useListSearch = () => useSearch({ from: '/alerts' });

const states = ['open', 'acknowledged', 'resolved', 'ended', 'invalidated', 'all'] as const;

type Change = (next: Partial<Record<keyof IncidentSearch, unknown>>) => void;

/** Filters of the list. They are in the address, so that a view can be bookmarked and shared. */
export const IncidentFilters = ({ search }: { readonly search: IncidentSearch }) => {
  const { incidents: texts } = useMessages();
  const navigate = useNavigate({ from: '/alerts' });
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => field.current?.focus() });
  const change: Change = next => {
    const merged = Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined);
    void navigate({ search: Object.fromEntries(merged) as IncidentSearch, replace: true });
  };
  const { state = 'open', q } = search;
  return (
    <div className="filters" role="group" aria-label={texts.filters}>
      <div className="segments" role="group" aria-label={texts.stateLabel}>
        {states.map(name => (
          <button
            key={name}
            className="button"
            aria-pressed={state === name}
            onClick={() => change({ state: name === 'open' ? undefined : name })}
          >
            {texts.states[name]}
          </button>
        ))}
      </div>
      <input
        ref={field}
        type="search"
        className="input"
        placeholder={texts.search}
        aria-label={texts.search}
        value={q ?? ''}
        onChange={({ target }) => change({ q: target.value || undefined })}
      />
      <MoreFilters search={search} change={change} />
    </div>
  );
};

/** The choices of the filters; on a phone behind a button, so that the list begins on the first screen. */
const MoreFilters = ({ search, change }: { readonly search: IncidentSearch; readonly change: Change }) => {
  const { incidents: texts } = useMessages();
  const isPhone = useMediaQuery(phone);
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { kind, source, label, assignee, muted } = search;
  const count = [kind, source, label, assignee, muted].filter(value => value !== undefined).length;
  return (
    <>
      {isPhone && (
        <button
          className="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          {texts.moreFilters(count)}
        </button>
      )}
      <div id={id} className="more-filters" hidden={isPhone && !isOpen}>
        <FilterChoices search={search} change={change} />
        <Link to="/mutes" className="button quiet">
          {texts.toMutes}
        </Link>
      </div>
    </>
  );
};

const kinds = ['activity', 'gap', 'frozen', 'drift', 'noData'] as const;

const FilterChoices = ({ search, change }: { readonly search: IncidentSearch; readonly change: Change }) => {
  const { incidents: texts, kinds: kindNames } = useMessages();
  const { data } = useQuery(queries.overview(undefined));
  const { kind, source, label, assignee, muted, sort } = search;
  return (
    <>
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
      <Select
        label={texts.assignee}
        value={assignee ?? ''}
        onChange={next => change({ assignee: next || undefined })}
      >
        <option value="">{texts.assignees.anyone}</option>
        <option value="me">{texts.assignees.me}</option>
        <option value="none">{texts.assignees.none}</option>
        {assignee !== undefined && assignee !== 'me' && assignee !== 'none' && (
          <option value={assignee}>{assignee}</option>
        )}
      </Select>
      <Select label={texts.muted} value={muted ?? ''} onChange={next => change({ muted: next || undefined })}>
        <option value="">{texts.muteds.shown}</option>
        <option value="no">{texts.muteds.no}</option>
        <option value="only">{texts.muteds.only}</option>
      </Select>
      <Select label={texts.sort} value={sort ?? ''} onChange={next => change({ sort: next || undefined })}>
        <option value="">{texts.sorts.criticity}</option>
        <option value="newest">{texts.sorts.newest}</option>
      </Select>
    </>
  );
};
