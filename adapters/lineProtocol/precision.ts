/** Units of the stamps of a body. */
export const precisions = ['ns', 'us', 'ms', 's', 'm', 'h'] as const;
export type Precision = (typeof precisions)[number];

/** Other spellings, of the first API. */
const spellings: ReadonlyMap<string, Precision> = new Map([
  ['n', 'ns'],
  ['u', 'us'],
  ['µ', 'us'],
]);

/** The precision of a parameter; undefined for none that is known. Without one, stamps are nanoseconds. */
export const precisionNamed = (text: string): Precision | undefined =>
  text === '' ? 'ns' : (spellings.get(text) ?? precisions.find(one => one === text));

/** Microseconds of one unit. */
const unitMicroseconds = { us: 1, ms: 1e3, s: 1e6, m: 60e6, h: 3600e6 } as const;

/** The last three digits of nanoseconds. */
const belowMicrosecond = 3;

/** How stamps of a precision are read. */
export const precisionOf = (precision: Precision): { readonly microseconds: (digits: string) => number } => ({
  microseconds: digits =>
    precision === 'ns'
      ? Number(digits.slice(0, -belowMicrosecond))
      : Number(digits) * unitMicroseconds[precision],
});
