/**
 * A map that a state can hold for ever: `put` copies one bucket, not the whole, so that folding a long
 * stream stays near linear. Keys begin with a UUID; its first two characters choose the bucket.
 */
export type Keyed<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** The map without keys. */
export const nothingKeyed = {};

/** What is under `key`, or `undefined`. */
export const lookUp = <Value>(keyed: Keyed<Value>, key: string): Value | undefined =>
  keyed[key.slice(0, 2)]?.[key];

/** The map with `value` under `key`. */
export const put = <Value>(keyed: Keyed<Value>, key: string, value: Value): Keyed<Value> => {
  const bucket = key.slice(0, 2);
  return { ...keyed, [bucket]: { ...keyed[bucket], [key]: value } };
};
