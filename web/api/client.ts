import { daybookClient } from '../../client/index.js';
import { earlyFetch } from './early.js';
import { currentSession, expire } from './session.js';

/** Client of the API with the token of the signed-in person. */
export const api = daybookClient({
  url: location.origin,
  token: () => currentSession().token,
  onTokenRefused: expire,
  // The screens choose among the languages of an answer themselves: people change theirs while answers are shown.
  language: 'en',
  fetch: earlyFetch,
  // People wait for the answer.
  retries: { delayMaxMs: 10_000 },
});

/** Resources of the API that the screens show. */
export type {
  Alert,
  AlertState,
  AlertStep,
  AuditEvent,
  CalendarDay,
  CalendarRule,
  CalendarYear,
  DayCell,
  DayDetails,
  DeliveryAttempt,
  DrawnAlert,
  Explanation,
  Incident,
  IncidentStep,
  Model,
  ModelList,
  ModelsPreview,
  MovedOverride,
  Mute,
  Overview,
  OverviewSource,
  Plan,
  PlanningYear,
  Source,
  StoredDay,
  Token,
  Verdict,
  Webhook,
} from '../../client/index.js';
