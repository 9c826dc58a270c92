import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { queries } from '../api/queries.js';
import { Failure } from '../parts/Failure.js';

/** A source opens with the calendar of its newest year. */
export const ToCalendar = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId' });
  const { data, error } = useQuery(queries.overview(undefined));
  const { data: source, error: missing } = useQuery(queries.source(sourceId));
  if (!data || !source) return error || missing ? <Failure error={missing ?? error} /> : null;
  const last = data.sources.find(({ id }) => id === sourceId)?.lastDate;
  const year = last == null ? source.referenceYear : Number(last.slice(0, 4));
  return <Navigate to="/sources/$sourceId/calendar/$year" params={{ sourceId, year }} replace />;
};
