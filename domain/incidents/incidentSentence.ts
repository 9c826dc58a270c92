import { en } from '../words/en.js';
import { inOtherLanguages } from '../words/languages.js';
import type { SentenceTexts } from '../words/en.js';
import { minutesPerDay, dayNumber } from '../dates.js';
import type { Change, SourceChange } from './changes.js';

/** A minute of the day as a clock shows it: the hour alone when it is whole. */
const clockText = (minute: number): string => {
  const [hour, rest] = [Math.floor(minute / 60), minute % 60];
  const two = (number: number): string => String(number).padStart(2, '0');
  return rest === 0 ? two(hour) : `${two(hour)}:${two(rest)}`;
};

/** The change without its date. */
const whatOf = ({ type, size, minutes }: Change, texts: SentenceTexts['change']): string => {
  switch (type) {
    case 'level':
      return texts.level(size);
    case 'clock': {
      const length = Math.abs(size);
      return texts.clock(texts.duration(Math.floor(length / 60), length % 60), size > 0);
    }
    case 'opening': {
      const [from, to] = minutes ?? [0, minutesPerDay];
      return texts.opening(`${clockText(from)}–${clockText(to)}`, size > 0);
    }
    case 'shape':
      return texts.shape;
  }
};

/** A change in a few words without its date, such as "closed 07–08". */
export const changeSummary = (
  change: Change,
  { change: texts }: Pick<SentenceTexts, 'change'> = en,
): string => whatOf(change, texts);

/** A change in a few words without a full stop, such as "closed 07–08 since 30 Mar 2026". */
export const changeSentence = (
  change: Change,
  { change: texts, incident }: Pick<SentenceTexts, 'change' | 'incident'> = en,
): string => {
  const what = whatOf(change, texts) + texts.since(incident.date(change.from));
  return change.daylightSaving ? what + texts.daylightSaving : what;
};

/** The sentence of an incident with that of its change. */
export const withChangeSentence = (
  sentence: string,
  change: Change | null,
  texts: Pick<SentenceTexts, 'change' | 'incident'> = en,
): string => (change ? `${sentence}; ${changeSentence(change, texts)}` : sentence);

/** A change of a source as clients see it. */
export const shownChange = (change: SourceChange) => ({
  ...change,
  minutes: change.minutes ?? null,
  daylightSaving: change.daylightSaving ?? false,
  sentence: changeSentence(change),
  sentences: inOtherLanguages(texts => changeSentence(change, texts)),
});

/** A change of a source as clients see it, with its words without the date. */
export const summedUpChange = (change: SourceChange) => ({
  ...shownChange(change),
  summary: changeSummary(change),
  summaries: inOtherLanguages(texts => changeSummary(change, texts)),
});

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
