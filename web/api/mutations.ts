import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Alert, type CalendarRule, type Verdict } from './client.js';
import { mergedList } from './mergedList.js';
import { queries, sourceOfAlert } from './queries.js';
import { forgetKeys, withKey } from './requestKeys.js';
import { ProblemError, type AnswerOf, type RequestOf } from '../../client/index.js';

/** The resource of a query, and the id of its source; null for a query of many sources. */
type Key = { readonly what: unknown; readonly sourceId: unknown };

/** Queries of many sources with long answers: a change does not wait for them. */
const longAnswers: readonly unknown[] = [
  'overview',
  'planned',
  'incidents',
  'openIncidents',
  'archivedSources',
];

/** The key of a request as its header. */
export const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
export type Once = ReturnType<typeof keyed>;

/** A request that changes something. The screens read again the queries that are stale then. */
export const useChange = <Sent, Got>(
  /** The headers have a key, for requests of which a second one would make a second thing. */
  send: (sent: Sent, once: Once) => Promise<Got>,
  isStale: (key: Key, sent: Sent, error: Error | null) => boolean,
  {
    mutationKey = [],
    isShown = false,
  }: {
    /** Names the request, for its key and for those who look for it while it is under way. */
    readonly mutationKey?: readonly string[] | undefined;
    /** Whether `send` writes the answer where it is shown: its outcome is shown before anything is read again. */
    readonly isShown?: boolean | undefined;
  } = {},
) => {
  const client = useQueryClient();
  return useMutation({
    mutationKey,
    mutationFn: (sent: Sent) => withKey([mutationKey, sent], key => send(sent, keyed(key))),
    onSettled: (_, error, sent) => {
      const isAwaited = ({ what }: Key): boolean => !isShown && !longAnswers.includes(what);
      const readAgain = (awaited: boolean): Promise<void> =>
        client.invalidateQueries({
          predicate: ({ queryKey: [what, sourceId] }) =>
            isAwaited({ what, sourceId }) === awaited && isStale({ what, sourceId }, sent, error),
        });
      void readAgain(false);
      return readAgain(true);
    },
  });
};

const ofMany = ({ sourceId }: Key): boolean => sourceId === null;

/** A change of one source, whose queries and those of many sources are stale then. */
export const useSourceRequest = <Sent, Got>(sourceId: number, send: (sent: Sent) => Promise<Got>) =>
  useChange(send, key => ofMany(key) || key.sourceId === sourceId);

/** The parts of a change that were done, and the first refusal of the others. */
export type Done<One> = { readonly done: readonly One[]; readonly refusal: Error | null };

/** Refusals of any request: of its token, and of too many requests. */
const refusesAll: readonly number[] = [401, 429];

/** Whether a later request may succeed: the service answered, and refused this one. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ProblemError &&
  error.status >= 400 &&
  error.status < 500 &&
  !refusesAll.includes(error.status);

/** Sends one request for each, until none may succeed. @throws the first refusal when none was done */
export const sendEach = async <One>(
  all: readonly One[],
  send: (one: One) => Promise<unknown>,
): Promise<Done<One>> => {
  const done: One[] = [];
  let refusal: Error | null = null;
  for (const one of all) {
    try {
      await send(one);
      done.push(one);
    } catch (error) {
      refusal ??= error instanceof Error ? error : new Error(String(error));
      if (!isRefusal(error)) break;
    }
  }
  if (done.length === 0 && refusal) throw refusal;
  return { done, refusal };
};

/** The state that a decision left: the verdict is that of a resolution. */
export type Undone = { readonly state: 'acknowledged' | 'resolved'; readonly verdict?: Verdict };

/** Decisions about alerts or incidents. */
export type Decision =
  | { readonly act: 'acknowledge'; readonly ids: readonly string[] }
  | {
      readonly act: 'reopen';
      readonly ids: readonly string[];
      /** The decision that it takes back: each must have its state and its verdict. Absent for any. */
      readonly only?: Undone;
    }
  | {
      readonly act: 'resolve';
      readonly ids: readonly string[];
      readonly verdict: Verdict;
      readonly comment: string | null;
    };

/** An undo takes back no decision of another person. @throws ProblemError when another one has followed */
export const requireUndone = (
  what: 'alert' | 'incident',
  {
    id,
    state,
    verdict,
  }: { readonly id: string; readonly state: string; readonly verdict?: string | null | undefined },
  only: Undone,
): void => {
  if (state === only.state && (only.verdict === undefined || verdict === only.verdict)) return;
  const found = state === only.state ? `${state} with another verdict` : state;
  const detail = `${what} ${id} is ${found} by now, expected ${only.state} for an undo`;
  throw new ProblemError(409, { code: `${what}Transition`, detail });
};

