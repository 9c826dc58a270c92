// The index of the search: the sections of all pages as plain text.
import { Marked } from 'marked';

/** Longer blocks of code, such as examples of events, are left out: the text before them says what they show. */
const codeMax = 500;

/** Plain text of a token of Markdown and what is in it. */
const textOf = token => {
  if (token.type === 'table')
    return [token.header, ...token.rows].map(cells => cells.map(cell => textOf(cell)).join(' ')).join(' ');
  if (token.type === 'list') return token.items.map(textOf).join(' ');
  if (token.tokens) return token.tokens.map(textOf).join('');
  const isLeftOut = token.type === 'html' || (token.type === 'code' && token.text.length > codeMax);
  return isLeftOut ? '' : (token.text ?? '');
};

const plain = text => text.replaceAll(/\s+/g, ' ').trim();

/**
 * Sections of a page: its text under each heading, with the address of the heading.
 * @param anchors names of the headings in order, as the page has them
 */
export const sectionsOf = (markdown, { address, anchors, isRecord }) => {
  const sections = [];
  let title = address;
  for (const token of new Marked({ gfm: true }).lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = plain(textOf(token));
      if (sections.length === 0) title = heading;
      const anchor = anchors[sections.length];
      const isFirst = sections.length === 0;
      sections.push({
        title,
        heading,
        address: isFirst ? address : `${address}#${anchor}`,
        text: [],
        isRecord,
      });
    } else if (token.type !== 'space') sections.at(-1)?.text.push(textOf(token));
  }
  return sections.map(section => ({ ...section, text: plain(section.text.join(' ')) }));
};
