import type { MailAlert } from './mailEvents.js';

/** Returns a function that writes a date `YYYY-MM-DD` with its weekday in the words of a language. */
export const dateIn = (locale: string): ((date: string) => string) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
  return date => format.format(new Date(`${date}T00:00:00Z`));
};

/** Change of an alert that a message is about. */
export type Change = 'raised' | 'acknowledged' | 'reopened' | 'resolved' | 'invalidated' | 'ended';

/** Texts of mails in one language. A text with parts is a function; names are on one line, and not escaped. */
export type MailTexts = {
  /** Language tag of the HTML. */
  readonly tag: string;
  /** A date `YYYY-MM-DD` with its weekday. */
  readonly date: (date: string) => string;
  /** Title of a message about an alert. */
  readonly alert: (source: string, alert: MailAlert, change: Change) => string;
  readonly detail: (date: string, criticity: number) => string;
  readonly newModels: (source: string) => string;
  readonly newModelsDetail: string;
  readonly analysisFailed: (source: string) => string;
  /** `reason` is the message of the error, in English. */
  readonly analysisFailedDetail: (reason: string) => string;
  readonly test: string;
  readonly testDetail: string;
  /** The same in messages that are no mails. */
  readonly testArrived: string;
  readonly digest: (count: number, first: string) => string;
  /** Last line of a list that is cut. */
  readonly more: (count: number) => string;
  readonly pictureKey: string;
  readonly pictureText: (title: string) => string;
  readonly open: string;
  readonly footer: (webhookId: string) => string;
};
