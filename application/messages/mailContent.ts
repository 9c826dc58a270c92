import { escapedHtml as escaped } from '../../domain/text.js';
import type { MailLanguage } from '../../domain/webhooks/webhookTarget.js';
import {
  headingOf,
  mailTexts,
  sectionOf,
  type MailEvent,
  type MailTexts,
  type Section,
} from './messageWords.js';

/** The messages of a mail: those of a digest, or the one message. */
const messagesOf = (event: MailEvent): readonly MailEvent[] => event.data.messages ?? [event];

/** Maximum pictures of one mail. */
const picturesMax = 5;

/** Changes of an alert and of an incident that begin it. */
const beginnings: readonly (string | undefined)[] = ['raised', 'opened'];

/** Ids of the alerts that a mail shows as a picture: those that begin, of days with data. */
export const picturedAlerts = (event: MailEvent): readonly string[] => {
  const ids = messagesOf(event).flatMap(({ data: { change, alert } }) =>
    alert && beginnings.includes(change) && alert.kind !== 'noData' && alert.kind !== 'gap' ? [alert.id] : [],
  );
  return [...new Set(ids)].slice(0, picturesMax);
};

/** Subject and both forms of the text of a mail. */
export type MailContent = { readonly subject: string; readonly text: string; readonly html: string };

/** Longest subject in characters. */
const subjectMax = 150;

const shortened = (text: string): string => {
  const characters = [...text];
  return characters.length <= subjectMax ? text : `${characters.slice(0, subjectMax - 1).join('')}…`;
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
  { subject, footer, isDigest }: { subject: string; footer: readonly string[]; isDigest: boolean },
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
    '<footer style="margin:32px 0 0;border-top:1px solid #d5dae0;font-size:13px;color:#57606a">',
    ...footer.map(text => `<p style="margin:12px 0 0">${escaped(text)}</p>`),
    '</footer>',
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
  const hasLoss = sections.some(({ loss }) => loss !== undefined);
  const footer = [...(hasLoss ? [texts.lossKey] : []), texts.footer(webhookId)];
  const text = [
    ...sections.map(({ title, detail, link }) =>
      [title, detail, ...(link === undefined ? [] : [link])].join('\n'),
    ),
    `-- \n${footer.join('\n')}`,
  ].join('\n\n');
  return {
    subject,
    text: `${text}\n`,
    html: htmlOf(sections, { subject, footer, isDigest }, { pictured, texts }),
  };
};
