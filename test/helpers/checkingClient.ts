import type { Test } from 'tap';
import type { ImportSummary } from '../../domain/days.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { AlertRecord } from '../../projections/alertPages.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import type { SourceRecord } from '../../projections/sources/sourceRecords.js';
import { answerChecker, type Document } from './documents/apiDescription.js';
import { ordinaryDay, type Received, type Sent, type TestService } from './service.js';

/** Alerts of an import or of new models, by what became of them. */
export type Alerts = Readonly<
  Record<'raised' | 'confirmed' | 'invalidated' | 'unchanged', readonly AlertRecord[]>
>;
/** Answer of a creation. */
export type Created = {
  readonly source: SourceRecord;
  readonly import: ImportSummary & { readonly id: string };
};
/** Answer of an import. */
export type Imported = {
  readonly import: ImportSummary & { readonly id: string };
  readonly days: readonly {
    readonly date: string;
    readonly status: string;
    readonly completeness: number;
    readonly plannedModel: { readonly id: number; readonly name: string } | null;
  }[];
  readonly alerts: Alerts;
};
/** Answer of new models. */
export type Changed = {
  readonly models: readonly Model[];
  readonly planning: { readonly year: number; readonly days: readonly DayPlan[] };
  readonly alerts: Alerts;
};
/** Days of a year. */
export type Days = {
  readonly days: readonly (StoredDay & { readonly modelId: number | null; readonly completeness: number })[];
};
/** The planning of a year. */
export type Planning = { readonly days: readonly DayPlan[] };
/** A page of alerts. */
export type AlertList = { readonly alerts: readonly AlertRecord[]; readonly nextCursor?: string };

/** Ids of alerts. */
export const idsOf = (alerts: readonly AlertRecord[]): string[] => alerts.map(({ id }) => id);

/** An ordinary day except for some hours. */
export const dayWith = (date: string, from: number, to: number, more: number) => ({
  date,
  activity: ordinaryDay(date).activity.map((value, hour) =>
    hour >= from && hour < to ? value + more : value,
  ),
});

/** A client that compares every answer with the API description. */
export const checkingClient = async ({ call }: Pick<TestService, 'call'>) => {
  const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
  /** Answers that do not fit the API description. */
  const misfits = new Set<string>();
  let answers = 0;
  const ask = async <Body>(method: string, path: string, sent?: Sent): Promise<Received<Body>> => {
    const answer = await call<Body>(method, path, sent);
    answers += 1;
    const place = `${method} ${path.replace(/\?.*/, '').replaceAll(/\d[\w-]*/g, '…')} ${answer.status}`;
    for (const fault of check(method, path, answer))
      misfits.add(`${place}: ${fault.replaceAll(/\d+/g, '…')}`);
    return answer;
  };
  const get = async <Body>(path: string): Promise<Body> => (await ask<Body>('GET', path)).body;
  const importDays = (sourceId: number, days: readonly object[], headers = {}) =>
    ask<Imported>('POST', '/v1/import/days', { json: { sourceId, days }, headers });
  const modelsOf = async (sourceId: number) =>
    (await get<{ models: readonly Model[] }>(`/v1/model/list/${sourceId}`)).models;
  const dayOf = async (sourceId: number, date: string) =>
    (await get<Days>(`/v1/day/list/${sourceId}/${date.slice(0, 4)}`)).days.find(day => day.date === date);
  const create = async (query: string, csv: string): Promise<Created> =>
    (await ask<Created>('POST', `/v1/import-csv/create-source?${query}`, { csv })).body;
  return {
    ask,
    get,
    importDays,
    modelsOf,
    dayOf,
    create,
    /** Fails for answers that did not fit; expects at least a number of them. */
    assertMatched: (t: Test, answersMin: number): void => {
      t.ok(answers >= answersMin, `${answers} answers`);
      t.strictSame([...misfits].sort(), []);
    },
  };
};
