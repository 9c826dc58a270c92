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

/** Pattern of a text in one line that misleads no reader: a name. */
export const linePattern = `^[^${controls}${lineEnds}${others}]*$`;
/** One character of such a text, for a longer pattern. */
export const lineCharacter = `[^${controls}${lineEnds}${others}]`;
/** Pattern of a text that may have several lines: a comment. */
export const linesPattern = `^[^${controls}${others}]*$`;

const misleading = new RegExp(`[${controls}${lineEnds}${others}]`, 'gu');
const misleadingInJson = new RegExp(`[${others}]`, 'gu');

/** A text in one line; a space for each character that misleads readers. */
export const inOneLine = (text: string): string => text.replaceAll(misleading, ' ');

/**
 * JSON for readers, with U+FFFD for each character that misleads them: names of older events may have some. Controls
 * of ASCII stay as JSON escapes them.
 */
export const harmlessJson = (json: string): string => json.replaceAll(misleadingInJson, '\ufffd');
