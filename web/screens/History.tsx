import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useId, useRef } from 'react';
import { useParams, useSearch, useNavigate, Link } from '@tanstack/react-router';
import { queries } from '../api/queries.js';
import { useMessages } from '../messages/messages.js';
import { Failure } from '../parts/Failure.js';
import { submits, Select } from '../parts/Field.js';
import './history.css';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { AuditEvent } from '../api/client.js';
import { modelNameOf, useFormats } from '../messages/formats.js';
import { Author } from '../parts/Author.js';
import {
  entriesOf,
  historyFilters,
  modelsIn,
  readableEntry,
  type Entry,
  type HistoryFilter,
  type Subject,
} from './historyEntries.js';

/** Events of a source in sentences, with links to the source as it was known at a moment. */
export const History = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId/history' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const { history: texts, loading } = useMessages();
  const client = useQueryClient();
  const { data: source } = useQuery(queries.source(sourceId, asOf));
  const { queryKey } = queries.history(sourceId);
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery(queries.history(sourceId));
  const [filter, setFilter] = useState<HistoryFilter | ''>('');
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  const events = useMemo(() => data?.pages.flatMap(page => page.events) ?? [], [data]);
  const rows = useMemo(() => entriesOf(events, filter), [events, filter]);
  const models = useModelNames(sourceId, events);
  const [asked, setAsked] = useState(pagesAtOnce);
  const pages = data?.pages.length ?? 0;
  const isSparse = useMemo(() => {
    const last = data?.pages.slice(-pagesAtOnce).flatMap(page => page.events) ?? [];
    return entriesOf(last, filter).length < ahead;
  }, [data, filter]);
  const waits = hasNextPage && isSparse && pages >= asked;
  const refresh = (): void => void client.resetQueries({ queryKey });
  return (
    <>
      <div className="page-head">
        <h1 dir="auto">{title}</h1>
        <button type="button" className="button" aria-busy={isFetching} onClick={refresh}>
          {texts.refresh}
        </button>
      </div>
      <div className="history-tools">
        <Select
          label={texts.only}
          value={filter}
          options={[['', texts.all], ...historyFilters.map(name => [name, texts.filters[name]] as const)]}
          onChange={value => setFilter(historyFilters.find(name => name === value) ?? '')}
        />
        <AsKnown sourceId={sourceId} />
        <span className="muted small">{texts.recorded}</span>
      </div>
      {data && (
        <EventList
          sourceId={sourceId}
          subject={{ slices: source?.activitySize ?? 24, models }}
          rows={rows}
          onEnd={() => {
            if (hasNextPage && !isFetching && !error && !waits) void fetchNextPage();
          }}
        />
      )}
      {waits && !isFetching && (
        <button type="button" className="button search-on" onClick={() => setAsked(pages + pagesAtOnce)}>
          {texts.searchOn(events.length)}
        </button>
      )}
      {error ? <Failure error={error} reset={data ? () => void fetchNextPage() : refresh} /> : null}
      <p role="status" className="muted history-end">
        {isFetching ? loading : ''}
      </p>
    </>
  );
};

/** Names of the present models in the reader's language, and of earlier ones that the events name. */
const useModelNames = (sourceId: number, events: readonly AuditEvent[]): ReadonlyMap<number, string> => {
  const formats = useFormats();
  const { data } = useQuery(queries.models(sourceId));
  return useMemo(
    () =>
      new Map([
        ...modelsIn(events),
        ...(data?.models ?? []).map(model => [model.id, modelNameOf(model, formats)] as const),
      ]),
    [events, data, formats],
  );
};

/** Form with a date: opens the screens of a source with the data that were known at the end of that date. */
const AsKnown = ({ sourceId }: { readonly sourceId: number }) => {
  const { history: texts } = useMessages();
  const navigate = useNavigate();
  const [date, setDate] = useState('');
  const id = useId();
  return (
    <form
      className="row"
      onSubmit={submits(() => {
        if (date === '') return;
        // The end of the day where the reader is.
        const end = new Date(`${date}T23:59:59.999`);
        const moment = (end.getTime() > Date.now() ? new Date() : end).toISOString();
        void navigate({ to: '/sources/$sourceId', params: { sourceId }, search: { asOf: moment } });
      })}
    >
      <label htmlFor={id}>{texts.asKnown}</label>
      <input
        id={id}
        type="date"
        className="input"
        value={date}
        onChange={({ target }) => setDate(target.value)}
      />
      <button type="submit" className="button" disabled={date === ''}>
        {texts.show}
      </button>
    </form>
  );
};

const rowHeight = 56;
/** Rows before the end at which the next page is read. */
const ahead = 30;
/** Pages that are read before a person is asked, where few events fit the filter. */
const pagesAtOnce = 5;

/** Events as a list of which only the visible rows are in the page. */
const EventList = ({
  sourceId,
  subject,
  rows,
  onEnd,
}: {
  readonly sourceId: number;
  readonly subject: Subject;
  readonly rows: readonly Entry[];
  /** Called when the end of the list is near. */
  readonly onEnd: () => void;
}) => {
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: top,
    getItemKey: index => rows[index]?.event.id ?? index,
  });
  useEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const items = virtualizer.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) + ahead >= rows.length;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);
  return (
    <ol ref={list} className="card event-list" style={{ height: virtualizer.getTotalSize() }}>
      {items.map(({ index, key, start }) => {
        const entry = rows[index];
        return (
          entry && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <EventRow sourceId={sourceId} subject={subject} entry={entry} />
            </li>
          )
        );
      })}
    </ol>
  );
};

/** A line of the history: when, who, what; JSON and hash on demand. */
const EventRow = ({
  sourceId,
  subject,
  entry,
}: {
  readonly sourceId: number;
  readonly subject: Subject;
  readonly entry: Entry;
}) => {
  const { history: texts } = useMessages();
  const formats = useFormats();
  const { type, metadata, byKind, at, position } = entry.event;
  const sentence = texts.events[type]?.(readableEntry(entry, subject, formats) as never) ?? type;
  return (
    <div className="event">
      <time dateTime={at} className="muted small">
        {formats.instant(at)}
      </time>
      <p dir="auto">
        <Author by={metadata.by} byKind={byKind} /> {sentence}
      </p>
      <Link
        to="/sources/$sourceId"
        params={{ sourceId }}
        search={{ asOf: position }}
        className="button quiet no-print"
      >
        {texts.asKnownThen}
      </Link>
      <EventJson events={entry.parts} />
    </div>
  );
};

/** JSON and hashes of an event, or of all parts of one import or check. */
const EventJson = ({ events }: { readonly events: readonly AuditEvent[] }) => {
  const { history: texts } = useMessages();
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="small">{texts.details}</summary>
      {open &&
        events.map(event => (
          <div key={event.id}>
            {event.hash !== undefined && <p className="small mono hash">{texts.hash(event.hash)}</p>}
            <pre className="json" tabIndex={0}>
              {JSON.stringify(event, null, 2)}
            </pre>
          </div>
        ))}
    </details>
  );
};
