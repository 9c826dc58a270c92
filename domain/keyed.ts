/**
 * A map that a state can hold for ever: `put` copies one bucket and the way to it, not the whole, so that folding a
 * long stream stays near linear. Keys begin with a UUID; each of its first three hex digits chooses a branch of 16.
 */
export type Keyed<Value> = Branch<Branch<Branch<ReadonlyMap<string, Value>>>>;

type Branch<Below> = readonly (Below | undefined)[];

/** The map without keys. */
export const nothingKeyed: Keyed<never> = [];

/** Which branch a digit of a key chooses. */
const branch = (key: string, digit: number): number => parseInt(key.charAt(digit), 16) || 0;

const withBelow = <Below>(branches: Branch<Below> | undefined, at: number, below: Below): Branch<Below> => {
  const copy = branches?.slice() ?? Array.from<Below | undefined>({ length: 16 });
  copy[at] = below;
  return copy;
};

/** What is under `key`, or `undefined`. */
export const lookUp = <Value>(keyed: Keyed<Value>, key: string): Value | undefined =>
  keyed[branch(key, 0)]?.[branch(key, 1)]?.[branch(key, 2)]?.get(key);

/** The map with `value` under `key`. */
export const put = <Value>(keyed: Keyed<Value>, key: string, value: Value): Keyed<Value> => {
  const [first, second, third] = [branch(key, 0), branch(key, 1), branch(key, 2)];
  const inFirst = keyed[first];
  const inSecond = inFirst?.[second];
  const bucket = new Map(inSecond?.[third]).set(key, value);
  return withBelow(keyed, first, withBelow(inFirst, second, withBelow(inSecond, third, bucket)));
};
