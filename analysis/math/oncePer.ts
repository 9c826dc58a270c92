/** A function that is computed once for each key, and keeps its results for its own life. */
export const remembering = <Key, Result>(make: (key: Key) => Result): ((key: Key) => Result) => {
  const known = new Map<Key, Result>();
  return key => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
};

/**
 * A function of one object that is computed once for each object, and kept as long as the object is. The function must
 * be pure; neither the object nor the result changes later.
 */
export const oncePer = <Key extends object, Result extends object>(
  compute: (key: Key) => Result,
): ((key: Key) => Result) => {
  const known = new WeakMap<Key, Result>();
  return key => {
    const found = known.get(key);
    if (found) return found;
    const result = compute(key);
    known.set(key, result);
    return result;
  };
};

/**
 * Like `oncePer`, of an object and a second value: for each object only the result for the last second value is kept.
 * @param isSame whether a result for one second value holds for another one; default: the same object
 */
export const lastPer = <Key extends object, Other, Result extends object, Rest extends readonly unknown[]>(
  compute: (key: Key, other: Other, ...rest: Rest) => Result,
  isSame: (a: Other, b: Other) => boolean = Object.is,
): ((key: Key, other: Other, ...rest: Rest) => Result) => {
  const known = new WeakMap<Key, { readonly other: Other; readonly result: Result }>();
  return (key, other, ...rest) => {
    const found = known.get(key);
    if (found && isSame(found.other, other)) return found.result;
    const result = compute(key, other, ...rest);
    known.set(key, { other, result });
    return result;
  };
};
