import { Readable } from 'node:stream';
import { TooLarge } from '../application/requests/imports/faults.js';
import { eventLoopYielder } from '../application/ports/sharing/turns.js';

/** Bytes of a chunk. */
const chunkBytes = 65_536;

/**
 * A body in chunks of at most 64 KiB, read with backpressure. A stream is not destroyed when reading stops early:
 * the refusal is sent on the same connection, which the HTTP layer closes.
 * @throws TooLarge  when more than `bytesMax` bytes have arrived, independent of Content-Length
 * @throws Error     of the stream, also when it ends too early
 */
export async function* chunksOf(body: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer, void> {
  const chunks: AsyncIterable<Buffer> =
    body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body;
  const yieldToEventLoop = eventLoopYielder();
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new TooLarge(bytesMax);
    for (let from = 0; from < chunk.length; from += chunkBytes) {
      yield chunk.subarray(from, from + chunkBytes);
      await yieldToEventLoop();
    }
  }
}

/** Powers of ten that a double represents exactly. */
export const powersOfTen: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
/** Most digits before the decimal mark. */
const wholeDigitsMax = 17;
/** Longest decimal: after the mark it has one digit less than there are powers. */
export const decimalBytesMax = wholeDigitsMax + powersOfTen.length;

/** Integers up to this are exact doubles, and the quotient of two is the nearest double (Clinger 1990). */
const exactMax = 2 ** 53;
/** Integers with so many digits are below `exactMax`. */
export const exactDigits = 15;
/** Most digits of the two parts of a longer integer. The first part times 10^15 is exact. */
const highDigitsMax = 13;
const lowDigitsMax = 15;
/** Up to this value both parts are exact: 10^13 × 5^4 is less than 2^53. */
const twoPartsMax = 1e17;
/** Splits the 53 bits of a double into halves (Veltkamp 1968). */
const splitter = 2 ** 27 + 1;
/** Upper bound of the relative error of the second part of a quotient. */
const errorBound = 2 ** -50;

/** The rounding error `a * b - product` of a product, exactly (Dekker 1971). No overflow occurs here. */
const lostOf = (a: number, b: number, product: number): number => {
  const aHigh = a * splitter - (a * splitter - a);
  const bHigh = b * splitter - (b * splitter - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
};

/**
 * The double nearest to `(high + low) / divisor`: a quotient in two parts whose rounding is tested (Ziv 1991).
 * @param high  0 or more than `low`
 * @returns     NaN when two parts do not show which of two doubles is nearer
 */
const nearestQuotient = (high: number, low: number, divisor: number): number => {
  const first = (high + low) / divisor;
  const product = first * divisor;
  const second = (high - product + low - lostOf(first, divisor, product)) / divisor;
  const nearest = first + second * (1 - errorBound);
  return nearest === first + second * (1 + errorBound) ? nearest : NaN;
};

const zero = 0x30;
/** The digit of a byte; above 9 for other bytes. */
export const digitOf = (byte: number | undefined): number => ((byte ?? 0) - zero) >>> 0;

const fourZeros = 0x30303030;
/** Whether each of four bytes is below 10. */
const areDigits = (four: number): boolean => (((four + 0x76767676) | four) & 0x80808080) === 0;
/** The number of four digits, one a byte, the lowest byte first. */
const numberOf = (four: number): number => {
  const pairs = four * 10 + (four >>> 8);
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
};

/** The result of `readDecimal`. */
export type Decimal = {
  /** The nearest double; NaN when the text must be read in another way. */
  value: number;
  /** Index after its last byte. */
  end: number;
};

/**
 * Reads a decimal without sign or exponent, `digits [mark digits]`, from its bytes. The value is known for all decimals
 * of up to 15 digits and for printed doubles below 10^13; it is NaN for others, and in the middle of two doubles.
 * One function, because it runs once per value of a large file.
 * @param view of the same bytes
 * @param into receives the decimal
 * @returns    `false` when there is no decimal at `from`
 */
export const readDecimal = (
  bytes: Buffer,
  view: DataView,
  from: number,
  mark: number,
  into: Decimal,
): boolean => {
  let at = from;
  let high = 0;
  let digit = digitOf(bytes[at]);
  for (; digit <= 9; digit = digitOf(bytes[++at])) high = high * 10 + digit;
  const wholeDigits = at - from;
  if (wholeDigits === 0) return false;
  let highDigits = wholeDigits;
  let low = 0;
  let lowDigits = 0;
  let decimals = 0;
  if (bytes[at] === mark) {
    const point = ++at;
    for (; at + 4 <= bytes.length; at += 4) {
      const four = view.getInt32(at, true) ^ fourZeros;
      if (!areDigits(four)) break;
      if (highDigits + 4 <= highDigitsMax) {
        high = high * 10_000 + numberOf(four);
        highDigits += 4;
      } else {
        low = low * 10_000 + numberOf(four);
        lowDigits += 4;
      }
    }
    digit = digitOf(bytes[at]);
    for (; digit <= 9; digit = digitOf(bytes[++at])) {
      low = low * 10 + digit;
      lowDigits += 1;
    }
    decimals = at - point;
    if (decimals === 0) return false;
  }
  into.end = at;
  const wide = high * (powersOfTen[lowDigits] ?? NaN);
  const divisor = powersOfTen[decimals] ?? NaN;
  if (wholeDigits > wholeDigitsMax) into.value = NaN;
  else if (wide + low < exactMax) into.value = (wide + low) / divisor;
  else if (highDigits <= highDigitsMax && lowDigits <= lowDigitsMax && wide < twoPartsMax)
    into.value = nearestQuotient(wide, low, divisor);
  else into.value = NaN;
  return true;
};
