/** Longest line, in characters. */
export const lineLengthMax = 65_536;

/** A line of a body; `number` is that of its first line of text, from 1. */
export type RawLine = {
  readonly number: number;
  readonly text: string;
  /** Whether the line is longer than `lineLengthMax`: its end is missing then. */
  readonly isCut: boolean;
};

/** Codes of the characters that the protocol gives a meaning. */
const newline = 10;
const carriageReturn = 13;
const space = 32;
const quote = 34;
const hash = 35;
const equals = 61;
const backslash = 92;

/** Cuts text that comes in chunks into lines. */
export type LineSplitter = {
  /** Lines that end in a chunk. The text of a line is at most `lineLengthMax` characters long. */
  readonly push: (chunk: string) => readonly RawLine[];
  /** The line without a line break at the end of the body; undefined for none. */
  readonly last: () => RawLine | undefined;
};

/** Where a reader is in a line; `cut` is the rest of a line that is too long. */
type State = 'start' | 'comment' | 'key' | 'fields' | 'text' | 'cut';

/** A character and the two before it. */
type Seen = { readonly code: number; readonly before: number; readonly beforeThat: number };

/** The state after a character that does not end its line. */
const stateAfter = (state: State, { code, before, beforeThat }: Seen): State => {
  switch (state) {
    case 'start':
      if (code === space || code === carriageReturn) return state;
      return code === hash ? 'comment' : 'key';
    case 'key':
      return code === space && before !== backslash ? 'fields' : state;
    case 'fields':
      return code === quote && before === equals && beforeThat !== backslash ? 'text' : state;
    case 'text':
      return code === quote ? 'fields' : state;
    case 'comment':
    case 'cut':
      return state;
  }
};

/**
 * A splitter at the beginning of a body. A line break in the text of a field, which begins with a quote after an equals
 * sign, does not end its line.
 */
export const lineSplitter = (): LineSplitter => {
  let state: State = 'start';
  let begun = '';
  let before = newline;
  let beforeThat = newline;
  let isEscaped = false;
  let number = 1;
  let breaks = 0;

  const ended = (text: string): RawLine => {
    const isCut = text.length > lineLengthMax;
    const line = { number, text: isCut ? text.slice(0, lineLengthMax) : text, isCut };
    number += breaks + 1;
    breaks = 0;
    state = 'start';
    isEscaped = false;
    begun = '';
    return line;
  };

  /** Notes a character that does not end the line. */
  const note = (code: number): void => {
    // Only in a text does a backslash escape another one.
    if (state !== 'text') state = stateAfter(state, { code, before, beforeThat });
    else if (isEscaped) isEscaped = false;
    else if (code === backslash) isEscaped = true;
    else state = stateAfter(state, { code, before, beforeThat });
    beforeThat = before;
    before = code;
  };

  return {
    push: chunk => {
      const lines: RawLine[] = [];
      let from = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const code = chunk.charCodeAt(at);
        if (code === newline && state !== 'text') {
          lines.push(ended(begun + chunk.slice(from, at)));
          from = at + 1;
          continue;
        }
        if (code === newline) breaks += 1;
        note(code);
        if (state === 'text' && begun.length + at - from >= lineLengthMax) state = 'cut';
      }
      if (begun.length <= lineLengthMax) begun += chunk.slice(from, from + lineLengthMax + 1);
      return lines;
    },
    last: () => (begun === '' ? undefined : ended(begun)),
  };
};
