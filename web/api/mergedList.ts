/** A list that a person changed, and what others changed meanwhile: patches replace lists as a whole. */
export const mergedList = <One>(
  opened: readonly One[],
  typed: readonly One[],
  stored: readonly One[],
): One[] => [
  ...typed.filter(one => stored.includes(one) || !opened.includes(one)),
  ...stored.filter(one => !typed.includes(one) && !opened.includes(one)),
];
