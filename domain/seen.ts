/**
 * A set of ids that a state can hold for ever: `add` copies one bucket, not the whole, so that folding
 * a long stream stays near linear. Ids are UUIDs; their first two characters choose the bucket.
 */
export type Seen = Readonly<Record<string, readonly string[]>>;

/** The empty set. */
export const nothingSeen: Seen = {};

/** Whether `id` is in the set. */
export const hasSeen = (seen: Seen, id: string): boolean => seen[id.slice(0, 2)]?.includes(id) ?? false;

/** The set with `id` in it. */
export const addSeen = (seen: Seen, id: string): Seen => {
  const bucket = id.slice(0, 2);
  return { ...seen, [bucket]: [...(seen[bucket] ?? []), id] };
};
