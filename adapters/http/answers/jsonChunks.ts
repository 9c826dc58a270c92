/** Smallest length of a chunk, except the last one, in characters. */
const chunkLengthMin = 65_536;

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof (value as { toJSON?: unknown }).toJSON !== 'function';

/** A list whose elements are made when they are written. */
const isAsyncList = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** The JSON of a value in parts. Elements of lists and fields of objects are whole, to a depth. */
function* partsOf(value: unknown, depth: number): Generator<string | AsyncIterable<unknown>> {
  if (isAsyncList(value)) {
    yield '[';
    yield value;
    yield ']';
    return;
  }
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
 * two, so no string is split. Async iterables to that depth are lists.
 */
export async function* jsonChunks(value: unknown): AsyncGenerator<string> {
  let chunk = '';
  for (const part of partsOf(value, 2)) {
    if (typeof part === 'string') chunk += part;
    else {
      let before = '';
      for await (const element of part) {
        chunk += `${before}${JSON.stringify(element) ?? 'null'}`;
        before = ',';
        if (chunk.length < chunkLengthMin) continue;
        yield chunk;
        chunk = '';
      }
    }
    if (chunk.length < chunkLengthMin) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
