import { shown } from '../../application/requests/imports/faults.js';

/** A property of an iCalendar file: its name and parameters in upper case, and its physical line from 1. */
export type Property = {
  readonly line: number;
  readonly name: string;
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
};

/** A fault at a line of an iCalendar file. */
export class LineFault extends Error {
  readonly name = 'LineFault';
  readonly line: number;
  readonly code: string;

  constructor(line: number, code: string, message: string) {
    super(message);
    this.line = line;
    this.code = code;
  }
}

/** Longest line after unfolding, in characters. */
const lineLengthMax = 10_000;

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * The text of a file in UTF-8, with or without a byte-order mark.
 * @throws LineFault for other bytes
 */
export const utf8Text = (bytes: Uint8Array): string => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const readable = new TextDecoder('utf-8').decode(bytes);
    throw new LineFault(
      lineAt(readable, readable.indexOf('\ufffd')),
      'encoding',
      'got bytes that are not UTF-8, expected a text in UTF-8',
    );
  }
  const nul = text.indexOf('\0');
  if (nul >= 0)
    throw new LineFault(lineAt(text, nul), 'encoding', 'got the character NUL, expected a text in UTF-8');
  return text;
};

/** The property of an unfolded line. @throws LineFault */
const propertyOf = (text: string, line: number): Property => {
  const [head] =
    /^[A-Za-z0-9-]+(?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*:/.exec(text) ?? [];
  if (head === undefined)
    throw new LineFault(
      line,
      'lineSyntax',
      `got "${shown(text)}", expected a property NAME:VALUE, or a space before the continuation of a line`,
    );
  const [name = '', ...params] = head.slice(0, -1).match(/(?:"[^"]*"|[^;"])+/g) ?? [];
  return {
    line,
    name: name.toUpperCase(),
    params: new Map(
      params.map(param => {
        const at = param.indexOf('=');
        return [param.slice(0, at).toUpperCase(), param.slice(at + 1).replaceAll('"', '')];
      }),
    ),
    value: text.slice(head.length),
  };
};

/** Properties of a file in their order; folded lines (RFC 5545 §3.1) are one. @throws LineFault */
export function* properties(text: string): Generator<Property> {
  let unfolded = '';
  let begin = 1;
  let line = 0;
  const physical = /[^\n]*(?:\n|$)/gy;
  for (;;) {
    const [raw = ''] = physical.exec(text) ?? [];
    line += 1;
    const content = raw.replace(/\r?\n$/, '').replace(/\r$/, '');
    if (raw !== '' && /^[ \t]/.test(content) && unfolded !== '') {
      unfolded += content.slice(1);
      if (unfolded.length > lineLengthMax)
        throw new LineFault(
          begin,
          'lineLength',
          `got a line of more than ${lineLengthMax} characters, expected fewer`,
        );
      continue;
    }
    if (unfolded.trim() !== '') yield propertyOf(unfolded, begin);
    if (raw === '') return;
    unfolded = content;
    begin = line;
  }
}
