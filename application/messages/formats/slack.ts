import type { Announcement } from './announcement.js';
import { cut, fitting, secretPathFault, type Format, type FormatInput, type Words } from './format.js';

/** Characters of a text of a block, below the limit of Slack (3,000), and of one line. */
const textMax = 2900;
const lineMax = 400;
/** Blocks of a digest, below the limit of Slack (50). */
const blocksMax = 40;

/** Text of Slack: these three characters begin links and mentions. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const linked = (link: string, text: string): string =>
  `<${escaped(link.replaceAll('|', '%7C'))}|${escaped(text)}>`;

/** An instant in the time zone of each reader. */
const instant = (at: string): string =>
  `<!date^${Math.floor(Date.parse(at) / 1000)}^{date_num} {time_secs}|${at}>`;

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', verbatim: true, text } });

const oneBlocks = (one: Announcement, words: Words): readonly object[] => {
  const { title, detail, blocks, sources, at, link } = one;
  const lines = [`*${escaped(cut(title, lineMax))}*`, escaped(cut(detail, 2 * lineMax))];
  const context = [
    ...sources.map(name => escaped(cut(name, lineMax))),
    instant(at),
    ...(link === undefined ? [] : [linked(link, words.open)]),
  ];
  return [
    section([...lines, ...(blocks === undefined ? [] : [`\`${blocks}\``])].join('\n')),
    { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: context.join(' · ') }] },
  ];
};

const lineOf = ({ title, link }: Announcement): string => {
  const text = cut(title, lineMax);
  return `• ${link === undefined ? escaped(text) : linked(link, text)}`;
};

/** Lines as sections of at most `textMax` characters. */
const listBlocks = ({ announcements, words }: FormatInput): readonly object[] => {
  const lines = announcements.map(lineOf);
  const sections: string[] = [];
  for (const line of fitting(lines, textMax * (blocksMax / 2), words.more, ({ length }) => length + 1)) {
    const last = sections.at(-1);
    if (last === undefined || last.length + line.length + 1 > textMax) sections.push(line);
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
    const text = escaped(cut(heading, lineMax));
    const isOne = announcements.length === 1;
    const blocks = isOne ? oneBlocks(announcements[0], words) : [section(`*${text}*`), ...listBlocks(input)];
    return { body: JSON.stringify({ text, blocks }) };
  },
};
