import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useSearch } from '@tanstack/react-router';
import type { Alert } from '../../api/types.js';
import { queries } from '../../api/queries.js';
import { Failure } from '../../parts/Failure.js';
import { useMessages } from '../../messages/messages.js';
import { AlertFilters } from './AlertFilters.js';
import { AlertList } from './AlertList.js';
import { episodesOf } from './grouped.js';
import './alerts.css';

const statesOf = { unprocessed: 'unprocessed', all: 'open,acknowledged,resolved,ended,invalidated' } as const;

/** Alerts that match the filters, the worst or the newest first. Alerts of an episode follow each other. */
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
    return episodesOf(ordered).flatMap(({ alerts }) =>
      alerts.map((alert, index) => ({ alert, episode: alerts, first: index === 0 })),
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
