import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RequestOf } from '../../client/index.js';
import { api } from './client.js';

export type SourcePatch = RequestOf<'patch', '/v1/source/{source_id}'>['body'];
export type ModelPatch = RequestOf<'patch', '/v1/model/{source_id}/{model_id}'>['body'];

/** Options of a reset. */
export type Reset = { readonly count: number; readonly coverage: number; readonly keepPlanning: boolean };

/** Refetches the queries of a source, and those of many sources. */
const useRefetch = (sourceId: number) => {
  const client = useQueryClient();
  return () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [, keyed] }) => keyed === null || keyed === sourceId,
    });
};

/** Changes the description of a source. */
export const useSourceChange = (sourceId: number) => {
  const refetch = useRefetch(sourceId);
  return useMutation({
    mutationFn: ({ patch, allowDuplicate }: { patch: SourcePatch; allowDuplicate: boolean }) =>
      api.patch('/v1/source/{source_id}', {
        params: { path: { source_id: sourceId }, query: allowDuplicate ? { allowDuplicate } : {} },
        body: patch,
      }),
    onSettled: refetch,
  });
};

/** Archives a source, or restores it. */
export const useArchive = (sourceId: number) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (act: 'archive' | 'restore') => {
      const params = { path: { source_id: sourceId } };
      return act === 'archive'
        ? api.delete('/v1/source/{source_id}', { params })
        : api.post('/v1/source/{source_id}/restore', { params: { ...params, query: {} } });
    },
    onSuccess: (_, act) =>
      client.invalidateQueries({
        // The resources of an archived source are not found: they are not read again.
        predicate: ({ queryKey: [, keyed] }) => keyed === null || (act === 'restore' && keyed === sourceId),
      }),
  });
};

/** Creates a source from the last year of recent days; the old one is archived. */
export const useRelearn = (sourceId: number) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.post('/v1/source/{source_id}/relearn', { params: { path: { source_id: sourceId } } }),
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey: [, keyed] }) => keyed === null }),
  });
};

/** Changes the name, the colour or the anomaly flag of a model. */
export const useModelChange = (sourceId: number) => {
  const refetch = useRefetch(sourceId);
  return useMutation({
    mutationFn: ({ modelId, patch }: { modelId: number; patch: ModelPatch }) =>
      api.patch('/v1/model/{source_id}/{model_id}', {
        params: { path: { source_id: sourceId, model_id: modelId } },
        body: patch,
      }),
    onSettled: refetch,
  });
};

const resetParams = (sourceId: number, { count, coverage, keepPlanning }: Reset) => ({
  params: { path: { source_id: sourceId, model_count: count }, query: { coverage, keepPlanning } },
});

/** Computes what a reset would do; nothing is stored. */
export const usePreview = (sourceId: number) =>
  useMutation({
    mutationFn: (reset: Reset) =>
      api.post('/v1/model/preview/{source_id}/{model_count}', resetParams(sourceId, reset)),
  });

export const useReset = (sourceId: number) => {
  const refetch = useRefetch(sourceId);
  return useMutation({
    mutationFn: (reset: Reset) =>
      api.post('/v1/model/reset/{source_id}/{model_count}', resetParams(sourceId, reset)),
    onSettled: refetch,
  });
};
