/** Edit distance of two words: insertions, deletions and replacements of one character. */
export const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
};

/** The word that is nearest to a mistyped one; undefined when none has at most a third of its letters changed. */
export const nearestWord = (word: string, words: readonly string[]): string | undefined => {
  const near = words
    .map(known => ({ known, changed: distance(word, known) }))
    .filter(({ known, changed }) => 3 * changed <= known.length)
    .sort((a, b) => a.changed - b.changed);
  return near[0]?.known;
};
