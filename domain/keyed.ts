/**
 * Persistent map: `put` returns a new map that shares all but one bucket with the old one, so that folding a long
 * stream takes nearly linear time. It is a tree with 16 branches per level; the first three hex digits of a key
 * select the branches. Keys start with a UUID.
 */
export type Keyed<Value> = Branch<Branch<Branch<ReadonlyMap<string, Value>>>>;

type Branch<Below> = readonly (Below | undefined)[];

/** The empty map. */
export const emptyKeyed: Keyed<never> = [];

/** Index of the branch for one digit of a key. */
const branch = (key: string, digit: number): number => parseInt(key.charAt(digit), 16) || 0;

const withBelow = <Below>(branches: Branch<Below> | undefined, at: number, below: Below): Branch<Below> => {
  const copy = branches?.slice() ?? Array.from<Below | undefined>({ length: 16 });
  copy[at] = below;
  return copy;
};

/** Persistent map by date, as years, months and dates: a change copies only one of each. */
export type ByDate<Value> = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, Value>>>>>
>;

/** The value of a date, or undefined. */
export const onDate = <Value>(map: ByDate<Value>, date: string): Value | undefined =>
  map[date.slice(0, 4)]?.[date.slice(5, 7)]?.[date];

/** A map in which `date` has `value`. */
export const putOn = <Value>(map: ByDate<Value>, date: string, value: Value): ByDate<Value> => {
  const [year, month] = [date.slice(0, 4), date.slice(5, 7)];
  const inYear = map[year];
  return { ...map, [year]: { ...inYear, [month]: { ...inYear?.[month], [date]: value } } };
};

/** The value of a key, or undefined. */
export const lookUp = <Value>(keyed: Keyed<Value>, key: string): Value | undefined =>
  keyed[branch(key, 0)]?.[branch(key, 1)]?.[branch(key, 2)]?.get(key);

/** A map in which `key` has `value`. */
export const put = <Value>(keyed: Keyed<Value>, key: string, value: Value): Keyed<Value> => {
  const first = branch(key, 0);
  const second = branch(key, 1);
  const third = branch(key, 2);
  const firstLevel = keyed[first];
  const secondLevel = firstLevel?.[second];
  const bucket = new Map(secondLevel?.[third]).set(key, value);
  return withBelow(keyed, first, withBelow(firstLevel, second, withBelow(secondLevel, third, bucket)));
};

/** Number of keys that `withKey` keeps. */
const recentKeysMax = 256;

/** The last keys with another one: a state that has every key of a stream that points feed takes megabytes a year. */
export const withKey = (keys: readonly string[], key: string): readonly string[] => [
  ...keys.slice(1 - recentKeysMax),
  key,
];
