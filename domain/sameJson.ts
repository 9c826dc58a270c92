const inKeyOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Whether two values are the same as JSON, in any order of their fields. */
export const isSameJson = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a, inKeyOrder) === JSON.stringify(b, inKeyOrder);
