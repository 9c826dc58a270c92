import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api, type Incident, type Verdict } from './client.js';
import type { RequestOf } from '../../client/index.js';

/** Decisions about incidents. */
export type IncidentAct =
  | { readonly act: 'acknowledge' | 'reopen'; readonly ids: readonly string[] }
  | {
      readonly act: 'resolve';
      readonly ids: readonly string[];
      readonly verdict: Verdict;
      readonly comment: string | null;
    };

/** Numbers of incidents that were changed, and the first refusal of the others. */
export type Decided = { readonly done: readonly string[]; readonly refusal: string | null };

const sendOne = (act: IncidentAct, id: string): Promise<Incident> => {
  const params = { path: { id } };
  switch (act.act) {
    case 'acknowledge':
      return api.post('/v1/incident/{id}/acknowledge', { params });
    case 'reopen':
      return api.post('/v1/incident/{id}/reopen', { params });
    case 'resolve': {
      const { verdict, comment } = act;
      return api.post('/v1/incident/{id}/resolve', { params, body: { verdict, comment } });
    }
  }
};

/** Sends one request an incident. @throws the first refusal when all were refused */
const send = async (act: IncidentAct): Promise<Decided> => {
  const done: string[] = [];
  const refusals: unknown[] = [];
  for (const id of act.ids)
    await sendOne(act, id).then(
      () => done.push(id),
      (error: unknown) => refusals.push(error),
    );
  const [first] = refusals;
  if (done.length === 0 && first !== undefined) throw first;
  return {
    done,
    refusal: first === undefined ? null : first instanceof Error ? first.message : String(first),
  };
};

/** Resources of one source that a decision about an incident changes. */
const ofSources: readonly unknown[] = ['alert', 'alertHistory', 'day', 'yearAlerts', 'explanation'];

const refetch = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({
    predicate: ({ queryKey: [what, sourceId] }) => sourceId === null || ofSources.includes(what),
  });

/** Decides about incidents; the screens refetch changed data. */
export const useIncidentAct = () => {
  const client = useQueryClient();
  return useMutation({ mutationFn: send, onSettled: () => refetch(client) });
};

/** Other changes of one incident. */
export type IncidentChange =
  | { readonly change: 'assign'; readonly subject: string | null }
  | { readonly change: 'comment'; readonly text: string }
  | { readonly change: 'split'; readonly alertIds: readonly string[] }
  | { readonly change: 'merge'; readonly incidentId: string }
  | { readonly change: 'accept'; readonly sourceIds: readonly number[]; readonly from?: string }
  | { readonly change: 'withdraw' };

const sendChange = (id: string, to: IncidentChange): Promise<Incident> => {
  const params = { path: { id } };
  switch (to.change) {
    case 'assign':
      return api.post('/v1/incident/{id}/assign', { params, body: { subject: to.subject } });
    case 'comment':
      return api.post('/v1/incident/{id}/comment', { params, body: { text: to.text } });
    case 'split':
      return api.post('/v1/incident/{id}/split', { params, body: { alertIds: [...to.alertIds] } });
    case 'merge':
      return api.post('/v1/incident/{id}/merge', { params, body: { incidentId: to.incidentId } });
    case 'accept': {
      const { sourceIds, from } = to;
      const body = { sourceIds: [...sourceIds], ...(from !== undefined && { from }) };
      return api.post('/v1/incident/{id}/accept', { params, body });
    }
    case 'withdraw':
      return api.post('/v1/incident/{id}/withdraw-acceptance', { params });
  }
};

/** Changes one incident; a split and a merge answer the other one. */
export const useIncidentChange = (id: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (to: IncidentChange) => sendChange(id, to),
    onSettled: () => refetch(client),
  });
};

export type NewMute = RequestOf<'post', '/v1/mute'>['body'];

/** Creates a mute. */
export const useMute = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (mute: NewMute) => api.post('/v1/mute', { body: mute }),
    onSettled: () => refetch(client),
  });
};

/** Ends a mute at once. */
export const useUnmute = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.delete('/v1/mute/{id}', { params: { path: { id } } }),
    onSettled: () => refetch(client),
  });
};

/** Changes the labels that join sources. */
export const useIncidentLabels = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (incidentLabels: readonly string[]) =>
      api.patch('/v1/settings', { body: { incidentLabels: [...incidentLabels] } }),
    onSettled: () => refetch(client),
  });
};
