import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { queries } from '../../api/queries.js';
import type { OverviewSource } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { hasLabel } from '../../parts/forms/LabelFilter.js';
import { useMediaQuery, wall } from '../../parts/useMediaQuery.js';
import { datesBetween } from './days.js';
import { EmptyOverview } from './EmptyOverview.js';
import { OverviewTools, type Asked } from './OverviewTools.js';
import { Period } from './Period.js';
import { sortedBy } from './sorted.js';
import { SourceTable } from './SourceTable.js';
import './overview.css';

/** Days on a wall display; elsewhere the service decides. */
const daysOnWall = 56;

/** All sources with their last days. */
export const Overview = () => {
  const { overview: texts, loading } = useMessages();
  const { q = '', label, sort = 'alerts', to } = useSearch({ from: '/' });
  const asked: Asked = { q, label, sort, to };
  const navigate = useNavigate({ from: '/' });
  const isWall = useMediaQuery(wall);
  const { data, error, refetch } = useQuery(queries.overview(to, isWall ? daysOnWall : undefined));
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const rows = useFound(data?.sources, asked);
  const dates = useMemo(() => (data ? datesBetween(data.from, data.to) : []), [data]);
  const open = data?.sources.reduce((sum, { openAlerts }) => sum + openAlerts, 0) ?? 0;
  const change = (next: Partial<Asked>): void =>
    void navigate({ search: addressOf({ ...asked, ...next }), replace: true });
  if (data?.sources.length === 0)
    return (
      <>
        <h1 className="hidden">{texts.title}</h1>
        <EmptyOverview />
      </>
    );
  return (
    <>
      <div className="page-head overview-head">
        <h1>{texts.title}</h1>
        <p className="muted" role="status">
          {data ? texts.counts(data.sources.length, open) : error ? '' : loading}
        </p>
        {data && (
          <Period
            from={data.from}
            to={data.to}
            isLatest={to === undefined}
            onChange={next => change({ to: next })}
          />
        )}
        <Link to="/sources/new" className="button">
          + {texts.importFile}
        </Link>
      </div>
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      {(data || !error) && <OverviewTools sources={data?.sources ?? []} asked={asked} onChange={change} />}
      {!data && !error && <div className="card skeleton-rows" />}
      {data && rows.length === 0 && <p className="muted">{texts.none}</p>}
      {data && rows.length > 0 && <SourceTable rows={rows} dates={dates} to={data.to} />}
    </>
  );
};

/** Parameters that differ from their defaults. */
const addressOf = ({ q, label, sort, to }: Asked) => ({
  ...(q !== '' && { q }),
  ...(label !== undefined && { label }),
  ...(sort !== 'alerts' && { sort }),
  ...(to !== undefined && { to }),
});

/** Sources that match the search and the label, in the chosen order. */
const useFound = (sources: readonly OverviewSource[] | undefined, { q, label, sort }: Asked) => {
  const { locale } = useFormats();
  return useMemo(() => {
    const wanted = q.trim().toLocaleLowerCase(locale);
    const found = sources?.filter(
      source =>
        source.name.toLocaleLowerCase(locale).includes(wanted) &&
        (label === undefined || hasLabel(source, label)),
    );
    return sortedBy(found ?? [], sort, locale);
  }, [sources, q, label, sort, locale]);
};
