import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useParams, useSearch } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { Select } from '../../parts/forms/Select.js';
import { AsKnown } from './AsKnown.js';
import { EventList } from './EventList.js';
import './history.css';

/** Events of a source in sentences, with links to the source as it was known at a moment. */
export const History = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId/history' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const { history: texts, loading } = useMessages();
  const client = useQueryClient();
  const { data: source } = useQuery(queries.source(sourceId, asOf));
  const { queryKey } = queries.history(sourceId);
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery(queries.history(sourceId));
  const [people, setPeople] = useState(false);
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  const rows = useMemo(
    () =>
      (data?.pages ?? []).flatMap(({ events }) =>
        events.filter(({ byKind }) => !people || byKind !== 'service'),
      ),
    [data, people],
  );
  const refresh = (): void => void client.resetQueries({ queryKey });
  return (
    <>
      <div className="page-head">
        <h1 dir="auto">{title}</h1>
        <button className="button" aria-busy={isFetching} onClick={refresh}>
          {texts.refresh}
        </button>
      </div>
      <div className="history-tools">
        <Select label={texts.only} value={people ? 'people' : ''} onChange={value => setPeople(value !== '')}>
          <option value="">{texts.all}</option>
          <option value="people">{texts.people}</option>
        </Select>
        <AsKnown sourceId={sourceId} />
        <span className="muted small">{texts.recorded}</span>
      </div>
      {data && (
        <EventList
          sourceId={sourceId}
          rows={rows}
          onEnd={() => {
            if (hasNextPage && !isFetching && !error) void fetchNextPage();
          }}
        />
      )}
      {error ? <Failure error={error} reset={data ? () => void fetchNextPage() : refresh} /> : null}
      <p role="status" className="muted history-end">
        {isFetching ? loading : ''}
      </p>
    </>
  );
};
