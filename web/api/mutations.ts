import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Alert, type CalendarRule, type Verdict } from './client.js';
import { sourceOfAlert } from './queries.js';
import type { RequestOf } from '../../client/index.js';

/** Actions on alerts. */
export type AlertAct =
  | { readonly act: 'acknowledge' | 'reopen'; readonly ids: readonly string[] }
  | {
      readonly act: 'resolve';
      readonly ids: readonly string[];
      readonly verdict: Verdict;
      readonly comment: string | null;
    };

type Results = {
  readonly results: readonly { readonly alert: Alert | null; readonly detail: string | null }[];
};

/** The changed alerts. @throws Error with the reason of the first that was refused, when none was changed */
const changedOf = ({ results }: Results): Alert[] => {
  const changed = results.flatMap(({ alert }) => alert ?? []);
  if (changed.length === 0) throw new Error(results[0]?.detail ?? '');
  return changed;
};

const send = async (act: AlertAct): Promise<Alert[]> => {
  const ids = [...act.ids];
  switch (act.act) {
    case 'acknowledge':
      return changedOf(await api.post('/v1/alert/acknowledge', { body: { ids } }));
    case 'resolve': {
      const { verdict, comment } = act;
      return changedOf(await api.post('/v1/alert/resolve', { body: { ids, verdict, comment } }));
    }
    case 'reopen': {
      const changed: Alert[] = [];
      for (const id of ids)
        changed.push(await api.post('/v1/alert/{id}/reopen', { params: { path: { id } } }));
      return changed;
    }
  }
};

/** Changes alerts; the screens refetch changed data. */
export const useAlertAct = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSettled: (_, __, { ids }) => {
      const sources = new Set(ids.map(sourceOfAlert));
      return client.invalidateQueries({
        predicate: ({ queryKey: [what, sourceId] }) =>
          what === 'alerts' || what === 'overview' || sources.has(Number(sourceId)),
      });
    },
  });
};

/** Decisions about a date. */
export type DayAct =
  | { readonly act: 'plan'; readonly dates: readonly string[]; readonly modelId: number }
  | { readonly act: 'clearPlan' | 'clearName'; readonly dates: readonly string[] }
  | { readonly act: 'takeBackLeavingOut'; readonly dates: readonly string[] }
  | { readonly act: 'leaveOut'; readonly dates: readonly string[]; readonly reason: string }
  | { readonly act: 'name'; readonly dates: readonly string[]; readonly name: string };

const sendDay = (sourceId: number, act: DayAct, date: string): Promise<unknown> => {
  const params = { path: { source_id: sourceId, date } };
  switch (act.act) {
    case 'plan':
      return api.put('/v1/planning/{source_id}/{date}', { params, body: { modelId: act.modelId } });
    case 'clearPlan':
      return api.delete('/v1/planning/{source_id}/{date}', { params });
    case 'name':
      return api.put('/v1/calendar/{source_id}/{date}', { params, body: { name: act.name } });
    case 'clearName':
      return api.delete('/v1/calendar/{source_id}/{date}', { params });
    case 'leaveOut':
      return api.post('/v1/day/{source_id}/{date}/leave-out', { params, body: { reason: act.reason } });
    case 'takeBackLeavingOut':
      return api.post('/v1/day/{source_id}/{date}/take-back', { params });
  }
};

/** Changes the plan of dates of a source; the service checks each date again. */
export const useDayAct = (sourceId: number) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (act: DayAct) => {
      for (const date of act.dates) await sendDay(sourceId, act, date);
    },
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [, id] }) => id === null || id === sourceId,
      }),
  });
};

export type SourcePatch = RequestOf<'patch', '/v1/source/{source_id}'>['body'];
type ModelPatch = RequestOf<'patch', '/v1/model/{source_id}/{model_id}'>['body'];

/** Options of a reset; `coverage` is null for the usual limits of the service. */
export type Reset = {
  readonly count: number;
  readonly coverage: number | null;
  readonly keepPlanning: boolean;
};

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

/** Creates a source that collects a series. */
export const useCollect = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'post', '/v1/source'>['body']) =>
      api.post('/v1/source', { params: { query: {} }, body }),
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
  params: {
    path: { source_id: sourceId, model_count: count },
    query: { ...(coverage !== null && { coverage }), keepPlanning },
  },
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

/** Goes back to earlier models. */
export const useRestoreModels = (sourceId: number) => {
  const refetch = useRefetch(sourceId);
  return useMutation({
    mutationFn: (modelsVersion: number) =>
      api.post('/v1/model/restore/{source_id}/{models_version}', {
        params: { path: { source_id: sourceId, models_version: modelsVersion }, query: {} },
      }),
    onSettled: refetch,
  });
};

/** A rule or a file that a person wants to save, for a source or for labels. */
export type RuleDraft = { readonly name: string } & (
  { readonly sourceId: number } | { readonly labels: Readonly<Record<string, string>> }
) &
  ({ readonly rule: string } | { readonly file: File });

const sendRule = (draft: RuleDraft, preview: boolean): Promise<CalendarRule> => {
  if ('rule' in draft)
    return api.post('/v1/calendar-rule/create', {
      params: { query: { preview } },
      body: draft as RequestOf<'post', '/v1/calendar-rule/create'>['body'],
    });
  const { file, name } = draft;
  const place =
    'sourceId' in draft
      ? { sourceId: draft.sourceId }
      : { label: Object.entries(draft.labels).map(label => label.join(':')) };
  return api.upload('/v1/calendar-rule/import', { file, params: { query: { name, ...place, preview } } });
};

/** Saves a rule that names special days, or computes its dates. */
export const useRuleSave = (sourceId: number) => {
  const refetch = useRefetch(sourceId);
  return useMutation({
    mutationFn: ({ draft, preview }: { readonly draft: RuleDraft; readonly preview: boolean }) =>
      sendRule(draft, preview),
    onSettled: (_, __, { preview }) => (preview ? undefined : refetch()),
  });
};

/** Deletes a rule that names special days. */
export const useRuleDelete = (sourceId: number) => {
  const refetch = useRefetch(sourceId);
  return useMutation({
    mutationFn: (ruleId: string) =>
      api.delete('/v1/calendar-rule/{rule_id}', { params: { path: { rule_id: ruleId } } }),
    onSettled: refetch,
  });
};
