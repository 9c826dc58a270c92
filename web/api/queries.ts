import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useQueries,
  useQuery,
} from '@tanstack/react-query';
import { api, type Source, type StoredDay } from './client.js';
import type { AnswerOf, QueryOf } from '../../client/index.js';
import { useMemo } from 'react';

const pageMax = 500;
/** Maximum incidents on one screen. */
export const incidentsMax = 1000;
/** Open incidents that are counted; the screens show more of them as `99+`. */
const countedMax = 100;
/** Events of imports are large. */
const historyPage = 100;

/** Filter and order of a list of incidents. */
export type IncidentFilter = QueryOf<'/v1/incident/list'>;

/** A series of line protocol that no source takes. */
export type ArrivingSeries = AnswerOf<'get', '/v1/feed/unclaimed'>['feeds'][number];

/** Instant of `asOf` queries; undefined: the present. */
export type AsOf = string | undefined;

/** The first records of a list. */
const firstOf = async <One>(records: AsyncIterable<One>, count: number): Promise<One[]> => {
  const first: One[] = [];
  for await (const record of records) if (first.push(record) >= count) break;
  return first;
};

const asOfQuery = (asOf: AsOf): { asOf?: string } => (asOf === undefined ? {} : { asOf });

/** A query about a source, a year or a date of it, as of a moment. */
const ofSource = <Path extends { readonly source_id: number }, Got>(
  what: string,
  path: Path,
  asOf: AsOf,
  read: (request: {
    readonly params: { readonly path: Path; readonly query: { asOf?: string } };
    readonly signal: AbortSignal;
  }) => Promise<Got>,
) =>
  queryOptions({
    queryKey: [what, ...Object.values(path), asOf ?? ''],
    queryFn: ({ signal }) => read({ params: { path, query: asOfQuery(asOf) }, signal }),
  });

/**
 * Queries of the screens. A key is [what, source id or null, …]: live changes invalidate by these two; see live.ts.
 */
