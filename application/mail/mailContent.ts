import { messagesOf, type MailAlert, type MailEvent } from './mailEvents.js';

/** Subject and both forms of the text of a mail, in English. */
export type MailContent = { readonly subject: string; readonly text: string; readonly html: string };

/** Longest subject in characters. */
const subjectMax = 150;

/** Words before the sentence of an alert. */
const changes: Readonly<Record<string, string>> = {
  raised: '',
  acknowledged: 'Acknowledged: ',
  reopened: 'Reopened: ',
  resolved: 'Resolved: ',
  invalidated: 'No alert any more: ',
  ended: 'Ended: ',
};

/** A message in words. */
type Section = {
  readonly alertId: string | undefined;
  readonly title: string;
  readonly detail: string;
  readonly link: string | undefined;
};

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });

const detailOf = ({ date, criticity }: MailAlert): string =>
  `${dateFormat.format(new Date(`${date}T00:00:00Z`))}, criticity ${Math.floor(criticity * 1000) / 1000}.`;

const sectionOf = ({ type, data: { source, change, alert, analysis, link } }: MailEvent): Section => {
  const name = oneLine(source?.name ?? '');
  if (alert) {
    const title = `${changes[change ?? ''] ?? ''}${name}: ${oneLine(alert.sentence)}`;
    return { alertId: alert.id, title, detail: detailOf(alert), link };
  }
  const common = { alertId: undefined, link };
  if (type === 'analysis.completed')
    return { ...common, title: `${name}: new models`, detail: 'The reference was analysed.' };
  if (type === 'analysis.failed') {
    const title = `${name}: the analysis failed`;
    return { ...common, title, detail: oneLine(analysis?.detail ?? '') };
  }
  return { ...common, title: 'Test message of Daybook', detail: 'Mails to this address arrive.' };
};

/** Control characters and line ends become spaces: a name of a source must not begin a header or a line. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, character => escapes[character] ?? '');

const shortened = (text: string): string => {
  const characters = [...text];
  return characters.length <= subjectMax ? text : `${characters.slice(0, subjectMax - 1).join('')}…`;
};

const subjectOf = (sections: readonly Section[], isDigest: boolean): string => {
  const [first] = sections;
  if (!isDigest || !first || sections.length === 1) return shortened(first?.title ?? 'Daybook');
  return shortened(`${sections.length} messages: ${first.title}`);
};

/** Id of a picture within a mail. */
export const pictureId = (alertId: string): string => `${alertId}@daybook`;

/** Explains a picture, so that colours and lines need no guess. */
const pictureKey =
  'Black: the day. Blue band and dashed line: its bounds and the expected values. Red: beyond the bounds. Grey: the days before.';

const linkStyle = 'color:#0b5cad';

const sectionHtml = (
  { alertId, title, detail, link }: Section,
  level: 1 | 2,
  pictured: ReadonlySet<string>,
): string =>
  [
    `<h${level} style="font-size:${level === 1 ? 20 : 17}px;line-height:1.35;margin:24px 0 8px">${escaped(title)}</h${level}>`,
    `<p style="margin:0 0 12px">${escaped(detail)}</p>`,
    ...(alertId !== undefined && pictured.has(alertId)
      ? [
          `<p style="margin:0 0 12px"><img src="cid:${escaped(pictureId(alertId))}" width="600" style="max-width:100%;height:auto" alt="Chart of the day: ${escaped(title)}"></p>`,
          `<p style="margin:0 0 12px;font-size:13px;color:#57606a">${pictureKey}</p>`,
        ]
      : []),
    ...(link === undefined
      ? []
      : [
          `<p style="margin:0 0 12px"><a href="${escaped(link)}" style="${linkStyle}">Open in Daybook</a></p>`,
        ]),
  ].join('\n');

const htmlOf = (
  sections: readonly Section[],
  { subject, footer, isDigest }: { subject: string; footer: string; isDigest: boolean },
  pictured: ReadonlySet<string>,
): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light">',
    `<title>${escaped(subject)}</title>`,
    '</head>',
    '<body style="margin:0;padding:16px;background:#fff;color:#1b1f24;font:16px/1.5 Inter,system-ui,sans-serif">',
    '<main style="max-width:600px;margin:0 auto">',
    ...(isDigest ? [`<h1 style="font-size:20px;margin:8px 0">${escaped(subject)}</h1>`] : []),
    ...sections.map(section => sectionHtml(section, isDigest ? 2 : 1, pictured)),
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
  webhookId: string,
  pictured: ReadonlySet<string>,
): MailContent => {
  const isDigest = event.data.messages !== undefined;
  const sections = messagesOf(event).map(sectionOf);
  const subject = subjectOf(sections, isDigest);
  const footer =
    `Daybook sends this mail for webhook ${webhookId}. ` +
    'To stop it, ask the people who run Daybook to disable or delete this webhook.';
  const text = [
    ...sections.map(({ title, detail, link }) =>
      [title, detail, ...(link === undefined ? [] : [link])].join('\n'),
    ),
    `-- \n${footer}`,
  ].join('\n\n');
  return {
    subject,
    text: `${text}\n`,
    html: htmlOf(sections, { subject, footer, isDigest }, pictured),
  };
};