type Results = {
  readonly results: readonly {
    readonly alert: Alert | null;
    readonly code: string | null;
    readonly detail: string | null;
  }[];
};

/** The changed alerts. @throws ProblemError with the reason of the first that was refused, when none was changed */
const changedOf = ({ results }: Results): Alert[] => {
  const changed = results.flatMap(({ alert }) => alert ?? []);
  const [first] = results;
  if (changed.length === 0 && first)
    throw new ProblemError(409, { code: first.code ?? 'unknown', detail: first.detail ?? '' });
  return changed;
};

const send = async (act: Decision, once: Once): Promise<Alert[]> => {
  const ids = [...act.ids];
  switch (act.act) {
    case 'acknowledge':
      return changedOf(await api.post('/v1/alert/acknowledge', { body: { ids }, ...once }));
    case 'resolve': {
      const { verdict, comment } = act;
      return changedOf(await api.post('/v1/alert/resolve', { body: { ids, verdict, comment }, ...once }));
    }
    case 'reopen': {
      const changed: Alert[] = [];
      for (const id of ids) {
        const params = { path: { id } };
        if (act.only !== undefined)
          requireUndone('alert', await api.get('/v1/alert/{id}', { params }), act.only);
        changed.push(await api.post('/v1/alert/{id}/reopen', { params }));
      }
      return changed;
    }
  }
};

/** Changes alerts, and so their incidents; with the key of an earlier attempt while they are as they were then. */
export const useAlertAct = () => {
  const client = useQueryClient();
  return useChange(
    (act: Decision) => {
      const versions = act.ids.map(id => client.getQueryData<Alert>(queries.alert(id).queryKey)?.updatedAt);
      return withKey([act, versions], key => send(act, keyed(key)));
    },
    (key, { ids }) => ofMany(key) || ids.map(sourceOfAlert).includes(Number(key.sourceId)),
  );
};

export type SourcePatch = NonNullable<RequestOf<'patch', '/v1/source/{source_id}'>['body']>;
type ModelPatch = NonNullable<RequestOf<'patch', '/v1/model/{source_id}/{model_id}'>['body']>;

/** Options of a reset; `coverage` is null for the usual limits of the service. */
export type Reset = {
  readonly count: number;
  readonly coverage: number | null;
  readonly keepPlanning: boolean;
};

/** A change of a description, and the covariates that its form began with. */
type SourceChange = {
  readonly patch: SourcePatch;
  readonly explainedBy: readonly number[];
  readonly allowDuplicate: boolean;
};

/** Changes the description of a source; what others changed since the form was opened stays. */
export const useSourceChange = (sourceId: number) =>
  useSourceRequest(sourceId, async ({ patch, explainedBy: opened, allowDuplicate }: SourceChange) => {
    const path = { source_id: sourceId };
    const typed = patch.explainedBy;
    const stored = typed && (await api.get('/v1/source/{source_id}', { params: { path } })).explainedBy;
    return api.patch('/v1/source/{source_id}', {
      params: { path, query: allowDuplicate ? { allowDuplicate } : {} },
      body: stored ? { ...patch, explainedBy: mergedList(opened, typed, stored) } : patch,
    });
  });

/** Archives a source, or restores it. */
export const useArchive = (sourceId: number) => {
  const client = useQueryClient();
  return useChange(
    async (act: 'archive' | 'restore' | 'restoreDuplicate') => {
      const params = { path: { source_id: sourceId } };
      const query = act === 'restoreDuplicate' ? { allowDuplicate: true } : {};
      const isRestored = act !== 'archive';
      const answer = isRestored
        ? await api.post('/v1/source/{source_id}/restore', { params: { ...params, query } })
        : await api.delete('/v1/source/{source_id}', { params });
      forgetKeys('source', 'upload', 'relearn');
      if (isRestored) return answer;
      // The person goes to the overview, which is read again meanwhile.
      client.setQueriesData<AnswerOf<'get', '/v1/overview'>>(
        { queryKey: ['overview', null] },
        old => old && { ...old, sources: old.sources.filter(({ id }) => id !== sourceId) },
      );
      return answer;
    },
    // The resources of an archived source are not found: they are not read again, also when a restore was refused.
    (key, act, error) =>
      ofMany(key) ||
      key.what === 'archivedSources' ||
      (act !== 'archive' && !error && key.sourceId === sourceId),
  );
};

