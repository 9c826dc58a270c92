import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { queries, useOpenIncidents } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import type { OverviewSource } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { MoreFilters, useMediaQuery } from '../../parts/smallScreens.js';
import { hasLabel, LabelFilter, SearchField, Select } from '../../parts/Field.js';
import { daysOnWall, wall } from '../../api/early.js';
import { datesBetween, addDays, byLoss, type Graded } from '../../parts/days.js';
import { EmptyOverview } from './EmptyOverview.js';
import { SourceTable, type TableRow } from './SourceTable.js';
import './overview.css';
import { useShortcuts } from '../../parts/shortcuts.js';

/** All sources with their last days. */
export const Overview = () => {
  const { overview: texts, loading } = useMessages();
  const { q = '', label, sort = 'alerts', group, to } = useSearch({ from: '/' });
  const asked: Asked = { q, label, sort, group, to };
  const navigate = useNavigate({ from: '/' });
  const isWall = useMediaQuery(wall);
  const { data, error, refetch } = useQuery(queries.overview(to, isWall ? daysOnWall : undefined));
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const rows = useFound(data?.sources, asked);
  const dates = useMemo(() => (data ? datesBetween(data.from, data.to) : []), [data]);
  const open = useOpenIncidents();
  const mayImport = useScope('import');
  // The example stays on the screen while it is imported, although its source is there.
  const [isTrying, setTrying] = useState(false);
  const change = (next: Partial<Asked>): void =>
    void navigate({ search: addressOf({ ...asked, ...next }), replace: true });
  if (data?.sources.length === 0 || isTrying)
    return (
      <>
        <h1 className="hidden">{texts.title}</h1>
        <EmptyOverview isTrying={isTrying} onTry={setTrying} />
        <ArchivedSources />
      </>
    );
  return (
    <>
      <div className="page-head overview-head">
        <h1>{texts.title}</h1>
        <p className="muted" role="status">
          {data ? texts.counts(data.sources.length, open) : error ? '' : loading}
        </p>
        {data && <Period from={data.from} to={data.to} asked={to} onChange={next => change({ to: next })} />}
        {mayImport && (
          <Link to="/sources/new" className="button">
            + {texts.newSource}
          </Link>
        )}
      </div>
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      {(data || !error) && <OverviewTools sources={data?.sources ?? []} asked={asked} onChange={change} />}
      {!data && !error && <div className="card skeleton-rows" />}
      {data && rows.length === 0 && <p className="muted">{texts.none}</p>}
      {data && rows.length > 0 && <SourceTable rows={rows} dates={dates} to={data.to} />}
      {data && <ArchivedSources />}
    </>
  );
};

