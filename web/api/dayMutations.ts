import { ProblemError } from '../../client/index.js';
import { api } from './client.js';
import { sendEach, useSourceRequest } from './mutations.js';

/** Decisions about dates. */
export type DayAct = {
  /** For an undo: the decision that it takes back, and the reason for a refusal when another one has followed. */
  readonly undoes?: { readonly act: DayAct; readonly refusal: string };
} & (
  | { readonly act: 'plan'; readonly dates: readonly string[]; readonly modelId: number }
  | { readonly act: 'clearPlan' | 'clearName'; readonly dates: readonly string[] }
  | { readonly act: 'takeBackLeavingOut'; readonly dates: readonly string[] }
  | { readonly act: 'leaveOut'; readonly dates: readonly string[]; readonly reason: string }
  | { readonly act: 'name'; readonly dates: readonly string[]; readonly name: string }
);

/** Values that the dates of a year have from people: models of plans, or names. */
const valuesOf = async (
  act: 'plan' | 'name',
  sourceId: number,
  year: number,
): Promise<ReadonlyMap<string, string | number | null>> => {
  const params = { path: { source_id: sourceId, year } };
  if (act === 'name') {
    const { days } = await api.get('/v1/calendar/list/{source_id}/{year}', { params });
    return new Map(days.map(({ date, name }) => [date, name]));
  }
  const { days } = await api.get('/v1/planning/list/{source_id}/{year}', { params });
  return new Map(days.map(({ date, origin, modelId }) => [date, origin === 'manual' ? modelId : null]));
};

/** Returns a check of dates before an undo, which throws a ProblemError when another decision has followed. */
const undoCheck = (sourceId: number, { undoes }: DayAct): ((date: string) => Promise<void>) => {
  const act = undoes?.act;
  if (act?.act !== 'plan' && act?.act !== 'name') return () => Promise.resolve();
  const value = act.act === 'plan' ? act.modelId : act.name;
  const years = new Map<number, ReturnType<typeof valuesOf>>();
  return async date => {
    const year = Number(date.slice(0, 4));
    const values = years.get(year) ?? valuesOf(act.act, sourceId, year);
    years.set(year, values);
    if ((await values).get(date) !== value)
      throw new ProblemError(409, { code: 'undoOutdated', detail: undoes?.refusal ?? '' });
  };
};

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
export const useDayAct = (sourceId: number) =>
  useSourceRequest(sourceId, (act: DayAct) => {
    const check = undoCheck(sourceId, act);
    return sendEach(act.dates, async date => {
      await check(date);
      await sendDay(sourceId, act, date);
    });
  });