/** Creates a source from the last year of recent days; the old one is archived. */
export const useRelearn = (sourceId: number) =>
  useChange(
    (_: void, once) =>
      api.post('/v1/source/{source_id}/relearn', { params: { path: { source_id: sourceId } }, ...once }),
    ofMany,
    { mutationKey: ['relearn', String(sourceId)] },
  );

/** Creates a source that collects a series. */
export const useCollect = () =>
  useChange(
    (body: RequestOf<'post', '/v1/source'>['body'], once) =>
      api.post('/v1/source', { params: { query: {} }, body, ...once }),
    ofMany,
    { mutationKey: ['source'] },
  );

/** Changes the name, the colour or the anomaly flag of a model. */
export const useModelChange = (sourceId: number) =>
  useSourceRequest(sourceId, ({ modelId, patch }: { readonly modelId: number; readonly patch: ModelPatch }) =>
    api.patch('/v1/model/{source_id}/{model_id}', {
      params: { path: { source_id: sourceId, model_id: modelId } },
      body: patch,
    }),
  );

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

/** Learns the models of a source again. */
export const useReset = (sourceId: number) =>
  useSourceRequest(sourceId, (reset: Reset) =>
    api.post('/v1/model/reset/{source_id}/{model_count}', resetParams(sourceId, reset)),
  );

/** Goes back to earlier models. */
export const useRestoreModels = (sourceId: number) =>
  useSourceRequest(sourceId, (modelsVersion: number) =>
    api.post('/v1/model/restore/{source_id}/{models_version}', {
      params: { path: { source_id: sourceId, models_version: modelsVersion }, query: {} },
    }),
  );

/** A rule or a file that a person wants to save, for a source or for labels. */
export type RuleDraft = { readonly name: string } & (
  { readonly sourceId: number } | { readonly labels: Readonly<Record<string, string>> }
) &
  ({ readonly rule: string } | { readonly file: File });

const sendRule = (draft: RuleDraft, preview: boolean, once: Once): Promise<CalendarRule> => {
  if ('rule' in draft)
    return api.post('/v1/calendar-rule/create', {
      params: { query: { preview } },
      body: draft as RequestOf<'post', '/v1/calendar-rule/create'>['body'],
      ...once,
    });
  const { file, name } = draft;
  const place =
    'sourceId' in draft
      ? { sourceId: draft.sourceId }
      : { label: Object.entries(draft.labels).map(label => label.join(':')) };
  return api.upload('/v1/calendar-rule/import', {
    file,
    params: { query: { name, ...place, preview } },
    idempotencyKey: once.headers['Idempotency-Key'],
  });
};

/** Saves a rule that names special days, or computes its dates. */
export const useRuleSave = (sourceId: number) =>
  useChange(
    ({ draft, preview }: { readonly draft: RuleDraft; readonly preview: boolean }, once) =>
      sendRule(draft, preview, once),
    (key, { preview }) => !preview && (ofMany(key) || key.sourceId === sourceId),
    { mutationKey: ['rule'] },
  );

/** Deletes a rule that names special days. */
export const useRuleDelete = (sourceId: number) =>
  useSourceRequest(sourceId, (ruleId: string) =>
    api
      .delete('/v1/calendar-rule/{rule_id}', { params: { path: { rule_id: ruleId } } })
      .then(() => forgetKeys('rule')),
  );

export type NewToken = RequestOf<'post', '/v1/token/create'>['body'];

const ofTokens = ({ what }: Key): boolean => what === 'tokens';

/** Issues a token; the answer has it, once. */
export const useNewToken = () =>
  useChange((body: NewToken, once) => api.post('/v1/token/create', { body, ...once }), ofTokens, {
    mutationKey: ['token'],
  });

/** Revokes a token, with a reason or an empty one. */
export const useRevocation = (jti: string) =>
  useChange(
    (reason: string) =>
      api
        .delete('/v1/token/{jti}', { params: { path: { jti }, query: reason === '' ? {} : { reason } } })
        .then(() => forgetKeys('token')),
    ofTokens,
  );

/** Gets the first token for the code of a start. */
export const useFirstToken = () =>
  useMutation({
    mutationFn: (body: { readonly code: string; readonly name: string }) =>
      api.post('/v1/first-token', { body }),
  });
