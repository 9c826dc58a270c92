import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useSearch, useNavigate, Link } from '@tanstack/react-router';
import type { Incident } from '../../api/client.js';
import { incidentsMax, queries, type IncidentFilter } from '../../api/queries.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure, isNotFound } from '../../parts/Failure.js';
import { ArchivedSource } from '../SourceFrame.js';
import { IncidentList } from './IncidentList.js';
import './incidents.css';
import { byLoss, gradedIncident } from '../../parts/days.js';
import { MoreFilters } from '../../parts/smallScreens.js';
import { LabelFilter, SearchField, Select } from '../../parts/Field.js';
import { useShortcuts } from '../../parts/shortcuts.js';

const everyState = 'open,acknowledged,resolved,ended,invalidated';

/** The query of the service for a view of the list; its text is searched on the page. */
const filterOf = ({ state, kind, source, label, assignee, muted, sort }: IncidentSearch): IncidentFilter => ({
  state: state === 'all' ? everyState : (state ?? 'open'),
  ...(kind !== undefined && { kind }),
  ...(source !== undefined && { sourceId: source }),
  ...(label !== undefined && { label: [label] }),
  ...(assignee !== undefined && {
    assignee: assignee === 'me' || assignee === 'none' ? `@${assignee}` : assignee,
  }),
  ...(muted !== undefined && { muted: muted === 'only' }),
  ...(sort === 'newest' ? { sort: 'date', order: 'desc' } : { sort: sort ?? 'severity' }),
});

/** Whether a view has all open incidents, whatever text is searched on the page. */
const isOfAllOpen = ({ state, kind, source, label, assignee, muted }: IncidentSearch): boolean =>
  [state, kind, source, label, assignee, muted].every(filter => filter === undefined);

/** Incidents that match the filters, the worst or the newest first. */
export const Incidents = () => {
  const { incidents: texts, loading } = useMessages();
  const search = useSearch({ from: '/alerts' });
  const { error, refetch, isPlaceholderData, ...read } = useQuery(queries.incidents(filterOf(search)));
  // The source of the filter is archived: what was read before is void.
  const isGone = search.source !== undefined && isNotFound(error);
  const data = isGone ? undefined : read.data;
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const rows = useFound(data, search.q ?? '', search.sort);
  // A list of the filters before says nothing of these ones.
  const isNone = data !== undefined && rows.length === 0 && !isPlaceholderData;
  // The text is searched in these alone.
  const cutAt = data !== undefined && data.length >= incidentsMax ? data.length : undefined;
  const isNoneOpen = isNone && data.length === 0 && isOfAllOpen(search);
  return (
    <>
      <div className="page-head incidents-head">
        <h1>{texts.title}</h1>
        <p className="muted" role="status">
          {data && (isNone || rows.length > 0) ? texts.count(rows.length, cutAt) : error ? '' : loading}
        </p>
      </div>
      <IncidentFilters search={search} />
      {error && !data && !isGone && <Failure error={error} reset={() => void refetch()} />}
      {isGone && <ArchivedSource sourceId={search.source ?? 0} />}
      {isNone && <p className="notice">{isNoneOpen ? texts.none : texts.noneFound(cutAt)}</p>}
      {/* It stays without rows, because its dialog may have a text that a person types. */}
      {data && <IncidentList rows={rows} />}
    </>
  );
};

/** Incidents whose sentence, sources or assignee contain a text, in the order of the list. */
const useFound = (
  incidents: readonly Incident[] | undefined,
  text: string,
  sort: IncidentSearch['sort'],
): readonly Incident[] => {
  const formats = useFormats();
  return useMemo(() => {
    const wanted = text.trim().toLocaleLowerCase();
    const found = (incidents ?? []).filter(incident =>
      [
        sentenceOf(incident, formats),
        incident.title,
        incident.assignee ?? '',
        ...incident.sources.map(({ name }) => name),
      ].some(part => part.toLocaleLowerCase().includes(wanted)),
    );
    const newest = (a: Incident, b: Incident) => b.until.localeCompare(a.until) || b.criticity - a.criticity;
    const unlikely = (a: Incident, b: Incident) => b.criticity - a.criticity || newest(a, b);
    const worst = (a: Incident, b: Incident) => byLoss(gradedIncident(a), gradedIncident(b)) || newest(a, b);
    return found.sort(sort === 'newest' ? newest : sort === 'criticity' ? unlikely : worst);
  }, [incidents, text, sort, formats]);
};

