// Characters that mislead readers: controls, separators of lines and paragraphs, and invisible ones. With those, names
// that differ look the same, or a text turns its direction. RFC 8264 (9.13) refuses them in names, too.

/** Control characters of ASCII but tab, line feed and carriage return, for a class of a regular expression. */
const controls = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f';
const lineEnds = '\\u0009\\u000a\\u000d';
/**
 * Other ones, which JSON writes as they are: Default_Ignorable_Code_Point of Unicode and marks of annotations, but no
 * joiners (U+200C, U+200D) and no variation selectors, which emoji and some languages need.
 */
const others =
  '\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb' +
  // Characters and no escapes, since programs disagree on how to escape these in a pattern.
  '\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}';

/** Pattern of a text in one line that misleads no reader, with more than spaces: a name that people find in a list. */
export const namePattern = `^(?=.*\\S)[^${controls}${lineEnds}${others}]*$`;
/** One character of such a text, for a longer pattern. */
export const lineCharacter = `[^${controls}${lineEnds}${others}]`;
/** Pattern of a text that may have several lines: a comment. */
export const linesPattern = `^[^${controls}${others}]*$`;
/** Longest comment or reason, in characters. */
export const textLengthMax = 2000;

const misleading = new RegExp(`[${controls}${lineEnds}${others}]`, 'gu');
const misleadingInJson = new RegExp(`[${others}]`, 'gu');

/** A text for a message: invisible characters by their number, such as `<U+202E>`. */
export const visible = (text: string): string =>
  text.replaceAll(misleadingInJson, character => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });

/** A text in one line; a space for each character that misleads readers. */
export const inOneLine = (text: string): string => text.replaceAll(misleading, ' ');

/**
 * JSON for readers, with U+FFFD for each character that misleads them: names of older events may have some. Controls
 * of ASCII stay as JSON escapes them.
 */
export const harmlessJson = (json: string): string => json.replaceAll(misleadingInJson, '\ufffd');

/** A share (0–1) as a percentage with a space before its sign: `97.3 %`. */
export const percent = (share: number, decimals = 0): string => `${(100 * share).toFixed(decimals)} %`;

/** Text for a page: a percent sign stays on the line of its number. */
export const unbroken = (text: string): string => text.replaceAll(/(\d) %/g, '$1\u00a0%');

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Text escaped for HTML and its attributes, with unbroken percentages. */
export const escapedHtml = (text: string): string =>
  unbroken(text).replaceAll(/[&<>"']/g, character => htmlEscapes[character] ?? '');

/** A whole number with commas: `52,704`. */
export const counted = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** A count and its noun: `1 day`, `2,000 days`. */
export const plural = (count: number, noun: string): string =>
  `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;

/**
 * Optimal string alignment distance: insertions, deletions, replacements of characters and exchanges of neighbours
 * that turn one text into the other.
 */
export const distance = (a: string, b: string): number => {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isExchange = j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const exchanged = isExchange ? (before[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, replaced, exchanged));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
};

/** Longest text that is compared: the time grows with the product of both lengths. */
const comparedMax = 100;
/** Shortest text that is compared: a shorter one resembles every name. */
const comparedMin = 3;
/** Maximum names that are compared. */
const comparedNamesMax = 300;
/** Maximum names in a list. */
const listedMax = 20;

/**
 * The name that is most like a text, letter case aside; undefined when more than a third of it differs, or when more
 * than `comparedNamesMax` names have about its length.
 */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const got = text.slice(0, comparedMax).toLowerCase();
  if (got.length < comparedMin) return undefined;
  const farMax = Math.max(1, Math.floor(got.length / 3));
  // Names of other lengths differ by more, and too many names would stop other requests.
  const likely = names.filter(name => Math.abs(Math.min(name.length, comparedMax) - got.length) <= farMax);
  if (likely.length > comparedNamesMax) return undefined;
  const [best] = likely
    .map(name => ({ name, far: distance(got, name.slice(0, comparedMax).toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  return best && best.far <= farMax ? best.name : undefined;
};

/** Expected names instead of an unknown one: the nearest one as a question, or all known ones. */
export const expectedNames = (text: string, names: readonly string[], noun: string): string => {
  const near = nearest(text, names);
  if (near !== undefined) return `expected ${noun}, perhaps ${near}`;
  if (names.length === 0) return `expected ${noun}: there is none`;
  const more = names.length > listedMax ? `, and ${names.length - listedMax} more` : '';
  return `expected ${noun}: ${names.slice(0, listedMax).join(', ')}${more}`;
};
