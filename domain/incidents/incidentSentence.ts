import { dayNumber } from '../dates.js';
import { en } from '../alerts/sentences/en.js';
import type { SentenceTexts } from '../alerts/sentences/sentenceTexts.js';

/** Facts in the sentence of an incident besides those of its most critical alert. */
export type IncidentSpan = {
  readonly since: string;
  readonly until: string;
  /** Number of its alerts. */
  readonly alerts: number;
  /** Names of its sources; `sourceCount` may be larger. */
  readonly sources: readonly string[];
  readonly sourceCount: number;
};

/** Title of an incident: its source, or the first of several. */
export const incidentTitle = (
  { sources, sourceCount }: Pick<IncidentSpan, 'sources' | 'sourceCount'>,
  texts: Pick<SentenceTexts, 'incident'> = en,
): string => {
  const first = sources[0] ?? '';
  return sourceCount > 1 ? texts.incident.sources(first, sourceCount - 1) : first;
};

/**
 * The reason of an incident in one sentence without a full stop.
 * @param alert sentence of its most critical alert in the same language
 */
export const incidentSentence = (
  alert: string,
  { since, until, alerts }: IncidentSpan,
  texts: Pick<SentenceTexts, 'incident'> = en,
): string => {
  const { date, dates, oneDate } = texts.incident;
  if (alerts <= 1 || dayNumber(since) === dayNumber(until)) return `${alert}${oneDate(date(since))}`;
  return `${alert}${dates(alerts, date(since), date(until))}`;
};

/** How urgent an incident is, from its criticity. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Severity of a criticity, 0–1. */
export const severityOf = (criticity: number): Severity =>
  criticity < 0.7 ? 'info' : criticity < 0.85 ? 'warning' : 'critical';
