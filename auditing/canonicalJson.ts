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
    const of = value[name];
    if (of !== undefined) fields += `${fields && ','}${textOf(name)}:${canonicalJson(of)}`;
  }
  return `{${fields}}`;
};

/**
 * Canonical JSON of a value (RFC 8785, JCS): no spaces, names ordered by UTF-16 code units, numbers and strings as in
 * ECMAScript. Undefined fields are omitted, as by JSON.stringify.
 * @throws NotCanonical for half a surrogate pair, a number that is not finite, or a value that JSON does not have
 */
export const canonicalJson = (value: unknown): string => {
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
        return value.every(Number.isFinite)
          ? JSON.stringify(value)
          : `[${value.map(canonicalJson).join(',')}]`;
      return objectText(value as Readonly<Record<string, unknown>>);
    default:
      throw new NotCanonical(`a value of type ${typeof value}`);
  }
};