export const queries = {
  /** All sources with their last days, four weeks without `days`. */
  overview: (to: string | undefined, days?: number) =>
    queryOptions({
      queryKey: ['overview', null, to ?? '', days ?? 0],
      queryFn: ({ signal }) => {
        const query = { ...(to !== undefined && { to }), ...(days !== undefined && { days }) };
        return api.get('/v1/overview', { params: { query }, signal });
      },
      placeholderData: keepPreviousData,
    }),
  /** Plans after the last data, for the rows on the screen. */
  overviewPlanned: (ids: readonly number[], to: string) =>
    queryOptions({
      queryKey: ['planned', null, to, ids.join(',')],
      queryFn: ({ signal }) =>
        api.get('/v1/overview', { params: { query: { to, sourceIds: ids.join(',') } }, signal }),
      staleTime: 60_000,
      placeholderData: keepPreviousData,
      enabled: ids.length > 0,
    }),
  source: (id: number, asOf?: AsOf) =>
    ofSource('source', { source_id: id }, asOf, request => api.get('/v1/source/{source_id}', request)),
  models: (id: number, asOf?: AsOf) =>
    ofSource('models', { source_id: id }, asOf, request => api.get('/v1/model/list/{source_id}', request)),
  modelsVersions: (id: number, asOf?: AsOf) =>
    ofSource('modelsVersions', { source_id: id }, asOf, request =>
      api.get('/v1/model/versions/{source_id}', request),
    ),
  days: (id: number, year: number, asOf?: AsOf) =>
    ofSource('days', { source_id: id, year }, asOf, request =>
      api.get('/v1/day/list/{source_id}/{year}', request),
    ),
  /** One date with all that a chart of it needs. */
  day: (id: number, date: string, asOf?: AsOf) =>
    ofSource('day', { source_id: id, date }, asOf, request => api.get('/v1/day/{source_id}/{date}', request)),
  planning: (id: number, year: number, asOf?: AsOf) =>
    ofSource('planning', { source_id: id, year }, asOf, request =>
      api.get('/v1/planning/list/{source_id}/{year}', request),
    ),
  calendar: (id: number, year: number, asOf?: AsOf) =>
    ofSource('calendar', { source_id: id, year }, asOf, request =>
      api.get('/v1/calendar/list/{source_id}/{year}', request),
    ),
  /** Rules that name special days of a source. */
  calendarRules: (id: number) =>
    queryOptions({
      queryKey: ['calendarRules', id],
      queryFn: async ({ signal }) =>
        (await api.get('/v1/calendar-rule/list', { params: { query: { sourceId: id } }, signal })).rules,
    }),
  /** Incidents that fit a filter, in its order, the first `incidentsMax`. */
  incidents: (filter: IncidentFilter) =>
    queryOptions({
      queryKey: ['incidents', null, JSON.stringify(filter)],
      queryFn: ({ signal }) => firstOf(api.list.incidents(filter, { signal }), incidentsMax),
      placeholderData: keepPreviousData,
    }),
  /** Number of open incidents, up to `countedMax`. */
  openIncidents: () =>
    queryOptions({
      queryKey: ['openIncidents', null],
      queryFn: async ({ signal }) => {
        const query = { state: 'open', limit: countedMax };
        return (await api.get('/v1/incident/list', { params: { query }, signal })).incidents.length;
      },
    }),
  /** An incident may get alerts of any source, so every change reads it again. */
  incident: (id: string) =>
    queryOptions({
      queryKey: ['incident', null, id],
      queryFn: ({ signal }) => api.get('/v1/incident/{id}', { params: { path: { id } }, signal }),
    }),
  incidentHistory: (id: string) =>
    queryOptions({
      queryKey: ['incidentHistory', null, id],
      queryFn: ({ signal }) => api.get('/v1/incident/{id}/history', { params: { path: { id } }, signal }),
    }),
  /** Series of line protocol that no source takes. */
  unclaimed: () =>
    queryOptions({
      queryKey: ['unclaimed', null],
      queryFn: async ({ signal }) => (await api.get('/v1/feed/unclaimed', { params: {}, signal })).feeds,
      refetchInterval: 30_000,
    }),
  /** Mutes that have not ended. A planned one begins without an event. */
  mutes: () =>
    queryOptions({
      queryKey: ['mutes', null],
      queryFn: async ({ signal }) => (await api.get('/v1/mute/list', { params: {}, signal })).mutes,
      refetchInterval: 60_000,
    }),
  tenantSettings: () =>
    queryOptions({
      queryKey: ['tenantSettings', null],
      queryFn: ({ signal }) => api.get('/v1/settings', { params: {}, signal }),
    }),
  /** All archived sources, which may be thousands: live changes do not repeat it, the screens that open it do. */
  archivedSources: () =>
    queryOptions({
      queryKey: ['archivedSources', -1],
      queryFn: ({ signal }) => firstOf(api.list.sources({ archived: true }, { signal }), Infinity),
      staleTime: 0,
    }),
  /** Valid alerts of a year of one source. */
  yearAlerts: (id: number, year: number, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['yearAlerts', id, year, asOf ?? ''],
      queryFn: async ({ signal }) =>
        (
          await api.get('/v1/alert/list', {
            params: {
              query: {
                sourceId: id,
                year,
                state: 'open,acknowledged,resolved,ended',
                limit: pageMax,
                ...asOfQuery(asOf),
              },
            },
            signal,
          })
        ).alerts,
    }),
  /**
   * Events of a source, newest first, page by page. Each reading is itself recorded in the audit trail, so live changes
   * must not repeat it: they match no negative id.
   */
  history: (id: number) =>
    infiniteQueryOptions({
      queryKey: ['history', -id],
      queryFn: ({ signal, pageParam: cursor }) =>
        api.get('/v1/audit/event', {
          params: {
            query: {
              sourceId: id,
              order: 'newest',
              limit: historyPage,
              ...(cursor !== undefined && { cursor }),
            },
          },
          signal,
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
      staleTime: Number.POSITIVE_INFINITY,
      // A new visit begins with the newest events.
      gcTime: 0,
    }),
  explanation: (id: string) =>
    queryOptions({
      queryKey: ['explanation', sourceOfAlert(id), id],
      queryFn: ({ signal }) =>
        api.get('/v1/alert/{id}/explanation', { params: { path: { id }, query: {} }, signal }),
    }),
  alert: (id: string, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['alert', sourceOfAlert(id), id, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/alert/{id}', { params: { path: { id }, query: asOfQuery(asOf) }, signal }),
    }),
  alertHistory: (id: string) =>
    queryOptions({
      queryKey: ['alertHistory', sourceOfAlert(id), id],
      queryFn: ({ signal }) =>
        api.get('/v1/alert/{id}/history', { params: { path: { id }, query: {} }, signal }),
    }),

  /** Tokens in force, oldest first. */
  tokens: () =>
    queryOptions({
      queryKey: ['tokens', -1],
      queryFn: ({ signal }) => api.get('/v1/token/list', { signal }),
      refetchInterval: 60_000,
      retry: false,
    }),
};

/** Number of open incidents as a text; empty while it is read. */
export const useOpenIncidents = (enabled = true): string => {
  const { data } = useQuery({ ...queries.openIncidents(), enabled });
  return data === undefined ? '' : data >= countedMax ? `${countedMax - 1}+` : String(data);
};

/** Source of an alert: the first part of its id. */
export const sourceOfAlert = (id: string): number => Number(id.split('-')[0]);

/** Date of an alert, `YYYY-MM-DD`: the second part of its id. */
export const dateOfAlert = (id: string): string =>
  (id.split('-')[1] ?? '').replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

/** Years of the reference of a source: a relearned one spans two. */
export const referenceYears = ({ reference: { from, to } }: Pick<Source, 'reference'>): readonly number[] => {
  const [first, last] = [Number(from.slice(0, 4)), Number(to.slice(0, 4))];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
};

const joined = (years: readonly { readonly data: { readonly days: StoredDay[] } | undefined }[]) =>
  years.every(({ data }) => data) ? years.flatMap(({ data }) => data?.days ?? []) : undefined;

/** Stored days of the years of a source's reference; undefined while they are read. */
export const useReferenceDays = (
  source: Source | undefined,
  asOf?: AsOf,
): readonly StoredDay[] | undefined => {
  const years = source ? referenceYears(source) : [];
  const days = useQueries({
    queries: years.map(year => queries.days(source?.id ?? 0, year, asOf)),
    combine: joined,
  });
  return source && days;
};

const noSources: readonly Pick<Source, 'id' | 'name'>[] = [];

/** Names of all sources that are not archived, and of known ones that may be, by id. */
export const useSourceNames = (known = noSources): ReadonlyMap<number, string> => {
  const { data } = useQuery(queries.overview(undefined));
  return useMemo(
    () => new Map([...known, ...(data?.sources ?? [])].map(({ id, name }) => [id, name])),
    [data, known],
  );
};
