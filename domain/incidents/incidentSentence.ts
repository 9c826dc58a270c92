import { dayNumber, monthNames } from '../dates.js';

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

type Texts = {
  /** A date with its year. */
  readonly date: (date: string) => string;
  readonly sources: (first: string, others: number) => string;
  readonly oneDate: (date: string) => string;
  readonly dates: (alerts: number, since: string, until: string) => string;
};

const partsOf = (date: string) => ({
  year: date.slice(0, 4),
  month: Number(date.slice(5, 7)) - 1,
  day: Number(date.slice(8)),
});

const en: Texts = {
  date: date => {
    const { year, month, day } = partsOf(date);
    return `${day} ${monthNames[month]} ${year}`;
  },
  sources: (first, others) => `${first} and ${others} other ${others === 1 ? 'source' : 'sources'}`,
  oneDate: date => `, on ${date}`,
  dates: (alerts, since, until) => `, ${alerts} alerts from ${since} to ${until}`,
};

const frenchMonths = [
  'janv.',
  'févr.',
  'mars',
  'avr.',
  'mai',
  'juin',
  'juil.',
  'août',
  'sept.',
  'oct.',
  'nov.',
  'déc.',
] as const;

const fr: Texts = {
  date: date => {
    const { year, month, day } = partsOf(date);
    return `${day} ${frenchMonths[month]} ${year}`;
  },
  sources: (first, others) => `${first} et ${others} ${others === 1 ? 'autre source' : 'autres sources'}`,
  oneDate: date => `, le ${date}`,
  dates: (alerts, since, until) => `, ${alerts} alertes du ${since} au ${until}`,
};

const languages = { en, fr } as const;

/** Languages of the sentences of incidents. */
export type IncidentLanguage = keyof typeof languages;

/** A date with its year, as sentences of incidents have it. */
export const incidentDate = (date: string, language: IncidentLanguage): string =>
  languages[language].date(date);

/** Title of an incident: its source, or the first of several. */
export const incidentTitle = (
  { sources, sourceCount }: Pick<IncidentSpan, 'sources' | 'sourceCount'>,
  language: keyof typeof languages = 'en',
): string => {
  const first = sources[0] ?? '';
  return sourceCount > 1 ? languages[language].sources(first, sourceCount - 1) : first;
};

/**
 * The reason of an incident in one sentence without a full stop.
 * @param alert sentence of its most critical alert in the same language
 */
export const incidentSentence = (
  alert: string,
  { since, until, alerts }: IncidentSpan,
  language: keyof typeof languages = 'en',
): string => {
  const texts = languages[language];
  if (alerts <= 1 || dayNumber(since) === dayNumber(until))
    return `${alert}${texts.oneDate(texts.date(since))}`;
  return `${alert}${texts.dates(alerts, texts.date(since), texts.date(until))}`;
};

/** How urgent an incident is, from its criticity. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Severity of a criticity, 0–1. */
export const severityOf = (criticity: number): Severity =>
  criticity < 0.7 ? 'info' : criticity < 0.85 ? 'warning' : 'critical';
