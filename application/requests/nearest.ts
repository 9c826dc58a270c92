/**
 * Optimal string alignment distance: insertions, deletions, replacements of characters and exchanges of neighbours
 * that turn one text into the other.
 */
export const distance = (a: string, b: string): number => {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isExchange = j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const exchanged = isExchange ? (before[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, replaced, exchanged));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
};

/** Longest text that is compared: the time grows with the product of both lengths. */
const comparedMax = 100;
/** Shortest text that is compared: a shorter one resembles every name. */
const comparedMin = 3;
/** Maximum names in a list. */
const listedMax = 20;

/** The name that is most like a text, letter case aside; undefined when more than a third of it differs. */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const got = text.slice(0, comparedMax).toLowerCase();
  if (got.length < comparedMin) return undefined;
  const [best] = names
    .map(name => ({ name, far: distance(got, name.slice(0, comparedMax).toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  return best && best.far <= Math.max(1, Math.floor(got.length / 3)) ? best.name : undefined;
};

/** Expected names instead of an unknown one: the nearest one as a question, or all known ones. */
export const expectedNames = (text: string, names: readonly string[], noun: string): string => {
  const near = nearest(text, names);
  if (near !== undefined) return `expected ${noun}, perhaps ${near}`;
  if (names.length === 0) return `expected ${noun}: there is none`;
  const more = names.length > listedMax ? `, and ${names.length - listedMax} more` : '';
  return `expected ${noun}: ${names.slice(0, listedMax).join(', ')}${more}`;
};
