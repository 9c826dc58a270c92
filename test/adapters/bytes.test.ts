import fc from '../helpers/property.js';
import t from 'tap';
import { readDecimal } from '../../adapters/bytes.js';

const comma = ','.charCodeAt(0);

/** Decimal read at an index of a text with a decimal comma. */
const read = (text: string, from = 0) => {
  const bytes = Buffer.from(text);
  const into = { value: 0, end: -1 };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return readDecimal(bytes, view, from, comma, into) ? into : undefined;
};
/** The same decimal, parsed by `Number`. */
const expected = (text: string): number => Number(text.replace(',', '.'));

const digits = (minLength: number, maxLength: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${minLength},${maxLength}}$`));
const after = fc.constantFrom('', ' ', ']', ',', '"\n', ':', '/', 'e5', '-1', '\u00a0');
/** Doubles below 10^13 as text without an exponent. */
const printed = fc
  .tuple(fc.double({ min: 1, max: 10, maxExcluded: true, noNaN: true }), fc.integer({ min: -4, max: 11 }))
  .map(([number, power]) => String(number * 10 ** power).replace('.', ','))
  .filter(text => !text.includes('e'));
const any = fc.tuple(digits(1, 24), fc.option(digits(1, 30))).map(parts => parts.filter(Boolean).join(','));

t.test('decimal: the result is the nearest double, or undefined', async t => {
  let readCount = 0;
  let unreadCount = 0;
  fc.assert(
    fc.property(fc.oneof(printed, any), after, digits(0, 5), (text, rest, before) => {
      const got = read(`${before};${text}${rest}`, before.length + 1);
      if (Number.isNaN(got?.value)) unreadCount += 1;
      else readCount += 1;
      // A decimal mark must have a digit after it.
      if (rest === ',' && !text.includes(',')) return got === undefined;
      return (
        got?.end === before.length + 1 + text.length &&
        (Number.isNaN(got.value) || got.value === expected(text))
      );
    }),
    { seed: 11, numRuns: 20_000 },
  );
  t.ok(Math.min(readCount, unreadCount) > 1000, `${readCount} are read, ${unreadCount} are undefined`);
});

t.test('decimal: almost all printed doubles are read', async t => {
  let unreadCount = 0;
  fc.assert(
    fc.property(printed, text => {
      const { value = 0, end } = read(text) ?? {};
      if (Number.isNaN(value)) unreadCount += 1;
      return end === text.length && (Number.isNaN(value) || value === expected(text));
    }),
    { seed: 12, numRuns: 20_000 },
  );
  t.ok(unreadCount < 200, `${unreadCount} of 20,000 are undefined`);
});

/** Modular inverse: x < `modulus` with x · `value` ≡ 1. */
const inverse = (value: bigint, modulus: bigint): bigint => {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 0n) [a, b, x, y] = [b % a, a, y - (b / a) * x, x];
  return ((y % modulus) + modulus) % modulus;
};
/** Decimals with `decimals` fractional digits that are nearest to the middle between two doubles. */
const hardest = (decimals: number): string[] => {
  const divisor = 5n ** BigInt(decimals);
  const found: string[] = [];
  // n / 10^decimals differs from odd / 2^power by 1 / (2^power * 5^decimals).
  for (let power = 53n; power < 75n; power += 1n)
    for (const side of [1n, -1n]) {
      const root = inverse(2n ** (power - BigInt(decimals)), divisor);
      for (let n = side > 0n ? root : divisor - root; n < 10n ** 17n; n += divisor) {
        const middle = (n * 2n ** (power - BigInt(decimals)) - side) / divisor;
        if (n > 2n ** 53n && middle % 2n === 1n && middle > 2n ** 53n && middle < 2n ** 54n) {
          const text = String(n).padStart(decimals + 1, '0');
          found.push(`${text.slice(0, -decimals)},${text.slice(-decimals)}`);
        }
        if (found.length > 200) return found;
      }
    }
  return found;
};

t.test('decimal: values nearest to the middle between two doubles', async t => {
  for (let decimals = 16; decimals <= 22; decimals += 1) {
    const texts = hardest(decimals);
    t.ok(texts.length > 0, `${texts.length} with ${decimals} fractional digits`);
    const wrong = texts.filter(text => {
      const value = read(text)?.value;
      return value !== expected(text) && !Number.isNaN(value);
    });
    t.same(wrong, []);
  }
});

t.test('decimal: examples, and texts that are not read', async t => {
  for (const [text, value] of [
    ['0', 0],
    ['0,1', 0.1],
    ['0000,50', 0.5],
    ['0,30000000000000004', 0.1 + 0.2],
    ['9007199254740991', 9007199254740991],
    ['123456789012345,6', 123456789012345.6],
    ['0,0000000000000000000001', 1e-22],
    // Too many fractional digits, integer digits or digits; and the middle between two doubles.
    ['0,00000000000000000000001', NaN],
    ['12345678901234,567', NaN],
    ['000000000000000001', NaN],
    ['1,23456789012345678', NaN],
    ['0000000000,1234567890123456789012', NaN],
    ['9007199254740993', NaN],
  ] as const) {
    const got = read(text);
    t.equal(got?.end, text.length, text);
    t.ok(Object.is(got?.value, value), `${text} is ${got?.value}`);
    if (!Number.isNaN(value)) t.equal(value, expected(text));
  }
});

t.test('decimal: a text without digits is not read', async t => {
  for (const text of ['', ',5', '5,', '-1', 'x', '5,x', ' 5']) t.equal(read(text), undefined, text);
});
