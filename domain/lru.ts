/** A cache: when there are more than it takes, those go that were used the longest time ago. */
export type Lru<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => void;
  readonly delete: (key: Key) => void;
};

/**
 * A cache of least recently used values.
 * @param max  values that it keeps, at least 1
 */
export const lru = <Key, Value>(max: number): Lru<Key, Value> => {
  // A map goes through its keys in the order in which they were set.
  const map = new Map<Key, Value>();
  const set = (key: Key, value: Value): void => {
    map.delete(key);
    map.set(key, value);
    if (map.size <= max) return;
    for (const oldest of map.keys()) {
      map.delete(oldest);
      return;
    }
  };
  return {
    get: key => {
      const value = map.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    delete: key => void map.delete(key),
  };
};
