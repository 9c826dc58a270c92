import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useSearch } from '@tanstack/react-router';
import type { Incident } from '../../api/client.js';
import { incidentsMax, queries, type IncidentFilter } from '../../api/queries.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';

import { IncidentFilters, type IncidentSearch } from './IncidentFilters.js';
import { IncidentList } from './IncidentList.js';
import './incidents.css';

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
  ...(sort === 'newest' ? { sort: 'date', order: 'desc' } : { sort: 'criticity' }),
});

/** Incidents that match the filters, the worst or the newest first. */
export const Incidents = () => {
  const { incidents: texts, loading } = useMessages();
  const search = useSearch({ from: '/alerts' });
  const { data, error, refetch } = useQuery(queries.incidents(filterOf(search)));
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const rows = useFound(data, search.q ?? '', search.sort === 'newest');
  return (
    <>
      <div className="page-head incidents-head">
        <h1>{texts.title}</h1>
        <p className="muted" role="status">
          {data ? texts.count(rows.length, data.length < incidentsMax) : error ? '' : loading}
        </p>
      </div>
      <IncidentFilters search={search} />
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      {data && rows.length === 0 && (
        <p className="notice good">{data.length === 0 ? texts.none : texts.noneFound}</p>
      )}
      {/* It stays without rows, because its dialog may have a text that a person types. */}
      {data && <IncidentList rows={rows} />}
    </>
  );
};

/** Incidents whose sentence, sources or assignee contain a text, in the order of the list. */
const useFound = (
  incidents: readonly Incident[] | undefined,
  text: string,
  isNewest: boolean,
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
    const worst = (a: Incident, b: Incident) => b.criticity - a.criticity || newest(a, b);
    return found.sort(isNewest ? newest : worst);
  }, [incidents, text, isNewest, formats]);
};
