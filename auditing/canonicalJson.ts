/** The value has no canonical JSON and cannot be hashed. */
export class NotCanonical extends Error {
  readonly name = 'NotCanonical';
}

/** Half of a surrogate pair, which UTF-8 cannot encode (RFC 8785 §3.2.2.2, RFC 7493 §2.1). */
const loneSurrogate = /\p{Surrogate}/u;

const textOf = (text: string): string => {
  if (loneSurrogate.test(text)) throw new NotCanonical('a text with half a surrogate pair');
  return JSON.stringify(text);
};

const objectText = (value: Readonly<Record<string, unknown>>): string => {
  let fields = '';
  // The default order of sort is that of UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const field = value[name];
    if (field !== undefined) fields += `${fields && ','}${textOf(name)}:${orderedText(field)}`;
  }
  return `{${fields}}`;
};

/** Whether JSON.stringify writes a value as canonical JSON, but for halves of surrogate pairs. */
const isInOrder = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? Number.isFinite(value) : isPlain(value);
  if (Array.isArray(value)) return value.every(isInOrder);
  if ('toJSON' in value) return false;
  let before: string | undefined;
  for (const name of Object.keys(value)) {
    if (before !== undefined && name < before) return false;
    before = name;
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field !== undefined && !isInOrder(field)) return false;
  }
  return true;
};

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || value === null;

/** Start of the escape sequence that JSON.stringify writes for half a surrogate pair. */
const surrogateEscape = '\\ud';

/**
 * Canonical JSON of a value (RFC 8785, JCS): no spaces, names ordered by UTF-16 code units, numbers and strings as in
 * ECMAScript. Undefined fields are omitted, as by JSON.stringify.
 * @throws NotCanonical for half a surrogate pair, a number that is not finite, or a value that JSON does not have
 */
export const canonicalJson = (value: unknown): string => {
  // Values that were read from canonical JSON are in order; JSON.stringify is several times faster than our own code.
  if (isInOrder(value)) {
    const text = JSON.stringify(value);
    if (!text.includes(surrogateEscape)) return text;
  }
  return orderedText(value);
};

const orderedText = (value: unknown): string => {
  switch (typeof value) {
    case 'string':
      return textOf(value);
    case 'number':
      if (!Number.isFinite(value)) throw new NotCanonical(`the number ${value}`);
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value))
        // Arrays of numbers, the largest part of most events, are written faster as a whole.
        return value.every(Number.isFinite) ? JSON.stringify(value) : `[${value.map(orderedText).join(',')}]`;
      return objectText(value as Readonly<Record<string, unknown>>);
    default:
      throw new NotCanonical(`a value of type ${typeof value}`);
  }
};
