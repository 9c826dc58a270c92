/** Smallest length of a chunk, except the last one, in characters. */
const chunkLengthMin = 65_536;

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof (value as { toJSON?: unknown }).toJSON !== 'function';

/** The JSON of a value in parts. Elements of lists and fields of objects are whole, to a depth. */
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
 * The text of `JSON.stringify(value)` in chunks of about 64 KiB. A chunk ends between elements of lists, to a depth of
 * two, so no string is split.
 */
export function* jsonChunks(value: unknown): Generator<string> {
  let chunk = '';
  for (const part of partsOf(value, 2)) {
    chunk += part;
    if (chunk.length < chunkLengthMin) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
