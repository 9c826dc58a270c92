/**
 * Logarithm and exponential with the same bits on every machine: they use + − × ÷ and the bits of a number only.
 * ECMAScript leaves the last bit of Math.log and Math.exp to the implementation; that bit can change a planned model.
 */
const bits = new DataView(new ArrayBuffer(8));

const ln2High = 6.9314718036912381649e-1;
const ln2Low = 1.90821492927058770002e-10;

/** 2 to the power of an integer, −1022 to 1023. */
const powerOfTwo = (exponent: number): number => {
  bits.setUint32(0, (exponent + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
};

/** 1/23, 1/21, … 1/3: coefficients of the series of artanh, from the last to the first. */
const oddReciprocals = Float64Array.of(23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3).map(n => 1 / n);

/**
 * Natural logarithm, accurate to a few units in the last place.
 * Method: x = 2^k·m with m near 1, and ln m = 2·artanh((m − 1)/(m + 1)) by its series.
 * @param x a normal number > 0, that is at least 2.3e-308
 */
export const ln = (x: number): number => {
  bits.setFloat64(0, x);
  const high = bits.getUint32(0);
  let k = (high >>> 20) - 1023;
  bits.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = bits.getFloat64(0);
  if (m > 1.4142135623730951) {
    m /= 2;
    k += 1;
  }
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let series = 0;
  for (let at = 0; at < oddReciprocals.length; at += 1) series = (series + oddReciprocals[at]!) * z;
  return k * ln2High + (2 * s + (2 * s * series + k * ln2Low));
};

/** e to the power of x. Arguments outside −700 to 700 are clamped to that range. */
export const exp = (x: number): number => {
  const within = x > 700 ? 700 : x < -700 ? -700 : x;
  const k = Math.round(within / 0.6931471805599453);
  const r = within - k * ln2High - k * ln2Low;
  let series = 1;
  for (let n = 14; n >= 1; n -= 1) series = 1 + (series * r) / n;
  return series * powerOfTwo(k);
};

/**
 * The scale on which days are compared with models: y = ln(x / unit + offset) for x ≥ 0, and its tangent below 0.
 * It is monotone and can be inverted everywhere. A change by a given factor has nearly the same size at every level,
 * and differences between values near 0 are small.
 */
export type LogScale = {
  /** Mean magnitude of the reference, in the unit of the source, > 0. */
  readonly unit: number;
  /** Added to x / unit, > 0. A larger offset makes differences between small values smaller. */
  readonly offset: number;
};

/** Converts a value x to y. */
export const toScale = ({ unit, offset }: LogScale, x: number): number =>
  x >= 0 ? ln(x / unit + offset) : ln(offset) + x / unit / offset;

/** Converts y back to x. The result is at most Number.MAX_VALUE, since JSON has no infinity. */
export const fromScale = ({ unit, offset }: LogScale, y: number): number => {
  const low = ln(offset);
  const x = y >= low ? Math.max(0, exp(y) - offset) * unit : (y - low) * offset * unit;
  return Math.min(Number.MAX_VALUE, x);
};
