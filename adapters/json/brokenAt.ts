/** The tokens that may come next. `valueOrEnd` and `keyOrEnd` are after an opening bracket. */
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing';

const spaces = /[ \t\n\r]*/y;
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Index after the match of a sticky pattern at `index`; `index` itself without a match. */
const after = (pattern: RegExp, text: string, index: number): number => {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
};

/**
 * Finds the first error of a text that is not JSON (RFC 8259). JSON.parse is faster but does not always report it.
 * @returns index of the first wrong token, the length of the text when it ends too early, `undefined` for JSON
 */
export const brokenAt = (text: string): number | undefined => {
  const closers: string[] = [];
  let expected: Expected = 'value';
  const afterValue = (): Expected => (closers.length === 0 ? 'nothing' : 'commaOrEnd');

  /** Takes a value or a key at `index`. Returns the index after it; `index` when it is wrong. */
  const takeValue = (character: string, index: number): number => {
    const isKey = expected === 'key' || expected === 'keyOrEnd';
    if (!isKey && (character === '{' || character === '[')) {
      closers.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'keyOrEnd' : 'valueOrEnd';
      return index + 1;
    }
    const end = isKey && character !== '"' ? index : after(scalar, text, index);
    if (end > index) expected = isKey ? 'colon' : afterValue();
    return end;
  };

  /** Takes the token at `index`. Returns the index after it; `index` when it is wrong. */
  const take = (character: string, index: number): number => {
    switch (expected) {
      case 'nothing':
        return index;
      case 'colon':
        if (character !== ':') return index;
        expected = 'value';
        return index + 1;
      case 'commaOrEnd':
      case 'valueOrEnd':
      case 'keyOrEnd':
        if (character === closers.at(-1)) {
          closers.pop();
          expected = afterValue();
          return index + 1;
        }
        if (expected !== 'commaOrEnd') return takeValue(character, index);
        if (character !== ',') return index;
        expected = closers.at(-1) === '}' ? 'key' : 'value';
        return index + 1;
      case 'value':
      case 'key':
        return takeValue(character, index);
    }
  };

  for (let index = after(spaces, text, 0); index < text.length; index = after(spaces, text, index)) {
    const end = take(text[index] ?? '', index);
    if (end === index) return index;
    index = end;
  }
  return (expected as Expected) === 'nothing' ? undefined : text.length;
};
