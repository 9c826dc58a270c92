import type { AlertKind } from '../../domain/alerts/findings.js';
import { type InOtherLanguages, languages, type Language } from '../../domain/alerts/sentences/languages.js';
import type { MessageChange, MessageTexts } from '../../domain/alerts/sentences/sentenceTexts.js';
import { inOneLine, unbroken } from '../../domain/text.js';
import type { MailLanguage } from '../../domain/webhooks/webhookTarget.js';

/** The parts of a message to a receiver, a CloudEvent, that a mail uses. */
export type MailEvent = {
  readonly type: string;
  readonly data: {
    readonly source?: { readonly id: number; readonly name: string };
    /** Change of the alert: `raised`, `resolved` … */
    readonly change?: string;
    readonly alert?: MailAlert;
    /** An analysis that failed has a reason. */
    readonly analysis?: { readonly detail?: string };
    readonly link?: string;
    /** Messages of a digest. */
    readonly messages?: readonly MailEvent[];
  };
};

type MailAlert = {
  readonly id: string;
  readonly date: string;
  readonly kind: AlertKind;
  readonly criticity: number;
  /** In English. */
  readonly sentence: string;
  /** The same in other languages; absent in messages of older versions. */
  readonly sentences?: InOtherLanguages;
};

/** The messages of a mail: those of a digest, or the one message. */
const messagesOf = (event: MailEvent): readonly MailEvent[] => event.data.messages ?? [event];

/** Maximum pictures of one mail. */
const picturesMax = 5;

/** Ids of the alerts that a mail shows as a picture: raised ones of days with data. */
export const picturedAlerts = (event: MailEvent): readonly string[] => {
  const ids = messagesOf(event).flatMap(({ data: { change, alert } }) =>
    alert && change === 'raised' && alert.kind !== 'noData' && alert.kind !== 'gap' ? [alert.id] : [],
  );
  return [...new Set(ids)].slice(0, picturesMax);
};

/** Returns a function that writes a date `YYYY-MM-DD` with its weekday in the words of a language. */
const dateIn = (locale: string): ((date: string) => string) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
  return date => format.format(new Date(`${date}T00:00:00Z`));
};

/** Change of an alert that a message is about. */
type Change = MessageChange;

