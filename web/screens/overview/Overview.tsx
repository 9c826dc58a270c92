import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState, type CSSProperties } from 'react';
import { queries } from '../../api/queries.js';
import type { OverviewSource } from '../../api/types.js';
import { Failure } from '../../parts/Failure.js';
import { hasLabel, LabelFilter } from '../../parts/LabelFilter.js';
import { Select } from '../../parts/Select.js';
import { useMediaQuery } from '../../parts/useMediaQuery.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { Tip } from '../../parts/Tip.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { overviewRoute } from '../../router.js';
import { addDays, datesBetween, looksOf, weekdayOf, type Look } from './days.js';
import { DayStrip } from './DayStrip.js';
import { EmptyOverview } from './EmptyOverview.js';
import { Legend } from './Legend.js';
import './overview.css';

const rowHeight = 46;
const rowHeightNarrow = 78;
/** Rows whose planning is read together. */
const blockSize = 25;

type Sort = 'alerts' | 'name' | 'last';

const sortedBy = (sources: readonly OverviewSource[], sort: Sort, locale: string): OverviewSource[] => {
  const collator = new Intl.Collator(locale, { numeric: true });
  const byName = (a: OverviewSource, b: OverviewSource) => collator.compare(a.name, b.name) || a.id - b.id;
  const orders: Record<Sort, (a: OverviewSource, b: OverviewSource) => number> = {
    alerts: (a, b) =>
      (b.criticity ?? -1) - (a.criticity ?? -1) || b.openAlerts - a.openAlerts || byName(a, b),
    name: byName,
    last: (a, b) => (a.lastDate ?? '').localeCompare(b.lastDate ?? '') || byName(a, b),
  };
  return [...sources].sort(orders[sort]);
};

/** All sources with their last days. */
export const Overview = () => {
  const { overview: texts, loading } = useMessages();
  const formats = useFormats();
  const { q = '', label, sort = 'alerts', to } = overviewRoute.useSearch();
  const navigate = useNavigate({ from: '/' });
  const { data, error, refetch } = useQuery(queries.overview(to));
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);

  const rows = useMemo(() => {
    const wanted = q.trim().toLocaleLowerCase(formats.locale);
    const found = data?.sources.filter(
      source =>
        source.name.toLocaleLowerCase(formats.locale).includes(wanted) &&
        (label === undefined || hasLabel(source, label)),
    );
    return sortedBy(found ?? [], sort, formats.locale);
  }, [data, q, label, sort, formats.locale]);
  const dates = useMemo(() => (data ? datesBetween(data.from, data.to) : []), [data]);
  const open = data?.sources.reduce((sum, { openAlerts }) => sum + openAlerts, 0) ?? 0;
  const change = (next: { q?: string; label?: string | undefined; sort?: Sort; to?: string | undefined }) => {
    const merged = { q, label, sort, to, ...next };
    void navigate({
      search: {
        ...(merged.q !== '' && { q: merged.q }),
        ...(merged.label !== undefined && { label: merged.label }),
        ...(merged.sort !== 'alerts' && { sort: merged.sort }),
        ...(merged.to !== undefined && { to: merged.to }),
      },
      replace: true,
    });
  };
  useShortcuts({ '/': () => search.current?.focus() });

  if (data?.sources.length === 0)
    return (
      <>
        <h1 className="hidden">{texts.title}</h1>
        <EmptyOverview />
      </>
    );
  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
        <p className="muted" role="status">
          {data ? texts.counts(data.sources.length, open) : error ? '' : loading}
        </p>
        <Link to="/sources/new" className="button">
          + {texts.importFile}
        </Link>
      </div>
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      <div className="overview-tools">
        <input
          ref={search}
          type="search"
          className="input"
          placeholder={texts.search}
          aria-label={texts.search}
          value={q}
          onChange={({ target }) => change({ q: target.value })}
        />
        <LabelFilter sources={data?.sources ?? []} value={label} onChange={next => change({ label: next })} />
        <Select label={texts.sort} value={sort} onChange={next => change({ sort: next as Sort })}>
          {(['alerts', 'name', 'last'] as const).map(name => (
            <option key={name} value={name}>
              {texts.sorts[name]}
            </option>
          ))}
        </Select>
        {data && (
          <div className="row period" role="group" aria-label={texts.days(data.from, data.to)}>
            <button
              className="button quiet icon"
              aria-label={texts.earlier}
              onClick={() => change({ to: addDays(data.to, -14) })}
            >
              ‹
            </button>
            <span>{texts.days(formats.dayYear(data.from), formats.dayYear(addDays(data.to, -1)))}</span>
            <button
              className="button quiet icon"
              aria-label={texts.later}
              onClick={() => change({ to: addDays(data.to, 14) })}
            >
              ›
            </button>
            {to !== undefined && (
              <button className="button quiet" onClick={() => change({ to: undefined })}>
                {texts.latest}
              </button>
            )}
          </div>
        )}
        <Legend />
      </div>
      {data ? (
        rows.length > 0 ? (
          <SourceTable rows={rows} dates={dates} to={data.to} />
        ) : (
          <p className="muted">{texts.none}</p>
        )
      ) : (
        !error && <div className="skeleton" style={{ height: '50vh' }} />
      )}
    </>
  );
};