/** Archived sources, for people who may restore them: no other list has them. They are read when it is opened. */
const ArchivedSources = () => {
  const { overview: texts } = useMessages();
  const { instant } = useFormats();
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({ ...queries.archivedSources(), enabled: isOpen });
  if (!useScope('model')) return null;
  return (
    <details className="archived" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.archived}</summary>
      {error && !data && <Failure error={error} />}
      {data?.length === 0 && <p className="muted">{texts.noneArchived}</p>}
      <ul aria-label={texts.archived}>
        {data?.map(({ id, name, archivedAt }) => (
          <li key={id}>
            <Link to="/sources/$sourceId" params={{ sourceId: id }} className="alone" dir="auto">
              {name}
            </Link>{' '}
            <span className="muted small">{archivedAt && instant(archivedAt)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
};

/** Parameters that differ from their defaults. */
const addressOf = ({ q, label, sort, group, to }: Asked) => ({
  ...(q !== '' && { q }),
  ...(label !== undefined && { label }),
  ...(sort !== 'alerts' && { sort }),
  ...(group !== undefined && { group }),
  ...(to !== undefined && { to }),
});

/** Sources that match the search and the label, in the chosen order. */
const useFound = (
  sources: readonly OverviewSource[] | undefined,
  { q, label, sort, group }: Asked,
): readonly TableRow[] => {
  const { locale } = useFormats();
  return useMemo(() => {
    const wanted = q.trim().toLocaleLowerCase(locale);
    const found = sources?.filter(
      source =>
        source.name.toLocaleLowerCase(locale).includes(wanted) &&
        (label === undefined || hasLabel(source, label)),
    );
    const sorted = sortedBy(found ?? [], sort, locale);
    return group === undefined ? sorted : groupedBy(sorted, group);
  }, [sources, q, label, sort, group, locale]);
};

/** Sources below the value of one of their labels, in the order of the first source of each; those without it last. */
const groupedBy = (sources: readonly OverviewSource[], key: string): readonly TableRow[] => {
  const groups = new Map<string, OverviewSource[]>();
  for (const source of sources) {
    const value = source.labels[key] ?? '';
    groups.set(value, [...(groups.get(value) ?? []), source]);
  }
  return [...groups]
    .sort(([a], [b]) => Number(a === '') - Number(b === ''))
    .flatMap(([group, members]) => [{ group, count: members.length }, ...members]);
};

/** Parameters of the overview, all in the address. */
type Asked = {
  readonly q: string;
  readonly label: string | undefined;
  readonly sort: Sort;
  /** Key of the label whose values are the groups; undefined for none. */
  readonly group: string | undefined;
  /** End of the period, exclusive; undefined for the latest. */
  readonly to: string | undefined;
};

/** Search, filter and order of the sources, and the legend of their bars. */
const OverviewTools = ({
  sources,
  asked: { q, label, sort, group },
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
      <SearchField field={search} label={texts.search} value={q} onChange={next => onChange({ q: next })} />
      <MoreFilters count={[label, group].filter(value => value !== undefined).length}>
        <LabelFilter sources={sources} value={label} onChange={next => onChange({ label: next })} />
        <Select
          label={texts.sort}
          value={sort}
          options={sorts.map(name => [name, texts.sorts[name]])}
          onChange={next => onChange({ sort: next as Sort })}
        />
        <GroupSelect sources={sources} value={group} onChange={next => onChange({ group: next })} />
      </MoreFilters>
      <Legend />
    </div>
  );
};

/** A choice of the label that groups the sources; nothing when no source has one. */
const GroupSelect = ({
  sources,
  value,
  onChange,
}: {
  readonly sources: readonly OverviewSource[];
  readonly value: string | undefined;
  readonly onChange: (key: string | undefined) => void;
}) => {
  const { overview: texts } = useMessages();
  const keys = useMemo(
    () => [...new Set(sources.flatMap(({ labels }) => Object.keys(labels)))].sort(),
    [sources],
  );
  if (keys.length === 0) return null;
  return (
    <Select
      label={texts.groupBy}
      value={value ?? ''}
      options={[['', texts.noGroups], ...keys.map(key => [key, texts.byLabel(key)] as const)]}
      onChange={next => onChange(next || undefined)}
    />
  );
};

/** Legend of the bars. */
const Legend = () => {
  const { legend, cells } = useMessages().overview;
  const entry = (look: string, text: string, levels: readonly number[] = [0], inProgress?: true) => (
    <li key={text}>
      {levels.map(level => (
        <span
          key={level}
          className="strip-sample"
          data-look={look}
          data-level={level || undefined}
          data-progress={inProgress}
        >
          <i />
        </span>
      ))}
      {text}
    </li>
  );
  return (
    <ul className="legend" aria-label={legend.label}>
      {entry('ordinary', cells.ordinary)}
      {entry('alert', legend.alert, [1, 2, 3])}
      {entry('drift', cells.drift)}
      {entry('gap', cells.gap)}
      {entry('none', cells.none)}
      {entry('ordinary', legend.inProgress, [0], true)}
      {entry('planned', legend.planned)}
    </ul>
  );
};

const sorts = ['alerts', 'name', 'last'] as const;
type Sort = (typeof sorts)[number];

/** Comes after all alerts. */
const noAlert: Graded = { criticity: -1 };

/** Sources with the worst alerts first, by name, or those with the oldest data first. */
const sortedBy = (sources: readonly OverviewSource[], sort: Sort, locale: string): OverviewSource[] => {
  const collator = new Intl.Collator(locale, { numeric: true });
  const byName = (a: OverviewSource, b: OverviewSource) => collator.compare(a.name, b.name) || a.id - b.id;
  const orders: Record<Sort, (a: OverviewSource, b: OverviewSource) => number> = {
    alerts: (a, b) =>
      byLoss(a.worst ?? noAlert, b.worst ?? noAlert) || b.openAlerts - a.openAlerts || byName(a, b),
    name: byName,
    last: (a, b) => (a.lastDate ?? '').localeCompare(b.lastDate ?? '') || byName(a, b),
  };
  return [...sources].sort(orders[sort]);
};

/** The days that the overview shows, and the way to others. */
const Period = ({
  from,
  to,
  asked,
  onChange,
}: {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  /** The end that was asked for, while its days may still come; undefined for the latest. */
  readonly asked: string | undefined;
  /** Called with the end of another period, undefined for the latest. */
  readonly onChange: (to: string | undefined) => void;
}) => {
  const { overview: texts } = useMessages();
  const { range } = useFormats();
  const half = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000 / 2);
  return (
    <div className="row nowrap period" role="group" aria-label={range(from, addDays(to, -1))}>
      <button
        type="button"
        className="button quiet icon"
        aria-label={texts.earlier}
        onClick={() => onChange(addDays(asked ?? to, -half))}
      >
        ‹
      </button>
      <span>{range(from, addDays(to, -1))}</span>
      <button
        type="button"
        className="button quiet icon"
        aria-label={texts.later}
        onClick={() => onChange(addDays(asked ?? to, half))}
      >
        ›
      </button>
      {asked !== undefined && (
        <button type="button" className="button quiet" onClick={() => onChange(undefined)}>
          {texts.latest}
        </button>
      )}
    </div>
  );
};
