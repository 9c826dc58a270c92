import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api } from './client.js';
import { useMemo } from 'react';

const pageMax = 500;
/** Maximum alerts on one screen. */
const alertsMax = 5000;
/** Events of imports are large. */
const historyPage = 100;

/** Instant of `asOf` queries; undefined: the present. */
export type AsOf = string | undefined;

/** The first records of a list. */
const firstOf = async <One>(records: AsyncIterable<One>, count: number): Promise<One[]> => {
  const first: One[] = [];
  for await (const record of records) if (first.push(record) >= count) break;
  return first;
};

const asOfQuery = (asOf: AsOf): { asOf?: string } => (asOf === undefined ? {} : { asOf });

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
    queryOptions({
      queryKey: ['source', id, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/source/{source_id}', {
          params: { path: { source_id: id }, query: asOfQuery(asOf) },
          signal,
        }),
    }),
  models: (id: number, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['models', id, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/model/list/{source_id}', {
          params: { path: { source_id: id }, query: asOfQuery(asOf) },
          signal,
        }),
    }),
  modelsVersions: (id: number, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['modelsVersions', id, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/model/versions/{source_id}', {
          params: { path: { source_id: id }, query: asOfQuery(asOf) },
          signal,
        }),
    }),
  days: (id: number, year: number, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['days', id, year, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/day/list/{source_id}/{year}', {
          params: { path: { source_id: id, year }, query: asOfQuery(asOf) },
          signal,
        }),
    }),
  /** One date with all that a chart of it needs. */
  day: (id: number, date: string, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['day', id, date, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/day/{source_id}/{date}', {
          params: { path: { source_id: id, date }, query: asOfQuery(asOf) },
          signal,
        }),
    }),
  planning: (id: number, year: number, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['planning', id, year, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/planning/list/{source_id}/{year}', {
          params: { path: { source_id: id, year }, query: asOfQuery(asOf) },
          signal,
        }),
    }),
  calendar: (id: number, year: number, asOf?: AsOf) =>
    queryOptions({
      queryKey: ['calendar', id, year, asOf ?? ''],
      queryFn: ({ signal }) =>
        api.get('/v1/calendar/list/{source_id}/{year}', {
          params: { path: { source_id: id, year }, query: asOfQuery(asOf) },
          signal,
        }),
    }),
  /** Rules that name special days of a source. */
  calendarRules: (id: number) =>
    queryOptions({
      queryKey: ['calendarRules', id],
      queryFn: async ({ signal }) =>
        (await api.get('/v1/calendar-rule/list', { params: { query: { sourceId: id } }, signal })).rules,
    }),
  /** All alerts in some states, of all sources or one: the list of a year is short. */
  alerts: (states: string, sourceId: number | undefined, label: string | undefined) =>
    queryOptions({
      queryKey: ['alerts', null, states, sourceId ?? 0, label ?? ''],
      queryFn: ({ signal }) => {
        const query = {
          state: states,
          ...(sourceId !== undefined && { sourceId }),
          ...(label !== undefined && { label: [label] }),
        };
        return firstOf(api.list.alerts(query, { signal }), alertsMax);
      },
      placeholderData: keepPreviousData,
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
};

/** Source of an alert: the first part of its id. */
export const sourceOfAlert = (id: string): number => Number(id.split('-')[0]);

/** Names of all sources that are not archived, by id. */
export const useSourceNames = (): ReadonlyMap<number, string> => {
  const { data } = useQuery(queries.overview(undefined));
  return useMemo(() => new Map(data?.sources.map(({ id, name }) => [id, name])), [data]);
};
