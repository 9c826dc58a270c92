import type { Urgency } from '../../../domain/incidents/incidents.js';
import {
  type Announcement,
  cut,
  fitting,
  listTitle,
  shownSources,
  secretPathFault,
  type Format,
  type FormatInput,
  type Words,
  bearer,
} from './format.js';

/** Characters of a text of a block as Slack gets it, below its limit (3,000), and of one line. */
const blockTextMax = 2900;
const slackLineMax = 400;
/** Blocks of a digest, below the limit of Slack (50). */
const blocksMax = 40;

/** Text of Slack: these three characters begin links and mentions. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The first characters of a text whose escaped form has at most `max`. */
const shortened = (text: string, max: number): string =>
  escaped(cut(text, max, part => escaped(part).length));

const linked = (link: string, text: string): string =>
  `<${escaped(link.replaceAll('|', '%7C'))}|${escaped(text)}>`;

/** An instant in the time zone of each reader. */
const instant = (at: string): string =>
  `<!date^${Math.floor(Date.parse(at) / 1000)}^{date_num} {time_secs}|${at}>`;

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', verbatim: true, text } });

const oneBlocks = (one: Announcement, words: Words): readonly object[] => {
  const { title, detail, blocks, at, link } = one;
  const lines = [`*${shortened(title, slackLineMax)}*`, shortened(detail, 2 * slackLineMax)];
  const context = [
    ...shownSources(one, words, name => shortened(name, slackLineMax)),
    instant(at),
    ...(link === undefined ? [] : [linked(link, words.open)]),
  ];
  return [
    section([...lines, ...(blocks === undefined ? [] : [`\`${blocks}\``])].join('\n')),
    { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: context.join(' · ') }] },
  ];
};

const lineOf = (one: Announcement, words: Words): string => {
  const { link } = one;
  const text = listTitle(one, words, slackLineMax);
  return `• ${link === undefined ? escaped(text) : linked(link, text)}`;
};

const slackLine = { sizeOf: ({ length }: string): number => length + 1 };

/** Lines as sections of at most `textMax` characters. */
const listBlocks = ({ announcements, words }: FormatInput): readonly object[] => {
  const lines = announcements.map(one => lineOf(one, words));
  const sections: string[] = [];
  for (const line of fitting(lines, blockTextMax * (blocksMax / 2), words.more, slackLine)) {
    const last = sections.at(-1);
    if (last === undefined || last.length + line.length + 1 > blockTextMax) sections.push(line);
    else sections[sections.length - 1] = `${last}\n${line}`;
  }
  return sections.map(section);
};

/** Messages for an incoming webhook of Slack. */
export const slack: Format = {
  hasSecretPath: true,
  addressFault: secretPathFault,
  format: input => {
    const { announcements, heading, words } = input;
    const text = shortened(heading, slackLineMax);
    const isOne = announcements.length === 1;
    const blocks = isOne ? oneBlocks(announcements[0], words) : [section(`*${text}*`), ...listBlocks(input)];
    return { body: JSON.stringify({ text, blocks }) };
  },
};

/** Bytes of the list of a digest, so that its card is below the limit of Teams (28 kB). */
const listBytesMax = 24_000;
const cardTitleMax = 300;
const cardDetailMax = 1000;

type Run = { readonly text: string; readonly weight?: 'Bolder'; readonly fontType?: 'Monospace' };

/** Text as runs, since Teams reads no Markdown in them: names of sources make no links. */
const line = (run: Run, more: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', ...run }],
  ...more,
});

const subtle = { isSubtle: true, size: 'Small' };

const opens = (url: string) => ({ type: 'Action.OpenUrl', url });

const oneBody = (one: Announcement, words: Words): readonly object[] => [
  { ...line({ text: cut(one.title, cardTitleMax), weight: 'Bolder' }) },
  line({ text: cut(one.detail, cardDetailMax) }),
  ...(one.blocks === undefined ? [] : [line({ text: one.blocks, fontType: 'Monospace' })]),
  {
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: [...shownSources(one, words), one.at].join(' · '), ...subtle }],
  },
];