/** Filters of the list, which are in the address. */
type IncidentSearch = ReturnType<typeof useListSearch>;
const useListSearch = () => useSearch({ from: '/alerts' });

const states = ['unprocessed', 'open', 'acknowledged', 'resolved', 'ended', 'invalidated', 'all'] as const;

type Change = (next: Partial<Record<keyof IncidentSearch, unknown>>) => void;

/** Filters of the list. They are in the address, so that a view can be bookmarked and shared. */
const IncidentFilters = ({ search }: { readonly search: IncidentSearch }) => {
  const { incidents: texts } = useMessages();
  const navigate = useNavigate({ from: '/alerts' });
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => field.current?.focus() });
  const change: Change = next => {
    const merged = Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined);
    void navigate({ search: Object.fromEntries(merged) as IncidentSearch, replace: true });
  };
  const { state = 'open', q, kind, source, label, assignee, muted } = search;
  const chosen = [kind, source, label, assignee, muted];
  return (
    <div className="filters" role="group" aria-label={texts.filters}>
      <div className="segments" role="group" aria-label={texts.stateLabel}>
        {states
          // A link of the overview leads to both states.
          .filter(name => name !== 'unprocessed' || state === name)
          .map(name => (
            <button
              type="button"
              key={name}
              className="button"
              aria-pressed={state === name}
              onClick={() => change({ state: name === 'open' ? undefined : name })}
            >
              {texts.states[name]}
            </button>
          ))}
      </div>
      <SearchField
        {...{ field, label: texts.search, value: q ?? '' }}
        onChange={next => change({ q: next || undefined })}
      />
      <MoreFilters count={chosen.filter(value => value !== undefined).length}>
        <FilterChoices search={search} change={change} />
        <Link to="/mutes" className="button quiet">
          {texts.toMutes}
        </Link>
      </MoreFilters>
    </div>
  );
};

const kinds = ['activity', 'gap', 'frozen', 'drift', 'noData'] as const;

const FilterChoices = ({ search, change }: { readonly search: IncidentSearch; readonly change: Change }) => {
  const { incidents: texts, kinds: kindNames, explained } = useMessages();
  const { data } = useQuery(queries.overview(undefined));
  const { kind, source, label, assignee, muted, sort } = search;
  const sources = new Map(data?.sources.map(({ id, name }) => [id, name]));
  // One of the address may be archived, or not be read yet.
  if (source !== undefined && !sources.has(source)) sources.set(source, explained.source(source));
  return (
    <>
      <Select
        label={texts.kind}
        value={kind ?? ''}
        options={[['', texts.anyKind], ...kinds.map(name => [name, kindNames[name]] as const)]}
        onChange={next => change({ kind: next || undefined })}
      />
      <Select
        label={texts.source}
        value={String(source ?? '')}
        options={[['', texts.anySource], ...[...sources].map(([id, name]) => [String(id), name] as const)]}
        onChange={next => change({ source: next === '' ? undefined : Number(next) })}
      />
      <LabelFilter sources={data?.sources ?? []} value={label} onChange={next => change({ label: next })} />
      <Select
        label={texts.assignee}
        value={assignee ?? ''}
        options={[
          ['', texts.assignees.anyone],
          ['me', texts.assignees.me],
          ['none', texts.assignees.none],
          ...(assignee === undefined || assignee === 'me' || assignee === 'none'
            ? []
            : [[assignee, assignee] as const]),
        ]}
        onChange={next => change({ assignee: next || undefined })}
      />
      <Select
        label={texts.muted}
        value={muted ?? ''}
        options={[
          ['', texts.muteds.shown],
          ['no', texts.muteds.no],
          ['only', texts.muteds.only],
        ]}
        onChange={next => change({ muted: next || undefined })}
      />
      <Select
        label={texts.sort}
        value={sort ?? ''}
        options={[
          ['', texts.sorts.severity],
          ['criticity', texts.sorts.criticity],
          ['newest', texts.sorts.newest],
        ]}
        onChange={next => change({ sort: next || undefined })}
      />
    </>
  );
};
