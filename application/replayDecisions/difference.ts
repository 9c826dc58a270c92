import { canonicalJson } from '../../auditing/canonicalJson.js';

const shownMax = 60;
const shownOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = canonicalJson(value);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
};

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * First difference of two JSON values in canonical form, with its JSON Pointer (RFC 6901); `undefined` when they are
 * equal.
 */
export const differenceOf = (expected: unknown, got: unknown, pointer = ''): string | undefined => {
  if (isBranch(expected) && isBranch(got) && Array.isArray(expected) === Array.isArray(got)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
    for (const name of names) {
      const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const difference = differenceOf(expected[name], got[name], place);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  const should = shownOf(expected);
  const is = shownOf(got);
  return should === is && canonical(expected) === canonical(got)
    ? undefined
    : `at ${pointer === '' ? 'its root' : pointer} got ${is}, expected ${should}`;
};

const canonical = (value: unknown): string | undefined =>
  value === undefined ? undefined : canonicalJson(value);