const SourceTable = ({
  rows,
  dates,
  to,
}: {
  readonly rows: readonly OverviewSource[];
  readonly dates: readonly string[];
  readonly to: string;
}) => {
  const { overview: texts } = useMessages();
  const formats = useFormats();
  const navigate = useNavigate();
  const table = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const narrow = useMediaQuery('(max-width: 760px)');
  const height = narrow ? rowHeightNarrow : rowHeight;
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: top,
    getItemKey: index => rows[index]?.id ?? index,
  });
  useEffect(() => setTop(table.current?.offsetTop ?? 0), []);
  useEffect(() => virtualizer.measure(), [height, virtualizer]);

  const items = virtualizer.getVirtualItems();
  const first = Math.floor((items[0]?.index ?? 0) / blockSize);
  const last = Math.floor((items.at(-1)?.index ?? 0) / blockSize);
  const blocks = Array.from({ length: last - first + 1 }, (_, index) =>
    rows.slice((first + index) * blockSize, (first + index + 1) * blockSize).map(({ id }) => id),
  );
  const planned = new Map(
    useQueries({ queries: blocks.map(ids => queries.overviewPlanned(ids, to)) })
      .flatMap(({ data }) => data?.sources ?? [])
      .map(source => [source.id, source.planned]),
  );

  const focusRow = (step: number): void => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('[data-row] a.source-name') ?? [])];
    const at = links.findIndex(link => link.closest('[data-row]')?.contains(document.activeElement));
    links[at < 0 ? 0 : at + step]?.focus();
  };
  useShortcuts({ j: () => focusRow(1), k: () => focusRow(-1) });
  const go = useRef(navigate);
  go.current = navigate;
  const choose = useCallback(
    (id: number) => (date: string, look: Look) =>
      void (look.kind === 'alert'
        ? go.current({ to: '/alerts/$alertId', params: { alertId: look.id } })
        : go.current({
            to: '/sources/$sourceId/calendar/$year',
            params: { sourceId: id, year: Number(date.slice(0, 4)) },
            search: { day: date },
          })),
    [],
  );

  return (
    <Tip className="card sources-card">
      <div
        ref={table}
        className="sources"
        role="table"
        aria-label={texts.sources}
        aria-rowcount={rows.length + 1}
        style={{ '--days': dates.length } as CSSProperties}
      >
        <div role="rowgroup" className="sources-head">
          <div role="row" aria-rowindex={1} className="sources-row">
            <div role="columnheader">{texts.source}</div>
            <div role="columnheader" className="scale">
              <span className="hidden">{texts.days(dates[0] ?? '', dates.at(-1) ?? '')}</span>
              {dates.map(
                (date, index) =>
                  weekdayOf(date) === 0 && (
                    <span key={date} style={{ gridColumn: `${index + 1} / span 5` }} aria-hidden>
                      {formats.day(date).replace(/^[^\s,]+,?\s/, '')}
                    </span>
                  ),
              )}
            </div>
            <div role="columnheader" className="col-last">
              {texts.lastData}
            </div>
            <div role="columnheader" className="col-open">
              {texts.openAlerts}
            </div>
          </div>
        </div>
        <div role="rowgroup" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, key, start }) => {
            const source = rows[index];
            return (
              source && (
                <div
                  key={key}
                  role="row"
                  data-row
                  aria-rowindex={index + 2}
                  className="sources-row"
                  style={{
                    position: 'absolute',
                    insetInline: 0,
                    height,
                    transform: `translateY(${start - top}px)`,
                  }}
                >
                  <SourceCells
                    source={source}
                    dates={dates}
                    planned={planned.get(source.id)}
                    choose={choose}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
    </Tip>
  );
};

const SourceCells = ({
  source,
  dates,
  planned,
  choose,
}: {
  readonly source: OverviewSource;
  readonly dates: readonly string[];
  readonly planned: OverviewSource['planned'];
  readonly choose: (id: number) => (date: string, look: Look) => void;
}) => {
  const { overview: texts } = useMessages();
  const formats = useFormats();
  const looks = useMemo(() => looksOf(source, planned, dates), [source, planned, dates]);
  const chooseDay = useMemo(() => choose(source.id), [choose, source.id]);
  const { analysis } = source;
  return (
    <>
      <div role="cell" className="col-name">
        <Link
          to="/sources/$sourceId"
          params={{ sourceId: source.id }}
          className="source-name"
          title={source.name}
          dir="auto"
        >
          {source.name}
        </Link>
        {analysis !== 'completed' && (
          <span className={analysis === 'failed' ? 'small fault' : 'small muted'}>
            {analysis === 'failed' ? texts.analysisFailed : texts.analysing}
          </span>
        )}
      </div>
      <div role="cell" className="col-strip">
        <DayStrip looks={looks} dates={dates} choose={chooseDay} />
      </div>
      <div role="cell" className="col-last muted">
        {source.lastDate === null ? texts.noData : formats.dayYear(source.lastDate)}
      </div>
      <div role="cell" className="col-open">
        {source.openAlerts === 0 ? (
          <span className="muted">{texts.noAlerts}</span>
        ) : (
          <Link to="/alerts" search={{ source: source.id }} className="count-link">
            <span className="count">{source.openAlerts}</span>
          </Link>
        )}
      </div>
    </>
  );
};
