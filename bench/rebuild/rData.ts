import { inflateRawSync, gunzipSync } from 'node:zlib';

/**
 * The only file of a zip archive.
 * @throws Error when the archive has another form
 */
export const unzipped = (zip: Buffer): Buffer => {
  const central = zip.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
  if (central < 0 || zip.readUInt16LE(central + 10) !== 8)
    throw new Error('got no archive with a deflated file, expected a zip file');
  const at = zip.readUInt32LE(central + 42);
  const begin = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  return inflateRawSync(zip.subarray(begin, begin + zip.readUInt32LE(central + 20)));
};

/** A value of R: numbers, texts, or values by name or in order; null for anything that holds nothing. */
export type RValue = {
  readonly values: readonly (number | string | null | RValue)[];
  readonly attributes: ReadonlyMap<string, RValue>;
};

/** Types of values in the format, with the width of their flags. */
const types = {
  symbol: 1,
  pairs: 2,
  text: 9,
  logicals: 10,
  integers: 13,
  reals: 14,
  texts: 16,
  list: 19,
  alternative: 238,
  none: 254,
  reference: 255,
} as const;

const missingInteger = -(2 ** 31);
const hasAttributes = 0x200;
const hasTag = 0x400;

const noAttributes: ReadonlyMap<string, RValue> = new Map();
const empty: RValue = { values: [], attributes: noAttributes };

/** Reads the values of a file one after the other. */
const readerOf = (bytes: Buffer) => {
  let at = 0;
  const symbols: string[] = [];

  const integer = (): number => {
    at += 4;
    return bytes.readInt32BE(at - 4);
  };
  const real = (): number => {
    at += 8;
    return bytes.readDoubleBE(at - 8);
  };
  const text = (length: number): string => {
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const some = <Value>(read: () => Value): Value[] => Array.from({ length: integer() }, read);
  const wholeNumber = (): number | null => {
    const value = integer();
    return value === missingInteger ? null : value;
  };

  /** A text, which may be missing. */
  const characters = (): string | null => {
    const type = integer() & 0xff;
    if (type !== types.text) throw new Error(`got a value of type ${type}, expected a text`);
    const length = integer();
    return length < 0 ? null : text(length);
  };

  /** A name, or a reference to one that came before. */
  const nameOf = (flags: number): string => {
    if ((flags & 0xff) === types.reference) return symbols[(flags >> 8 || integer()) - 1] ?? '';
    const name = characters() ?? '';
    symbols.push(name);
    return name;
  };

  /** Values by the names of their tags, until the end of the list. */
  const pairs = (first: number): Map<string, RValue> => {
    const found = new Map<string, RValue>();
    for (let flags = first; (flags & 0xff) === types.pairs; flags = integer()) {
      if (flags & hasAttributes) value();
      const tag = flags & hasTag ? nameOf(integer()) : String(found.size);
      found.set(tag, value());
    }
    return found;
  };

  const valuesOf = (type: number): RValue['values'] => {
    if (type === types.integers || type === types.logicals) return some(wholeNumber);
    if (type === types.reals) return some(real);
    if (type === types.texts) return some(characters);
    if (type === types.list) return some(() => value());
    throw new Error(`got a value of type ${type}, expected a part of a table`);
  };

  /** A value in another form: a sequence by its first number and step, or the value itself behind a wrapper. */
  const alternative = (): RValue => {
    const [kind] = value().values;
    const state = value();
    const attributes = pairs(integer());
    const name = String(typeof kind === 'object' ? kind?.values[0] : kind);
    if (name.startsWith('compact_')) {
      const [length = 0, first = 0, step = 1] = state.values as number[];
      return { values: Array.from({ length }, (_, index) => first + step * index), attributes };
    }
    const [wrapped] = state.values;
    if (typeof wrapped !== 'object' || wrapped === null)
      throw new Error(`got a value in the form ${name}, expected a sequence or a wrapper`);
    return wrapped;
  };

  const value = (): RValue => {
    const flags = integer();
    const type = flags & 0xff;
    if (type === types.none) return empty;
    if (type === types.symbol || type === types.reference) return { ...empty, values: [nameOf(flags)] };
    if (type === types.pairs) return { ...empty, values: [...pairs(flags).values()] };
    if (type === types.alternative) return alternative();
    const values = valuesOf(type);
    return { values, attributes: flags & hasAttributes ? pairs(integer()) : noAttributes };
  };

  return { integer, text, pairs };
};

/**
 * Objects of a file that R saved, by name: version 3 of its format, compressed with gzip.
 * @throws Error when the file has another form
 */
export const readRData = (file: Buffer): ReadonlyMap<string, RValue> => {
  const reader = readerOf(gunzipSync(file));
  const head = reader.text(7);
  if (head !== 'RDX3\nX\n') throw new Error(`got ${JSON.stringify(head)}, expected a file of R in version 3`);
  for (let skipped = 0; skipped < 3; skipped += 1) reader.integer();
  reader.text(reader.integer());
  return reader.pairs(reader.integer());
};

/**
 * Columns of a table of R by name.
 * @throws Error when the value has no names
 */
export const columnsOf = ({ values, attributes }: RValue): ReadonlyMap<string, RValue> => {
  const names = attributes.get('names')?.values;
  if (!names) throw new Error('got a value without names, expected a table');
  return new Map(names.map((name, index) => [String(name), values[index] as RValue]));
};
