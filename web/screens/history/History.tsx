import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { queries } from '../../api/queries.js';
import type { AuditEvent } from '../../api/types.js';
import { useFormats, type Formats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { historyRoute, sourceRoute } from '../../router.js';
import './history.css';

const rowHeight = 56;

/** What happened to a source, in sentences; and the way to what was known at a moment. */
export const History = () => {
  const { sourceId } = historyRoute.useParams();
  const { asOf } = sourceRoute.useSearch();
  const { history: texts } = useMessages();
  const navigate = useNavigate();
  const { data: source } = useQuery(queries.source(sourceId, asOf));
  const { data: events, error, refetch, isFetching } = useQuery(queries.history(sourceId));
  const [people, setPeople] = useState(false);
  const [date, setDate] = useState('');
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  const rows = useMemo(
    () => (events ?? []).filter(({ metadata: { by } }) => !people || by !== 'reactor').reverse(),
    [events, people],
  );
  return (
    <>
      <div className="page-head">
        <h1 dir="auto">{title}</h1>
        <button className="button" aria-busy={isFetching} onClick={() => void refetch()}>
          {texts.refresh}
        </button>
      </div>
      <div className="history-tools">
        <select
          className="select"
          aria-label={texts.only}
          value={people ? 'people' : ''}
          onChange={({ target }) => setPeople(target.value !== '')}
        >
          <option value="">{texts.all}</option>
          <option value="people">{texts.people}</option>
        </select>
        <form
          className="row"
          onSubmit={event => {
            event.preventDefault();
            if (date === '') return;
            // The end of the day where the reader is.
            const end = new Date(`${date}T23:59:59.999`);
            const moment = (end.getTime() > Date.now() ? new Date() : end).toISOString();
            void navigate({ to: '/sources/$sourceId', params: { sourceId }, search: { asOf: moment } });
          }}
        >
          <label htmlFor="as-known">{texts.asKnown}</label>
          <input
            id="as-known"
            type="date"
            className="input"
            value={date}
            onChange={({ target }) => setDate(target.value)}
          />
          <button className="button" disabled={date === ''}>
            {texts.show}
          </button>
        </form>
        <span className="muted small">{texts.recorded}</span>
      </div>
      {error && !events ? <Failure error={error} reset={() => void refetch()} /> : null}
      {events ? <EventList sourceId={sourceId} rows={rows} /> : null}
    </>
  );
};

const EventList = ({
  sourceId,
  rows,
}: {
  readonly sourceId: number;
  readonly rows: readonly AuditEvent[];
}) => {
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: top,
    getItemKey: index => rows[index]?.id ?? index,
  });
  useEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  return (
    <ol ref={list} className="card event-list" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const event = rows[index];
        return (
          event && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <EventRow sourceId={sourceId} event={event} />
            </li>
          )
        );
      })}
    </ol>
  );
};

/** Data of an event with its date as people write it. */
const readable = (data: unknown, formats: Formats): unknown => {
  const { date } = (data ?? {}) as { readonly date?: unknown };
  return typeof date === 'string' ? { ...(data as object), date: formats.dayYear(date) } : data;
};

const EventRow = ({ sourceId, event }: { readonly sourceId: number; readonly event: AuditEvent }) => {
  const { history: texts } = useMessages();
  const formats = useFormats();
  const [open, setOpen] = useState(false);
  const { type, metadata, at, data, hash, position } = event;
  const sentence = texts.events[type]?.(readable(data, formats) as never) ?? type;
  const isPerson = metadata.by !== 'reactor';
  return (
    <div className="event">
      <time dateTime={at} className="muted small">
        {formats.instant(at)}
      </time>
      <p dir="auto" data-person={isPerson || undefined}>
        <strong>{texts.by(metadata.by)}</strong> {sentence}
      </p>
      <Link
        to="/sources/$sourceId"
        params={{ sourceId }}
        search={{ asOf: position }}
        className="button quiet no-print"
      >
        {texts.asKnownThen}
      </Link>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="small">{texts.details}</summary>
        {open && (
          <>
            {hash !== undefined && (
              <p className="small mono hash">
                {texts.hash}: {hash}
              </p>
            )}
            <pre className="json" tabIndex={0}>
              {JSON.stringify(event, null, 2)}
            </pre>
          </>
        )}
      </details>
    </div>
  );
};
