import type { Announcement } from './announcement.js';
import { cut, fitting, secretPathFault, type Format, type FormatInput } from './format.js';

/** Bytes of the list of a digest, so that its card is below the limit of Teams (28 kB). */
const listBytesMax = 24_000;
const titleMax = 300;
const detailMax = 1000;

type Run = { readonly text: string; readonly weight?: 'Bolder'; readonly fontType?: 'Monospace' };

/** Text as runs, since Teams reads no Markdown in them: names of sources make no links. */
const line = (run: Run, more: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', ...run }],
  ...more,
});

const subtle = { isSubtle: true, size: 'Small' };

const opens = (url: string) => ({ type: 'Action.OpenUrl', url });

const oneBody = ({ title, detail, blocks, sources, at }: Announcement): readonly object[] => [
  { ...line({ text: cut(title, titleMax), weight: 'Bolder' }) },
  line({ text: cut(detail, detailMax) }),
  ...(blocks === undefined ? [] : [line({ text: blocks, fontType: 'Monospace' })]),
  {
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: [...sources, at].join(' · '), ...subtle }],
  },
];

const entry = (text: string, link?: string): string =>
  JSON.stringify({
    type: 'Container',
    items: [line({ text })],
    ...(link !== undefined && { selectAction: opens(link) }),
  });

const listBody = ({ announcements, heading, words }: FormatInput): readonly object[] => {
  const entries = announcements.map(({ title, link }) => entry(cut(title, titleMax), link));
  const shown = fitting(entries, listBytesMax, count => entry(words.more(count)));
  return [
    line({ text: cut(heading, titleMax), weight: 'Bolder' }),
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
      fallbackText: cut(heading, titleMax),
      msteams: { width: 'Full' },
      body: isOne ? oneBody(one) : listBody(input),
      ...(isOne && one.link !== undefined && { actions: [{ ...opens(one.link), title: words.open }] }),
    };
    const contentType = 'application/vnd.microsoft.card.adaptive';
    const attachments = [{ contentType, contentUrl: null, content }];
    return { body: JSON.stringify({ type: 'message', attachments }) };
  },
};
