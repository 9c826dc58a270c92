import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../api/queries.js';

/** Names of all sources that are not archived, by id. */
export const useSourceNames = (): ReadonlyMap<number, string> => {
  const { data } = useQuery(queries.overview(undefined));
  return useMemo(() => new Map(data?.sources.map(({ id, name }) => [id, name])), [data]);
};
