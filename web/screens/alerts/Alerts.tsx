import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useSearch, useNavigate } from '@tanstack/react-router';
import type { Alert } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Failure } from '../../parts/Failure.js';
import { useMessages } from '../../messages/messages.js';
import { AlertList } from './AlertList.js';
import './alerts.css';
import { LabelFilter, Select } from '../../parts/Select.js';

const statesOf = { unprocessed: 'unprocessed', all: 'open,acknowledged,resolved,ended,invalidated' } as const;

/** Alerts that match the filters, the worst or the newest first. Alerts of an incident follow each other. */
export const Alerts = () => {
  const { alerts: texts, loading } = useMessages();
  const { state = 'unprocessed', kind, source, label, sort = 'criticity' } = useSearch({ from: '/alerts' });
  const states = state === 'unprocessed' || state === 'all' ? statesOf[state] : state;
  const { data, error, refetch } = useQuery(queries.alerts(states, source, label));
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const rows = useMemo(() => {
    const wanted = (data ?? []).filter(alert => kind === undefined || alert.kind === kind);
    const newest = (a: Alert, b: Alert) => b.date.localeCompare(a.date) || b.criticity - a.criticity;
    const worst = (a: Alert, b: Alert) => b.criticity - a.criticity || newest(a, b);
    const ordered = [...wanted].sort(sort === 'newest' ? newest : worst);
    return incidentsOf(ordered).flatMap(({ alerts }) =>
      alerts.map((alert, index) => ({ alert, incident: alerts, first: index === 0 })),
    );
  }, [data, kind, sort]);
  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
        <p className="muted" role="status">
          {data ? texts.count(rows.length) : error ? '' : loading}
        </p>
      </div>
      <AlertFilters />
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      {data && rows.length === 0 && <p className="notice good">{texts.none}</p>}
      {rows.length > 0 && <AlertList rows={rows} />}
    </>
  );
};

const states = ['unprocessed', 'acknowledged', 'resolved', 'ended', 'invalidated', 'all'] as const;
const kinds = ['activity', 'gap', 'frozen', 'drift', 'noData'] as const;

/** Filters of the list. They are in the address, so that a view can be bookmarked and shared. */
const AlertFilters = () => {
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

/** Alerts of one incident. */
type IncidentAlerts = { readonly key: string; readonly alerts: readonly Alert[] };

/** Alerts by incident, each by date; the order of incidents is that of their first alerts in the list. */
const incidentsOf = (alerts: readonly Alert[]): IncidentAlerts[] => {
  const byIncident = new Map<string, Alert[]>();
  for (const alert of alerts) {
    const key = alert.incidentId ?? alert.id;
    const list = byIncident.get(key);
    if (list) list.push(alert);
    else byIncident.set(key, [alert]);
  }
  return [...byIncident].map(([key, list]) => ({
    key,
    alerts: list.sort((a, b) => a.date.localeCompare(b.date)),
  }));
};
