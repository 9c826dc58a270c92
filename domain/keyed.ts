/**
 * A map that a state can hold for ever: `put` copies one bucket and the way to it, not the whole, so that folding a
 * long stream stays near linear. Keys begin with a UUID; each of its first three hex digits chooses a branch of 16.
 */
export type Keyed<Value> = Branch<Branch<Branch<Readonly<Record<string, Value>>>>>;

type Branch<Below> = Readonly<Record<string, Below>>;

/** The map without keys. */
export const nothingKeyed = {};

/** What is under `key`, or `undefined`. */
export const lookUp = <Value>(keyed: Keyed<Value>, key: string): Value | undefined =>
  keyed[key.charAt(0)]?.[key.charAt(1)]?.[key.charAt(2)]?.[key];

/** The map with `value` under `key`. */
export const put = <Value>(keyed: Keyed<Value>, key: string, value: Value): Keyed<Value> => {
  const [first, second, third] = [key.charAt(0), key.charAt(1), key.charAt(2)];
  const inFirst = keyed[first];
  const inSecond = inFirst?.[second];
  const bucket = { ...inSecond?.[third], [key]: value };
  return { ...keyed, [first]: { ...inFirst, [second]: { ...inSecond, [third]: bucket } } };
};
