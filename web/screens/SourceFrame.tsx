import { useQuery } from '@tanstack/react-query';
import {
  Link,
  Outlet,
  useMatchRoute,
  useParams,
  useRouterState,
  useSearch,
  Navigate,
} from '@tanstack/react-router';
import { Fragment, useEffect, useRef, useState } from 'react';
import type { Source } from '../api/client.js';
import { useArchive } from '../api/mutations.js';
import { queries } from '../api/queries.js';
import { useScope } from '../api/session.js';
import { useFormats } from '../messages/formats.js';
import { useMessages } from '../messages/messages.js';
import { Failure, Faults, isNameTaken, isNotFound } from '../parts/Failure.js';
import { firstDays } from '../parts/days.js';
import './source.css';

/** The frame of one source's screens: tabs, and a mark when the past is shown. */
export const SourceFrame = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const { data: source, error, isFetching } = useQuery(queries.source(sourceId, asOf));
  const missing = useMissing(error !== null && (!source || isNotFound(error)) ? error : null, {
    isFetching: isFetching && !source,
    of: `${sourceId} ${asOf}`,
  });
  return (
    <>
      {missing === null && (
        <div className="source-bar no-print">
          <Link
            to="/sources/$sourceId"
            params={{ sourceId }}
            className="source-title"
            title={source?.name}
            dir="auto"
          >
            {source?.name ?? '…'}
          </Link>
          <Tabs sourceId={sourceId} asOf={asOf} />
        </div>
      )}
      {asOf !== undefined && <Past asOf={asOf} />}
      {source?.analysis.status === 'collecting' && <Collecting analysis={source.analysis} />}
      {/* The router keeps a screen when only the source changes: what was typed and computed is of one source. */}
      <Fragment key={sourceId}>
        {missing === null ? <Outlet /> : <Missing sourceId={sourceId} asOf={asOf} error={missing} />}
      </Fragment>
    </>
  );
};

/** The error of a source that is missing, kept while it is read again: the query has no error meanwhile. */
const useMissing = (error: Error | null, { isFetching, of }: { isFetching: boolean; of: string }) => {
  const [kept, setKept] = useState({ error, of });
  const now = isFetching && error === null && kept.of === of ? kept.error : error;
  if (kept.error !== now || kept.of !== of) setKept({ error: now, of });
  return now;
};

/** How far a source is that collects its reference. */
const Collecting = ({
  analysis: { usableDays = 0, learnsAt },
}: {
  readonly analysis: Source['analysis'];
}) => {
  const { imports: texts } = useMessages();
  const formats = useFormats();
  const text = texts.collecting(usableDays, firstDays, learnsAt ? formats.dayYear(learnsAt) : undefined);
  return (
    <div className="collecting no-print" role="status">
      <p>{text}</p>
      <progress className="progress" aria-label={text} max={firstDays} value={usableDays} />
    </div>
  );
};

const Tabs = ({ sourceId, asOf }: { readonly sourceId: number; readonly asOf: string | undefined }) => {
  const { sourceTabs: texts } = useMessages();
  const mayImport = useScope('import');
  const mayAudit = useScope('audit');
  const isCalendar = useMatchRoute()({ to: '/sources/$sourceId/calendar/$year', fuzzy: true }) !== false;
  const params = { sourceId };
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const nav = useRef<HTMLElement>(null);
  // The tabs of a narrow screen scroll; the one of this page is in view.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return (
    <nav className="tabs" aria-label={texts.label} ref={nav}>
      <Link
        to="/sources/$sourceId"
        params={params}
        activeOptions={{ exact: true }}
        aria-current={isCalendar ? 'page' : undefined}
      >
        {texts.calendar}
      </Link>
      <Link to="/sources/$sourceId/models" params={params}>
        {texts.models}
      </Link>
      {/* Data go into the present. */}
      {mayImport && asOf === undefined && (
        <Link to="/sources/$sourceId/import" params={params}>
          {texts.import}
        </Link>
      )}
      {mayAudit && (
        <Link to="/sources/$sourceId/history" params={params}>
          {texts.history}
        </Link>
      )}
      <Link to="/sources/$sourceId/settings" params={params}>
        {texts.settings}
      </Link>
    </nav>
  );
};

/** Says which moment is shown, and leads back to the present. */
const Past = ({ asOf }: { readonly asOf: string }) => {
  const { sourceTabs: texts } = useMessages();
  const formats = useFormats();
  // The service takes a date as the end of its UTC day, and refuses what is no moment.
  const known = /^\d+$/.test(asOf)
    ? texts.asKnownAt(asOf)
    : texts.asKnown(
        Number.isNaN(Date.parse(asOf))
          ? asOf
          : asOf.includes('T')
            ? formats.instant(asOf)
            : texts.endOf(formats.dayYear(asOf)),
      );
  return (
    <p className="notice past" role="status">
      <strong>{known}</strong>
      <Link to="." search={{ asOf: undefined } as object} className="button">
        {texts.backToNow}
      </Link>
    </p>
  );
};

/** Why there is no source: it did not exist then, it is archived, or reading failed. */
const Missing = ({
  sourceId,
  asOf,
  error,
}: {
  readonly sourceId: number;
  readonly asOf: string | undefined;
  readonly error: unknown;
}) => {
  const { sourceTabs: texts } = useMessages();
  if (!isNotFound(error)) return <Failure error={error} />;
  return asOf === undefined ? <ArchivedSource sourceId={sourceId} /> : <h1>{texts.notThen}</h1>;
};

/** No source is at the address: there is none, or it is archived, perhaps for the one that was learned from it. */
export const ArchivedSource = ({ sourceId }: { readonly sourceId: number }) => {
  const { settings: texts, backToOverview } = useMessages();
  const mayModel = useScope('model');
  const { mutate, isPending, error } = useArchive(sourceId);
  const { data: archivedSources } = useQuery(queries.archivedSources());
  const archived = archivedSources?.find(({ id }) => id === sourceId);
  const relearnedAs = archived?.relearnedAs ?? null;
  return (
    <div className="stack">
      <h1>{texts.noSource(sourceId)}</h1>
      {relearnedAs !== null && (
        <p>
          <Link to="/sources/$sourceId" params={{ sourceId: relearnedAs }}>
            {texts.relearnedAs(relearnedAs)}
          </Link>
        </p>
      )}
      {mayModel && archived && (
        <div className="row">
          <p className="muted">{texts.mayBeRestored(archived.name)}</p>
          <button type="button" className="button" disabled={isPending} onClick={() => mutate('restore')}>
            {texts.restore}
          </button>
          {isNameTaken(error) && (
            <button
              type="button"
              className="button"
              disabled={isPending}
              onClick={() => mutate('restoreDuplicate')}
            >
              {texts.allowDuplicate}
            </button>
          )}
        </div>
      )}
      {error && <Faults error={error} />}
      <p>
        <Link to="/">{backToOverview}</Link>
      </p>
    </div>
  );
};

/** A source opens with the calendar of its newest year. */
export const ToCalendar = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const { data: source, error } = useQuery(queries.source(sourceId, asOf));
  if (!source) return error ? <Failure error={error} /> : null;
  const last = source.lastData?.date;
  const year = last === undefined ? source.referenceYear : Number(last.slice(0, 4));
  return <Navigate to="/sources/$sourceId/calendar/$year" params={{ sourceId, year }} replace />;
};
