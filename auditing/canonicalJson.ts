/** A value that has no canonical JSON: what is hashed must be the same text everywhere. */
export class NotCanonical extends Error {
  readonly name = 'NotCanonical';
}

/** Half of a surrogate pair: no UTF-8 says it (RFC 8785 §3.2.2.2, RFC 7493 §2.1). */
const loneSurrogate = /\p{Surrogate}/u;

const textOf = (text: string): string => {
  if (loneSurrogate.test(text)) throw new NotCanonical('a text with half a surrogate pair');
  return JSON.stringify(text);
};

const objectText = (value: Readonly<Record<string, unknown>>): string => {
  let fields = '';
  // Sorted by code units, if nothing else is said.
  for (const name of Object.keys(value).sort()) {
    const of = value[name];
    if (of !== undefined) fields += `${fields && ','}${textOf(name)}:${canonicalJson(of)}`;
  }
  return `{${fields}}`;
};

/**
 * A value in the one form that JSON has for it by RFC 8785 (JCS): no spaces, names in the order of their UTF-16
 * code units, numbers and texts as ECMAScript writes them. Fields that are undefined are left out, as by JSON.stringify.
 * @throws NotCanonical for half a surrogate pair, a number that is not finite, and what JSON does not know
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
        // Most of what is hashed are curves, and those are written faster at once.
        return value.every(Number.isFinite)
          ? JSON.stringify(value)
          : `[${value.map(canonicalJson).join(',')}]`;
      return objectText(value as Readonly<Record<string, unknown>>);
    default:
      throw new NotCanonical(`a value of type ${typeof value}`);
  }
};
