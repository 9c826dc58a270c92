import { distance } from '../../../application/texts/nearest.js';

/** The word that is nearest to a mistyped one; undefined when none has at most a third of its letters changed. */
export const nearestWord = (word: string, words: readonly string[]): string | undefined => {
  const near = words
    .map(known => ({ known, changed: distance(word, known) }))
    .filter(({ known, changed }) => 3 * changed <= known.length)
    .sort((a, b) => a.changed - b.changed);
  return near[0]?.known;
};