const entry = (text: string, link?: string): string =>
  JSON.stringify({
    type: 'Container',
    items: [line({ text })],
    ...(link !== undefined && { selectAction: opens(link) }),
  });

const listBody = ({ announcements, heading, words }: FormatInput): readonly object[] => {
  const entries = announcements.map(one => entry(listTitle(one, words, cardTitleMax), one.link));
  const shown = fitting(entries, listBytesMax, count => entry(words.more(count)));
  return [
    line({ text: cut(heading, cardTitleMax), weight: 'Bolder' }),
    ...shown.map(text => JSON.parse(text) as object),
  ];
};

/** Adaptive Cards for a workflow of Teams that posts them. */
export const teams: Format = {
  hasSecretPath: true,
  addressFault: secretPathFault,
  format: input => {
    const { announcements, heading, words } = input;
    const [one, ...others] = announcements;
    const isOne = others.length === 0;
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      fallbackText: cut(heading, cardTitleMax),
      msteams: { width: 'Full' },
      body: isOne ? oneBody(one, words) : listBody(input),
      ...(isOne && one.link !== undefined && { actions: [{ ...opens(one.link), title: words.open }] }),
    };
    const contentType = 'application/vnd.microsoft.card.adaptive';
    const attachments = [{ contentType, contentUrl: null, content }];
    return { body: JSON.stringify({ type: 'message', attachments }) };
  },
};

/** Bytes of a message; ntfy makes an attachment of one with more than 4,096. */
const messageBytesMax = 3900;
const ntfyTitleMax = 250;
const ntfyDetailBytesMax = 2000;

const urgencyPriorities: Readonly<Record<Urgency, number>> = { info: 3, warning: 4, critical: 5 };
/** Priority of news about something that is over, or in the hands of a person. */
const quietPriority = 2;

/** Names of emojis that ntfy shows before the title. */
const tagOf = ({ phase, kind, severity }: Announcement): string => {
  if (kind === 'test') return 'test_tube';
  if (phase === 'resolve') return 'white_check_mark';
  if (phase === 'acknowledge') return 'eyes';
  return severity === 'critical' ? 'rotating_light' : 'warning';
};

const priorityOf = ({ phase, severity }: Announcement): number =>
  phase === 'trigger' || phase === 'update' ? urgencyPriorities[severity] : quietPriority;

const messageOf = ({ announcements, words }: FormatInput): string => {
  const [one, ...others] = announcements;
  if (others.length === 0) {
    const { detail, blocks, at } = one;
    const about = [...shownSources(one, words), at].join(' · ');
    return [
      cut(detail, ntfyDetailBytesMax, Buffer.byteLength),
      ...(blocks === undefined ? [] : [blocks]),
      about,
    ].join('\n');
  }
  const lines = announcements.map(one => `• ${listTitle(one, words, ntfyTitleMax)}`);
  return fitting(lines, messageBytesMax, words.more).join('\n');
};

/** Messages for a server of ntfy, published as JSON. */
export const ntfy: Format = {
  addressFault: ({ pathname, search }) =>
    pathname === '/' && search === ''
      ? undefined
      : `got ${pathname}${search === '' ? '' : ' and a query'}, expected the address of the server alone; the topic is an option`,
  format: input => {
    const { announcements, heading, options } = input;
    const [one, ...others] = announcements;
    const priority = options.priority ?? Math.max(...announcements.map(priorityOf));
    const isOne = others.length === 0;
    const message = {
      topic: options.topic ?? '',
      title: cut(heading, ntfyTitleMax),
      message: messageOf(input),
      priority: Number(priority),
      ...(isOne && { tags: [tagOf(one)] }),
      ...(isOne && one.link !== undefined && { click: one.link }),
    };
    return { body: JSON.stringify(message), ...bearer(options.token) };
  },
};
