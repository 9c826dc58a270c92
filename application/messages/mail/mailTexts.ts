import { languages, type Language } from '../../../domain/alerts/sentences/languages.js';
import type { MessageChange, MessageTexts } from '../../../domain/alerts/sentences/sentenceTexts.js';
import type { MailAlert } from './mailEvents.js';

/** Returns a function that writes a date `YYYY-MM-DD` with its weekday in the words of a language. */
const dateIn = (locale: string): ((date: string) => string) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
  return date => format.format(new Date(`${date}T00:00:00Z`));
};

/** Change of an alert that a message is about. */
export type Change = MessageChange;

/** Texts of mails in one language. The sentence of an alert is that of the API. */
export type MailTexts = Omit<MessageTexts, 'alert' | 'afterName'> & {
  /** Language tag of the HTML. */
  readonly tag: string;
  /** A date `YYYY-MM-DD` with its weekday. */
  readonly date: (date: string) => string;
  /** Title of a message about an alert. */
  readonly alert: (source: string, alert: MailAlert, change: Change) => string;
};

const textsIn = (tag: Language): MailTexts => {
  const { locale, message } = languages[tag];
  const sentenceOf = ({ sentence, sentences }: MailAlert): string => {
    const others: Readonly<Record<string, string>> = sentences ?? {};
    const own = tag === 'en' ? sentence : others[tag];
    // Messages of older versions have English sentences only.
    return own === undefined ? sentence : message.afterName(own);
  };
  return {
    ...message,
    tag,
    date: dateIn(locale),
    alert: (source, alert, change) => message.alert(source, sentenceOf(alert), change),
  };
};

const known = new Map<Language, MailTexts>();

/** The texts of a language. */
export const mailTexts = (language: Language): MailTexts => {
  const texts = known.get(language) ?? textsIn(language);
  known.set(language, texts);
  return texts;
};
