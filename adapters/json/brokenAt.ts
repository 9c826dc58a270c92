/** What may come next: a value; a value or the end of an array; a key; a key or the end of an object; … */
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing';

const spaces = /[ \t\n\r]*/y;
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Index after what `pattern` (sticky) finds at `index`; `index` itself when it finds nothing. */
const after = (pattern: RegExp, text: string, index: number): number => {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
};

/**
 * Where a text stops being JSON (RFC 8259): JSON.parse, which is fast, does not always say.
 * @returns  index of the first token that cannot stand there, the text's length when it ends too early, or
 *           `undefined` when it is JSON
 */
export const brokenAt = (text: string): number | undefined => {
  const closers: string[] = [];
  let expected: Expected = 'value';
  for (let index = after(spaces, text, 0); index < text.length; index = after(spaces, text, index)) {
    const character = text[index] ?? '';
    const closes = character === closers.at(-1);
    const afterValue = (): Expected => (closers.length === 0 ? 'nothing' : 'commaOrEnd');
    if (expected === 'colon') {
      if (character !== ':') return index;
      expected = 'value';
      index += 1;
    } else if (
      closes &&
      (expected === 'commaOrEnd' || expected === 'valueOrEnd' || expected === 'keyOrEnd')
    ) {
      closers.pop();
      expected = afterValue();
      index += 1;
    } else if (expected === 'commaOrEnd') {
      if (character !== ',') return index;
      expected = closers.at(-1) === '}' ? 'key' : 'value';
      index += 1;
    } else if (expected === 'nothing') return index;
    else {
      const isKey: boolean = expected === 'key' || expected === 'keyOrEnd';
      if (!isKey && (character === '{' || character === '[')) {
        closers.push(character === '{' ? '}' : ']');
        expected = character === '{' ? 'keyOrEnd' : 'valueOrEnd';
        index += 1;
      } else {
        const end = isKey && character !== '"' ? index : after(scalar, text, index);
        if (end === index) return index;
        expected = isKey ? 'colon' : afterValue();
        index = end;
      }
    }
  }
  return expected === 'nothing' ? undefined : text.length;
};
