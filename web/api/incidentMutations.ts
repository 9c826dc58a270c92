import { useQueryClient } from '@tanstack/react-query';
import { api, type Incident, type IncidentStep, type Verdict } from './client.js';
import { mergedList } from './mergedList.js';
import { queries } from './queries.js';
import {
  keyed,
  requireUndone,
  sendEach,
  useChange,
  type Decision,
  type Once,
  type Undone,
} from './mutations.js';
import { forgetKeys, withKey } from './requestKeys.js';
import type { RequestOf } from '../../client/index.js';

/** Steps in which people decide about an incident as a whole. */
const decisionSteps: readonly string[] = ['IncidentAcknowledged', 'IncidentResolved', 'IncidentReopened'];

/** Verdict of the last decision about an incident as a whole, from its history; undefined without one. */
export const lastVerdict = (events: readonly Pick<IncidentStep, 'type' | 'verdict'>[]): Verdict | undefined =>
  events.findLast(({ type }) => decisionSteps.includes(type))?.verdict;

/** State and verdict of an incident now. */
const undoneOf = async (id: string, { verdict }: Undone) => {
  const params = { path: { id } };
  const incident = await api.get('/v1/incident/{id}', { params });
  if (verdict === undefined) return incident;
  const { events } = await api.get('/v1/incident/{id}/history', { params });
  return { ...incident, verdict: lastVerdict(events) };
};

const sendOne = async (act: Decision, id: string, once: Once): Promise<Incident> => {
  const params = { path: { id } };
  switch (act.act) {
    case 'acknowledge':
      return api.post('/v1/incident/{id}/acknowledge', { params, ...once });
    case 'reopen':
      if (act.only !== undefined) requireUndone('incident', await undoneOf(id, act.only), act.only);
      return api.post('/v1/incident/{id}/reopen', { params, ...once });
    case 'resolve': {
      const { verdict, comment } = act;
      return api.post('/v1/incident/{id}/resolve', { params, body: { verdict, comment }, ...once });
    }
  }
};

/** Resources of one source that a decision about an incident changes. */
const ofSources: readonly unknown[] = ['alert', 'alertHistory', 'day', 'yearAlerts', 'explanation'];

/** A change of incidents or of mutes. */
const useIncidentRequest = <Sent, Got>(
  send: Parameters<typeof useChange<Sent, Got>>[0],
  options?: Parameters<typeof useChange<Sent, Got>>[2],
) => useChange(send, ({ what, sourceId }) => sourceId === null || ofSources.includes(what), options);

/** Returns a function that shows a changed incident on its page and in lists, until they are read again. */
const useShowing = () => {
  const client = useQueryClient();
  return (incident: Incident): Incident => {
    client.setQueryData(queries.incident(incident.id).queryKey, incident);
    client.setQueriesData<Incident[]>({ queryKey: ['incidents', null] }, rows =>
      rows?.map(one => (one.id === incident.id ? incident : one)),
    );
    return incident;
  };
};

/** Sends a decision about an incident, with the key of an earlier attempt while the incident is as it was then. */
const useOnce = () => {
  const client = useQueryClient();
  const show = useShowing();
  return async (id: string, act: object, send: (once: Once) => Promise<Incident>): Promise<Incident> => {
    const rows = client.getQueriesData<Incident[]>({ queryKey: ['incidents', null] });
    const shown = client.getQueryData<Incident>(queries.incident(id).queryKey);
    const versions = [shown, ...rows.flatMap(([, incidents = []]) => incidents)]
      .flatMap(one => (one?.id === id ? one.updatedAt : []))
      .sort();
    return show(await withKey([id, act, versions.at(-1)], key => send(keyed(key))));
  };
};

const decisions = ['incidentDecisions'] as const;

/** Decides about incidents. */
export const useIncidentAct = () => {
  const once = useOnce();
  return useIncidentRequest(
    (act: Decision) =>
      sendEach(act.ids, id => once(id, { ...act, ids: [] }, header => sendOne(act, id, header))),
    { mutationKey: decisions, isShown: true },
  );
};

/** Returns a function that tells the incidents about which a decision is under way, also before the next render. */
export const useDecidedIds = (): (() => ReadonlySet<string>) => {
  const client = useQueryClient();
  return () => {
    const pending = client.getMutationCache().findAll({ mutationKey: decisions, status: 'pending' });
    return new Set(pending.flatMap(({ state: { variables } }) => (variables as Decision).ids));
  };
};

/** Other changes of one incident. */
export type IncidentChange =
  | { readonly change: 'assign'; readonly subject: string | null }
  | { readonly change: 'comment'; readonly text: string }
  | { readonly change: 'split'; readonly alertIds: readonly string[] }
  | { readonly change: 'merge'; readonly incidentId: string }
  | { readonly change: 'accept'; readonly sourceIds: readonly number[]; readonly from?: string }
  | { readonly change: 'withdraw' };

const sendChange = (id: string, to: IncidentChange, once: Once): Promise<Incident> => {
  const params = { path: { id } };
  switch (to.change) {
    case 'assign':
      return api.post('/v1/incident/{id}/assign', { params, body: { subject: to.subject }, ...once });
    case 'comment':
      return api.post('/v1/incident/{id}/comment', { params, body: { text: to.text }, ...once });
    case 'split':
      return api.post('/v1/incident/{id}/split', { params, body: { alertIds: [...to.alertIds] }, ...once });
    case 'merge':
      return api.post('/v1/incident/{id}/merge', { params, body: { incidentId: to.incidentId }, ...once });
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
  const show = useShowing();
  const onceAsShown = useOnce();
  return useIncidentRequest(
    // A comment is the same one whatever the incident has become.
    async (to: IncidentChange, once) =>
      to.change === 'comment'
        ? show(await sendChange(id, to, once))
        : onceAsShown(id, to, header => sendChange(id, to, header)),
    { mutationKey: ['incidentChange', id], isShown: true },
  );
};

export type NewMute = RequestOf<'post', '/v1/mute'>['body'];

/** Creates a mute. */
export const useMute = () =>
  useIncidentRequest((mute: NewMute, once) => api.post('/v1/mute', { body: mute, ...once }), {
    mutationKey: ['mute'],
  });

/** Ends a mute at once. */
export const useUnmute = () =>
  useIncidentRequest((id: string) =>
    api.delete('/v1/mute/{id}', { params: { path: { id } } }).then(() => forgetKeys('mute')),
  );

/** Labels that a person typed, and those that the form began with. */
type TypedLabels = { readonly opened: readonly string[]; readonly labels: readonly string[] };

/** Changes the labels that join sources; what others changed since the form was opened stays. */
export const useIncidentLabels = () =>
  useIncidentRequest(async ({ opened, labels }: TypedLabels) => {
    const { incidentLabels: stored } = await api.get('/v1/settings', { params: {} });
    return api.patch('/v1/settings', { body: { incidentLabels: mergedList(opened, labels, stored) } });
  });
