const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The change of a value; undefined for none. */
const changeOf = (before: unknown, after: unknown): unknown => {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  return isObject(before) && isObject(after) ? mergePatch(before, after) : after;
};

/** The JSON merge patch (RFC 7396) from one object to another: only the fields that differ. */
export const mergePatch = <Part extends object>(before: object, after: Part): Partial<Part> =>
  Object.fromEntries(
    Object.entries({ ...Object.fromEntries(Object.keys(before).map(key => [key, null])), ...after }).flatMap(
      ([key, value]) => {
        const change = changeOf(before[key as keyof typeof before], value);
        return change === undefined ? [] : [[key, change]];
      },
    ),
  ) as Partial<Part>;
