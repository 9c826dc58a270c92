import type { paths } from '../generated/openapi.js';

type Get<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

type Post<Path extends keyof paths> = paths[Path] extends {
  post: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

// Resources of the API, from its generated description.
export type Source = Get<'/v1/source/{source_id}'>;
export type Alert = Get<'/v1/alert/list'>['alerts'][number];
/** An alert with its broken limits as lines of a chart. */
export type DrawnAlert = Get<'/v1/alert/{id}'>;
export type AlertStep = Get<'/v1/alert/{id}/history'>['events'][number];
export type AlertState = Alert['state'];
export type Overview = Get<'/v1/overview'>;
export type OverviewSource = Overview['sources'][number];
export type DayCell = OverviewSource['days'][number];
export type Model = Get<'/v1/model/list/{source_id}'>['models'][number];
export type ModelList = Get<'/v1/model/list/{source_id}'>;
export type ModelsPreview = Post<'/v1/model/preview/{source_id}/{model_count}'>;
export type MovedOverride = ModelsPreview['overrides'][number];
export type StoredDay = Get<'/v1/day/list/{source_id}/{year}'>['days'][number];
export type PlanningYear = Get<'/v1/planning/list/{source_id}/{year}'>;
export type Plan = PlanningYear['days'][number];
export type CalendarYear = Get<'/v1/calendar/list/{source_id}/{year}'>;
export type CalendarDay = CalendarYear['days'][number];
export type Verdict = NonNullable<Alert['verdict']>;
export type AuditEvent = Get<'/v1/audit/event'>['events'][number];
export type DayDetails = Get<'/v1/day/{source_id}/{date}'>;
