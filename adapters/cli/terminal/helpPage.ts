/** Columns of a help page, as many as a usual terminal has. */
const width = 80;
/** Narrowest column for the meaning of an option; below it the meaning begins on a line of its own. */
const meaningMin = 44;
/** Indentation of a meaning on a line of its own. */
const meaningIndent = 6;
/** Indentation of further lines of a usage. */
const usageIndent = 15;

/** A part of a page: its first line begins with `head`, further lines with `indent` spaces. */
type Block = { readonly head: string; readonly indent: number; readonly text: string[] };

/** Beginning of the second form of a usage. */
const usageStart = '       daybook ';
const usageLine = /^(usage: daybook \S+|usage: daybook| {7}daybook \S+) ?(.*)$/;
const optionLine = /^( {2}\S.*?)(?: {2,}(\S.*))?$/;

/** The words of a text; `[--option <value>]` and `<two words>` are one. */
const wordsOf = (text: string): string[] =>
  text.match(/\[[^\]]*\]\S*|<[^>]*>\S*|"[^" ]* [^" ]*"\S*|\S+/g) ?? [];

/** Fills lines of at most `width` columns with words, after a first line; a longer word has a line of its own. */
const filled = (first: string, words: readonly string[], indent: number): string[] => {
  const lines = [first];
  for (const word of words) {
    const last = lines[lines.length - 1] ?? '';
    const joined = last === '' || last.endsWith(' ') ? `${last}${word}` : `${last} ${word}`;
    if (joined.length <= width || last.trim() === '') lines[lines.length - 1] = joined;
    else lines.push(`${' '.repeat(indent)}${word}`);
  }
  return lines;
};

/** The lines of a block. A head without a column for the text has lines of its own. */
const linesOf = ({ head, indent, text }: Block): string[] => {
  const words = text.flatMap(wordsOf);
  if (head === '' || head.startsWith('usage') || head.endsWith(' ') || head.startsWith(usageStart))
    return filled(head, words, indent);
  const own = filled('  ', wordsOf(head), indent);
  return words.length === 0 ? own : [...own, ...filled(' '.repeat(indent), words, indent)];
};

/** The block that a line begins; undefined for a line that continues the block before it. */
const begun = (line: string, before: Block | undefined): Block | undefined => {
  const [, command, rest = ''] = usageLine.exec(line) ?? [];
  if (command !== undefined) return { head: command, indent: usageIndent, text: [rest] };
  if (!line.startsWith(' ')) return before?.head === '' ? undefined : { head: '', indent: 0, text: [line] };
  const [, name, meaning] = optionLine.exec(line) ?? [];
  if (name === undefined) return undefined;
  const column = line.length - (meaning?.length ?? 0);
  if (meaning !== undefined && width - column >= meaningMin)
    return { head: line.slice(0, column), indent: column, text: [meaning] };
  return { head: name, indent: meaningIndent, text: meaning === undefined ? [] : [meaning] };
};

/**
 * Text of `--help` in lines of at most 80 columns. Paragraphs are filled again; options keep the column of their
 * meaning.
 * @param text paragraphs between empty lines; a line that begins with two spaces is an option and its meaning
 */
export const helpPage = (text: string): string => {
  const lines: string[] = [];
  for (const paragraph of text.trimEnd().split('\n\n')) {
    const blocks: Block[] = [];
    for (const line of paragraph.split('\n')) {
      const block = begun(line, blocks.at(-1));
      if (block) blocks.push(block);
      else blocks.at(-1)?.text.push(line);
    }
    lines.push(...blocks.flatMap(linesOf), '');
  }
  return lines.join('\n');
};
