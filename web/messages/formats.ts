import { useContext, useMemo } from 'react';
import { localeOf, MessagesContext } from './messages.js';
import { compactFormat, percentFormat, unbroken } from './percent.js';

/** A calendar date, `YYYY-MM-DD`, as an instant that formats in UTC. */
const utc = (date: string): Date => new Date(`${date}T00:00:00Z`);

/** Whether a text is a date that a calendar has. */
const isDate = (text: string): boolean => !Number.isNaN(utc(text).getTime());

/** A short date is read at once: its parts stay on one line. */
const together = (date: string): string => date.replaceAll(' ', '\u00a0');

const secondsPerDay = 86_400;

/** Dates from that of the reader's clock to that of an instant: a clock change makes a day of 23 or 25 hours. */
const daysFromToday = (at: Date): number => {
  const [then, today] = [new Date(at), new Date()].map(date => date.setHours(0, 0, 0, 0));
  return Math.round(((then ?? 0) - (today ?? 0)) / (1000 * secondsPerDay));
};

/** As `Intl.DateTimeFormat`, but the first of a month is “1er” in French, as in the sentences of the service. */
const dateFormat = (locale: string, options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(locale, options);
  const isFrench = locale.startsWith('fr');
  const joined = (parts: readonly Intl.DateTimeFormatPart[]): string =>
    parts.map(({ type, value }) => (isFrench && type === 'day' && value === '1' ? '1er' : value)).join('');
  return {
    format: (at: Date): string => joined(format.formatToParts(at)),
    formatRange: (from: Date, to: Date): string => joined(format.formatRangeToParts(from, to)),
  };
};

/** Dates and numbers as people of a locale write them. */
const formatsOf = (locale: string) => {
  /** Writes dates; a text that is no date stays, as an emptied field of a form has. */
  const inUtc = (options: Intl.DateTimeFormatOptions) => {
    const format = dateFormat(locale, { timeZone: 'UTC', ...options });
    return {
      format: (date: string): string => (isDate(date) ? format.format(utc(date)) : date),
      formatRange: (from: string, to: string): string =>
        isDate(from) && isDate(to) ? format.formatRange(utc(from), utc(to)) : `${from} – ${to}`,
    };
  };
  const day = inUtc({ weekday: 'short', day: 'numeric', month: 'short' });
  const dayMonth = inUtc({ day: 'numeric', month: 'short' });
  const dayYear = inUtc({ day: 'numeric', month: 'short', year: 'numeric' });
  const dayFull = inUtc({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  const long = inUtc({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const weekday = inUtc({ weekday: 'long' });
  const month = inUtc({ month: 'short' });
  const instant = dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const number = new Intl.NumberFormat(locale, { maximumSignificantDigits: 4 });
  const whole = new Intl.NumberFormat(locale);
  const rounded = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return {
    /** "Mon, 3 Mar" */
    day: (date: string) => day.format(date),
    /** "3 Mar" */
    dayMonth: (date: string) => together(dayMonth.format(date)),
    /** "Mon, 3 Mar 2025" */
    dayFull: (date: string) => dayFull.format(date),
    /** "3 Mar 2025" */
    dayYear: (date: string) => together(dayYear.format(date)),
    /** "3 Mar – 2 Apr 2025" */
    range: (from: string, to: string) => together(dayYear.formatRange(from, to)),
    /** "Monday, 3 March 2025" */
    longDay: (date: string) => long.format(date),
    /** A date in accessible names: as it is in English, which programs rely on; else as `longDay`. */
    nameDay: (date: string) => (locale.startsWith('en') ? date : long.format(date)),
    weekday: (date: string) => weekday.format(date),
    month: (date: string) => month.format(date),
    instant: (at: string) => (Number.isNaN(Date.parse(at)) ? at : instant.format(new Date(at))),
    /** "14:02:11" of an instant in ms */
    time: (ms: number) => time.format(ms),
    /** Four digits, and all of those before the decimal mark. */
    number: (value: number) => (Math.abs(value) < 10_000 ? number : rounded).format(value),
    /** A count with all its digits. */
    count: (value: number) => whole.format(value),
    compact: compactFormat(locale),
    /** "98 %" */
    percent: percentFormat(locale),
    /** "2 hours ago" */
    ago: (at: string) => {
      const seconds = (new Date(at).getTime() - Date.now()) / 1000;
      if (Math.abs(seconds) >= secondsPerDay) return relative.format(daysFromToday(new Date(at)), 'day');
      const units = [
        ['hour', 3600],
        ['minute', 60],
      ] as const;
      for (const [unit, length] of units)
        if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
      return relative.format(Math.round(seconds), 'second');
    },
    locale,
    /** Two letters, such as en. */
    language: locale.slice(0, 2),
  };
};

export type Formats = ReturnType<typeof formatsOf>;

/** Formats in the reader's locale. */
export const useFormats = (): Formats => {
  const { language } = useContext(MessagesContext);
  return useMemo(() => formatsOf(localeOf(language)), [language]);
};

/** Why a date is planned so, as the service says it in the reader's language; empty without a plan. */
export const planReasonOf = (
  { reason, reasons }: { readonly reason: string; readonly reasons: { readonly fr: string } },
  { language }: Formats,
): string => unbroken(language === 'fr' ? reasons.fr : reason);

/** The reason of an alert or of an incident in one sentence, as the service says it in the reader's language. */
export const sentenceOf = (
  { sentence, sentences }: { readonly sentence: string; readonly sentences: Translations },
  { language }: Formats,
): string => unbroken(sentences[language] ?? sentence);

/** The loss, as the service says it in the reader's language; undefined for an alert without a severity. */
export const lossOf = (
  {
    loss,
    losses,
  }: { readonly loss?: string | null | undefined; readonly losses?: Translations | null | undefined },
  { language }: Formats,
): string | undefined => (loss == null ? undefined : unbroken(losses?.[language] ?? loss));

/** Texts of the service in the languages besides English, by tag. */
export type Translations = Readonly<Record<string, string>>;

/** The name of a model in the reader's language; a name that a person gave stays. */
export const modelNameOf = (
  { name, names }: { readonly name: string; readonly names?: Translations },
  { language }: Formats,
): string => names?.[language] ?? name;
