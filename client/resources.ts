import type { AnswerOf } from './methods.js';

// Resources of the API, from its generated description.
export type Source = AnswerOf<'get', '/v1/source/{source_id}'>;
export type Import = AnswerOf<'get', '/v1/import/{import_id}'>;
export type ImportSummary = Import['import'];
export type Alert = AnswerOf<'get', '/v1/alert/list'>['alerts'][number];
/** An alert with its broken limits as lines of a chart. */
export type DrawnAlert = AnswerOf<'get', '/v1/alert/{id}'>;
/** The facts that led to an alert, each with its event. */
export type Explanation = AnswerOf<'get', '/v1/alert/{id}/explanation'>;
export type Incident = AnswerOf<'get', '/v1/incident/list'>['incidents'][number];
export type IncidentStep = AnswerOf<'get', '/v1/incident/{id}/history'>['events'][number];
export type Mute = AnswerOf<'get', '/v1/mute/list'>['mutes'][number];
export type AlertStep = AnswerOf<'get', '/v1/alert/{id}/history'>['events'][number];
export type AlertState = Alert['state'];
export type Verdict = NonNullable<Alert['verdict']>;
export type Overview = AnswerOf<'get', '/v1/overview'>;
export type OverviewSource = Overview['sources'][number];
export type DayCell = OverviewSource['days'][number];
export type ModelList = AnswerOf<'get', '/v1/model/list/{source_id}'>;
export type Model = ModelList['models'][number];
export type ModelsPreview = AnswerOf<'post', '/v1/model/preview/{source_id}/{model_count}'>;
export type MovedOverride = ModelsPreview['overrides'][number];
export type StoredDay = AnswerOf<'get', '/v1/day/list/{source_id}/{year}'>['days'][number];
export type DayDetails = AnswerOf<'get', '/v1/day/{source_id}/{date}'>;
export type PlanningYear = AnswerOf<'get', '/v1/planning/list/{source_id}/{year}'>;
export type Plan = PlanningYear['days'][number];
export type CalendarYear = AnswerOf<'get', '/v1/calendar/list/{source_id}/{year}'>;
export type CalendarDay = CalendarYear['days'][number];
export type CalendarRule = AnswerOf<'get', '/v1/calendar-rule/{rule_id}'>;
export type Webhook = AnswerOf<'get', '/v1/webhook/{webhook_id}'>;
export type Token = AnswerOf<'get', '/v1/token/list'>['tokens'][number];
export type DeliveryAttempt = AnswerOf<'post', '/v1/webhook/{webhook_id}/test'>;
export type AuditEvent = AnswerOf<'get', '/v1/audit/event'>['events'][number];