/** Texts of mails in one language. The sentence of an alert is that of the API. */
type MailTexts = Omit<MessageTexts, 'alert' | 'afterName'> & {
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

const knownTexts = new Map<Language, MailTexts>();

/** The texts of a language. */
export const mailTexts = (language: Language): MailTexts => {
  const texts = knownTexts.get(language) ?? textsIn(language);
  knownTexts.set(language, texts);
  return texts;
};

const changes: readonly Change[] = ['raised', 'acknowledged', 'reopened', 'resolved', 'invalidated', 'ended'];

/** The change that a message is about; `raised` for one that this build does not know. */
const changeOf = ({ data: { change } }: MailEvent): Change =>
  changes.find(known => known === change) ?? 'raised';

/** Subject and both forms of the text of a mail. */
export type MailContent = { readonly subject: string; readonly text: string; readonly html: string };

/** Longest subject in characters. */
const subjectMax = 150;

/** A message in words. */
export type Section = {
  readonly alertId: string | undefined;
  readonly title: string;
  readonly detail: string;
  readonly link: string | undefined;
  /** Criticity of an alert that waits for people, else 0: the most urgent message of a digest is in its subject. */
  readonly urgency: number;
};

/** Changes after which there is nothing to do. */
const overBy: readonly Change[] = ['resolved', 'invalidated', 'ended'];

const detailOf = ({ date, criticity }: MailAlert, texts: MailTexts): string =>
  texts.detail(texts.date(date), Math.floor(criticity * 1000) / 1000);

/** A message in the words of a language. */
export const sectionOf = (event: MailEvent, texts: MailTexts): Section => {
  const { type, data } = event;
  const { source, alert, analysis, link } = data;
  const name = oneLine(source?.name ?? '');
  if (alert) {
    const title = oneLine(texts.alert(name, alert, changeOf(event)));
    const urgency = overBy.includes(changeOf(event)) ? 0 : alert.criticity;
    return { alertId: alert.id, title, detail: detailOf(alert, texts), link, urgency };
  }
  const common = { alertId: undefined, link, urgency: 0 };
  if (type === 'analysis.completed')
    return { ...common, title: texts.newModels(name), detail: texts.newModelsDetail };
  if (type === 'analysis.failed')
    return {
      ...common,
      title: texts.analysisFailed(name),
      detail: texts.analysisFailedDetail(oneLine(analysis?.detail ?? '')),
    };
  return { ...common, title: texts.test, detail: texts.testDetail };
};

/** A text in one line with single spaces: a name of a source must not begin a header or a line. */
export const oneLine = (text: string): string => inOneLine(text).replaceAll(/ {2,}/g, ' ').trim();

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string =>
  unbroken(text).replaceAll(/[&<>"']/g, character => escapes[character] ?? '');

const shortened = (text: string): string => {
  const characters = [...text];
  return characters.length <= subjectMax ? text : `${characters.slice(0, subjectMax - 1).join('')}…`;
};

type Titled = Pick<Section, 'title' | 'urgency'>;

/** Heading of messages: the title of one; of several their number and the title of the most urgent. */
export const headingOf = (
  [first, ...others]: readonly [Titled, ...Titled[]],
  { digest }: Pick<MailTexts, 'digest'>,
): string => {
  const { title } = others.reduce((most, one) => (one.urgency > most.urgency ? one : most), first);
  return others.length === 0 ? title : digest(others.length + 1, title);
};

const subjectOf = ([first, ...others]: readonly Section[], texts: MailTexts): string =>
  shortened(first ? headingOf([first, ...others], texts) : 'Daybook');

/** Id of a picture within a mail. */
export const pictureId = (alertId: string): string => `${alertId}@daybook`;

const linkStyle = 'color:#0b5cad';

/** Ids of the alerts that have a picture, and the texts of the language. */
type Shown = { readonly pictured: ReadonlySet<string>; readonly texts: MailTexts };

const sectionHtml = (
  { alertId, title, detail, link }: Section,
  level: 1 | 2,
  { pictured, texts }: Shown,
): string =>
  [
    `<h${level} style="font-size:${level === 1 ? 20 : 17}px;line-height:1.35;margin:24px 0 8px">${escaped(title)}</h${level}>`,
    `<p style="margin:0 0 12px">${escaped(detail)}</p>`,
    ...(alertId !== undefined && pictured.has(alertId)
      ? [
          `<p style="margin:0 0 12px"><img src="cid:${escaped(pictureId(alertId))}" width="600" style="max-width:100%;height:auto" alt="${escaped(texts.pictureText(title))}"></p>`,
          `<p style="margin:0 0 12px;font-size:13px;color:#57606a">${escaped(texts.pictureKey)}</p>`,
        ]
      : []),
    ...(link === undefined
      ? []
      : [
          `<p style="margin:0 0 12px"><a href="${escaped(link)}" style="${linkStyle}">${escaped(texts.open)}</a></p>`,
        ]),
  ].join('\n');

const htmlOf = (
  sections: readonly Section[],
  { subject, footer, isDigest }: { subject: string; footer: string; isDigest: boolean },
  shown: Shown,
): string =>
  [
    '<!doctype html>',
    `<html lang="${shown.texts.tag}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light">',
    `<title>${escaped(subject)}</title>`,
    '</head>',
    '<body style="margin:0;padding:16px;background:#fff;color:#1b1f24;font:16px/1.5 Inter,system-ui,sans-serif">',
    '<main style="max-width:600px;margin:0 auto">',
    ...(isDigest ? [`<h1 style="font-size:20px;margin:8px 0">${escaped(subject)}</h1>`] : []),
    ...sections.map(section => sectionHtml(section, isDigest ? 2 : 1, shown)),
    `<p style="margin:32px 0 0;padding-top:12px;border-top:1px solid #d5dae0;font-size:13px;color:#57606a">${escaped(footer)}</p>`,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');

/**
 * A mail about a message.
 * @param pictured ids of the alerts that have a picture
 */
export const mailContent = (
  event: MailEvent,
  {
    webhookId,
    language = 'en',
  }: { readonly webhookId: string; readonly language?: MailLanguage | undefined },
  pictured: ReadonlySet<string>,
): MailContent => {
  const texts = mailTexts(language);
  const isDigest = event.data.messages !== undefined;
  const sections = messagesOf(event).map(message => sectionOf(message, texts));
  const subject = subjectOf(sections, texts);
  const footer = texts.footer(webhookId);
  const text = [
    ...sections.map(({ title, detail, link }) =>
      [title, detail, ...(link === undefined ? [] : [link])].join('\n'),
    ),
    `-- \n${footer}`,
  ].join('\n\n');
  return {
    subject,
    text: `${text}\n`,
    html: htmlOf(sections, { subject, footer, isDigest }, { pictured, texts }),
  };
};
