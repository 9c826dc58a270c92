/** Characters of a piece at least, but for the last. */
const pieceLength = 65_536;

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof (value as { toJSON?: unknown }).toJSON !== 'function';

/** Texts which together are the JSON of a list's or an object's fields, each whole. */
function* partsOf(value: unknown, depth: number): Generator<string> {
  if (depth > 0 && Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries())
      yield `${index === 0 ? '' : ','}${JSON.stringify(element) ?? 'null'}`;
    yield ']';
  } else if (depth > 0 && isPlain(value)) {
    let before = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* partsOf(field, depth - 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value) ?? 'null';
}

/**
 * The text that `JSON.stringify` makes of an answer, in pieces of some 64 KiB that end between the elements of its
 * lists: no text is in two of them. Lists are looked for two levels deep.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const part of partsOf(value, 2)) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
