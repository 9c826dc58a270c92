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

type Nested<Below> = Readonly<Record<string, Below>>;

/** Persistent map by date, as centuries, years, months and dates: a change copies only one of each. */
export type ByDate<Value> = Nested<Nested<Nested<Nested<Value>>>>;

/** Century, year and month of a date. */
const partsOf = (date: string) => [date.slice(0, 2), date.slice(0, 4), date.slice(0, 7)] as const;

/** The value of a date, or undefined. */
export const onDate = <Value>(map: ByDate<Value>, date: string): Value | undefined => {
  const [century, year, month] = partsOf(date);
  return map[century]?.[year]?.[month]?.[date];
};

/** A map in which dates have these values; each part that holds some of them is copied once. */
export const putAllOn = <Value>(
  map: ByDate<Value>,
  values: Iterable<readonly [date: string, value: Value]>,
): ByDate<Value> => {
  const copied = new Set<unknown>();
  const copyIn = <Below>(above: Record<string, Nested<Below>>, key: string): Record<string, Below> => {
    const present = above[key];
    const copy = copied.has(present) ? (present as Record<string, Below>) : { ...present };
    copied.add(copy);
    above[key] = copy;
    return copy;
  };
  const all: Record<string, Nested<Nested<Nested<Value>>>> = { ...map };
  for (const [date, value] of values) {
    const [century, year, month] = partsOf(date);
    copyIn(copyIn(copyIn(all, century), year), month)[date] = value;
  }
  return all;
};

/** A map in which `date` has `value`. */
export const putOn = <Value>(map: ByDate<Value>, date: string, value: Value): ByDate<Value> =>
  putAllOn(map, [[date, value]]);

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
