// Characters that steer a display: control characters, separators of lines and paragraphs, and those that turn the
// direction of the text after them (U+202A to U+202E, U+2066 to U+2069). Marks such as U+200F only order themselves.

/** Control characters of ASCII but tab, line feed and carriage return, for a class of a regular expression. */
const controls = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f';
const lineEnds = '\\u0009\\u000a\\u000d';
/** The others: JSON writes them as they are. */
const others = '\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069';

/** Pattern of a text in one line that steers no display: a name. */
export const linePattern = `^[^${controls}${lineEnds}${others}]*$`;
/** One character of such a text, for a longer pattern. */
export const lineCharacter = `[^${controls}${lineEnds}${others}]`;
/** Pattern of a text that may have several lines: a comment. */
export const linesPattern = `^[^${controls}${others}]*$`;

const steering = new RegExp(`[${controls}${lineEnds}${others}]`, 'g');
const steeringInJson = new RegExp(`[${others}]`, 'g');

/** A text in one line; a space for each character that steers a display. */
export const inOneLine = (text: string): string => text.replaceAll(steering, ' ');

/**
 * JSON for readers, with U+FFFD for each character that steers a display: names of older events may have some. Controls
 * of ASCII stay as JSON escapes them.
 */
export const harmlessJson = (json: string): string => json.replaceAll(steeringInJson, '\ufffd');
